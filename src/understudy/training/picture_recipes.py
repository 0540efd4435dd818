"""Recipes of networks for pictures of a world with known causes, after Sixt et al. (2022).

Their invertible network has 261 million parameters and sees pictures of 128 pixels. This one has a tenth of that and sees
64 pixels. Differences that matter: noise as wide as eight grey levels, not one, so that likelihood is not spent on the last
bits of a smooth background; more weight on the classes; and a classifier that is fitted once more, to pictures without
noise.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from understudy.errors import UnknownName


@dataclass(frozen=True)
class FlowRecipe:
    """Everything that fixes the training of an invertible network besides the pictures and the machine."""

    name: str
    n_pixels: int
    n_steps: tuple[int, ...]
    """Flow steps of each block."""
    widths: tuple[int, ...]
    """Hidden channels of the coupling nets of each block."""
    n_epochs: int
    steps_per_epoch: int = 1000
    batch: int = 128
    learning_rate: float = 1.5e-4
    head_rate: float = 1e-3
    """Peak rate of the classifier."""
    n_warm: int = 1000
    """Steps over which the rate rises."""
    class_weight: float = 0.002
    """Weight of the cross-entropy of the class (nats) against bits per dimension."""
    label_noise: float = 0.1
    """Share of each label that counts as a fair coin while learning."""
    noise_levels: float = 8.0
    """Width of the uniform noise added to pictures while learning, in grey levels of 256."""
    max_gradient: float = 0.5
    """Norm to which the gradient of the flow is clipped."""
    head_penalty: float = 0.06
    """Weight of half the squared length of the classifier, when it is fitted to the latents of the learned flow."""
    n_head_pictures: int = 5000
    """Pictures that the classifier is fitted to."""
    n_initial: int = 500
    """Pictures that initialise the actnorms."""
    seed: int = 0
    collection: str = "sixt2022"


@dataclass(frozen=True)
class PictureNetRecipe:
    """Everything that fixes the training of an ordinary network for pictures."""

    name: str
    purpose: Literal["classifier", "observer"]
    """A classifier learns the class; an observer learns every attribute and the class."""
    n_pixels: int
    n_epochs: int
    steps_per_epoch: int = 500
    batch: int = 256
    learning_rate: float = 2e-3
    n_warm: int = 200
    widths: tuple[int, ...] = (32, 64, 128, 192, 256)
    """Channels of the blocks; each block halves width and height."""
    label_noise: float = 0.0
    seed: int = 0
    collection: str = "sixt2022"


PictureRecipe: TypeAlias = FlowRecipe | PictureNetRecipe

_ALL: tuple[PictureRecipe, ...] = (
    FlowRecipe(
        "inn-64",
        n_pixels=64,
        n_steps=(8, 12, 16, 16, 10, 8),
        widths=(96, 192, 320, 320, 256, 256),
        n_epochs=33,
    ),
    PictureNetRecipe("cnn-64", "classifier", n_pixels=64, n_epochs=12, label_noise=0.1),
    PictureNetRecipe("observer-64", "observer", n_pixels=64, n_epochs=24),
)
PICTURE_RECIPES: dict[str, PictureRecipe] = {f"{recipe.collection}/{recipe.name}": recipe for recipe in _ALL}
"""Every recipe under its full name, such as `sixt2022/inn-64`."""


def flow_recipe(name: str) -> FlowRecipe:
    """Return the recipe of an invertible network, or say which there are."""
    recipe = PICTURE_RECIPES.get(name)
    if not isinstance(recipe, FlowRecipe):
        raise _unknown(name)
    return recipe


def picture_net_recipe(name: str) -> PictureNetRecipe:
    """Return the recipe of an ordinary network, or say which there are."""
    recipe = PICTURE_RECIPES.get(name)
    if not isinstance(recipe, PictureNetRecipe):
        raise _unknown(name)
    return recipe


def _unknown(name: str) -> UnknownName:
    return UnknownName(f"There is no recipe {name!r}. There are: {', '.join(PICTURE_RECIPES)}.")
