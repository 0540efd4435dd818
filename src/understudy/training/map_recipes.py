"""Recipes of networks that show maps, for studies after Kim et al. (2022).

The originals are fine-tuned ResNets on birds. These are networks that two processor cores train within minutes: small ones
for creatures of 96 pixels, and the last layers of EfficientNet-lite for photos of pets. Both kinds can learn from a user's
own photos.
"""

import math
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from understudy.errors import UnknownName
from understudy.schema.model_cards import BoxRule

MapMethod: TypeAlias = Literal["class_maps", "patch_logits", "prototypes", "tree"]


@dataclass(frozen=True)
class MapRecipe:
    """Everything that fixes the training of a network with maps besides the pictures and the machine."""

    name: str
    data: Literal["creatures", "pets", "photos"]
    method: MapMethod
    n_epochs: int
    n_train: int = 1200
    """Creatures to learn from, as many of each species. From 5,000 the networks learn to make no mistakes at all, and
    people who judge a model need some to judge."""
    edge: int = 96
    """Pixels along each side of a user's photo, as the network gets it and people see it."""
    starts_from: str = ""
    """The recipe whose body the network starts with; trained first when its weights are not there."""
    batch: int = 64
    head_rate: float = 3e-3
    """Peak rate of everything that the body does not contain."""
    body_rate: float = 3e-3
    n_frozen: int = 0
    """First epochs, in which the body does not learn."""
    norms_learn: bool = True
    """Whether batch normalisation keeps counting means and spreads."""
    weight_decay: float = 1e-4
    label_smoothing: float = 0.1
    widths: tuple[int, ...] = (16, 32, 80, 96)
    n_blocks: tuple[int, ...] = (2, 2, 2, 1)
    """Bottlenecks in the stages of a BagNet."""
    receptive_px: int | None = None
    """Pixels that a place sees, if it does not see the whole picture."""
    backbone: Literal["", "lite0", "lite2"] = ""
    backbone_px: int = 224
    """The size to which photos are enlarged for the backbone; for a bag of crops, the size of each crop."""
    grid_px: int = 32
    """Pixels between the centres of neighbouring crops of a bag of crops."""
    has_last_layer: bool = True
    """Whether the last convolution of the backbone, to 1280 features, is part of the body and learns."""
    n_tuned: int = 0
    """Last stages of the backbone that learn too, before its last layer."""
    n_copies: int = 3
    """Copies of each training photo whose features are stored: the photo itself, and changed ones."""
    n_latent: int = 64
    """Dimensions in which places and prototypes are compared."""
    n_each: int = 5
    """Prototypes of each class."""
    cluster: float = 0.8
    """Weight of the distance to the nearest prototype of the class."""
    separation: float = 0.08
    """Weight of the distance to the nearest prototype of another class."""
    push_every: int = 10
    """Epochs between two moves of all prototypes onto patches of training pictures; there is always one at the end."""
    is_pruned: bool = True
    """Whether prototypes that are near pictures of other classes are dropped. Not for creatures: their species share all
    their parts, so that no prototype of a part can be near one species only."""
    is_grown: bool = False
    """Whether the tree starts with patches that split the classes well, instead of random ones."""
    averaged: float = 0.0
    """Share of the running average of all weights that each step keeps; 0 takes the weights of the last step."""
    depth: int | None = None
    """Decisions from the root of the tree to its leaves. Default: deep enough for four to eight leaves a class."""
    box: BoxRule = "all"
    """What the box of a prototype goes around."""
    seed: int = 0
    collection: str = "kim2022"


_CREATURES_CNN = MapRecipe("creatures-cnn", "creatures", "class_maps", n_epochs=15, batch=32)
_CREATURES_BAGNET = MapRecipe(
    "creatures-bagnet",
    "creatures",
    "patch_logits",
    n_epochs=16,
    n_train=2400,
    batch=32,
    receptive_px=33,
    widths=(8, 16, 32, 64),
    n_blocks=(1, 1, 1, 1),
)
_by_parts = partial(
    MapRecipe,
    data="creatures",
    box="peak",
    starts_from=_CREATURES_CNN.name,
    batch=32,
    body_rate=1e-3,
    n_frozen=2,
)
"""What models that compare parts of creatures have in common."""
_CREATURES_PROTOPNET = _by_parts(
    "creatures-protopnet", method="prototypes", n_epochs=12, push_every=12, is_pruned=False
)
_CREATURES_PROTOTREE = _by_parts(
    "creatures-prototree", method="tree", n_epochs=30, n_train=1500, weight_decay=0.0, depth=6
)
_PETS = MapRecipe(
    "pets-classifier",
    "pets",
    "class_maps",
    n_epochs=8,
    n_frozen=8,
    norms_learn=False,
    backbone="lite2",
)
_PETS_CROPS = MapRecipe(
    "pets-bag-of-crops",
    "pets",
    "patch_logits",
    n_epochs=30,
    norms_learn=False,
    backbone="lite2",
    backbone_px=128,
    receptive_px=64,
)
_PETS_PROTOPNET = MapRecipe(
    "pets-protopnet",
    "pets",
    "prototypes",
    n_epochs=30,
    body_rate=1e-3,
    backbone="lite2",
    has_last_layer=False,
    n_latent=128,
    n_each=10,
    push_every=30,
)
_PETS_PROTOTREE = MapRecipe(
    "pets-prototree",
    "pets",
    "tree",
    n_epochs=200,
    head_rate=5e-3,
    body_rate=1e-4,
    n_frozen=5,
    norms_learn=False,
    weight_decay=0.0,
    backbone="lite2",
    n_tuned=1,
    n_copies=24,
    n_latent=256,
    is_grown=True,
    averaged=0.998,
    depth=8,
)
_photos = partial(replace, data="photos", edge=224)
"""A recipe with a backbone for a user's photos, which are shown larger than those of pets."""
_small_photos = partial(replace, data="photos", n_epochs=40)
"""A recipe of a small network for a user's photos, of which there are fewer than creatures: it sees each more often."""
_ALL = (
    _CREATURES_CNN,
    _CREATURES_BAGNET,
    _CREATURES_PROTOPNET,
    _CREATURES_PROTOTREE,
    _PETS,
    _PETS_CROPS,
    _PETS_PROTOPNET,
    _PETS_PROTOTREE,
    _photos(_PETS, name="photos-classifier", n_epochs=20, n_frozen=20),
    _photos(_PETS_CROPS, name="photos-bag-of-crops", receptive_px=112, grid_px=56),
    _photos(_PETS_PROTOPNET, name="photos-protopnet", n_each=5, box="peak"),
    _photos(_PETS_PROTOTREE, name="photos-prototree", n_epochs=100, n_copies=8, depth=None, box="peak"),
    _small_photos(_CREATURES_CNN, name="small-photos-cnn"),
    _small_photos(_CREATURES_BAGNET, name="small-photos-bagnet"),
    _small_photos(_CREATURES_PROTOPNET, name="small-photos-protopnet", starts_from="small-photos-cnn", push_every=40),
    _small_photos(_CREATURES_PROTOTREE, name="small-photos-prototree", starts_from="small-photos-cnn", depth=None),
)
MAP_RECIPES: dict[str, MapRecipe] = {f"{recipe.collection}/{recipe.name}": recipe for recipe in _ALL}
"""Every recipe under its full name, such as `kim2022/creatures-cnn`."""


def map_recipe(name: str) -> MapRecipe:
    """Return a recipe by its name, with or without its collection, or say which there are."""
    found = next((recipe for full, recipe in MAP_RECIPES.items() if name in {full, recipe.name}), None)
    if found is None:
        raise UnknownName(f"There is no recipe {name!r}. There are: {', '.join(MAP_RECIPES)}.")
    return found


def first_recipe(recipe: MapRecipe) -> MapRecipe:
    """Return the recipe that another one starts from, with the same seed, and shortened like it."""
    first = map_recipe(recipe.starts_from)
    is_shortened = recipe.n_epochs < map_recipe(recipe.name).n_epochs
    n_epochs = min(first.n_epochs, recipe.n_epochs) if is_shortened else first.n_epochs
    return replace(first, seed=recipe.seed, n_epochs=n_epochs)


def learns_from_photos(name: str) -> bool:
    """Tell whether a name is a recipe for a user's own photos."""
    return any(recipe.data == "photos" and name in {full, recipe.name} for full, recipe in MAP_RECIPES.items())


def tree_depth(recipe: MapRecipe, n_labels: int) -> int:
    """Return how deep the tree of a recipe is, for so many classes: 5 decisions for 8 classes, 8 for 37, 10 for 200."""
    return math.ceil(math.log2(n_labels)) + 2 if recipe.depth is None else recipe.depth


def has_body(recipe: MapRecipe, out: Path) -> bool:
    """Tell whether the network that a recipe starts from can be taken as it is.

    That of a user's photos is trained again: nothing says that it learned from the same ones.
    """
    return recipe.data != "photos" and weights_of(first_recipe(recipe), out).is_file()


def n_epochs_to_come(recipe: MapRecipe, out: Path) -> int:
    """Return how many epochs a recipe takes, with those of the one that it starts from if that is not there."""
    if not recipe.starts_from or has_body(recipe, out):
        return recipe.n_epochs
    return recipe.n_epochs + first_recipe(recipe).n_epochs


def weights_of(recipe: MapRecipe, out: Path) -> Path:
    """Return the file of the weights of a body, which other recipes start with; other seeds have other files."""
    return out / f"{recipe.name}-seed-{recipe.seed}.weights"
