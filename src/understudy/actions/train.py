"""Training: a recipe by name, carried out and written as an ONNX file with its card."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from understudy.actions.decoder_scores import factor_names, scores_from_codes
from understudy.errors import MaterialsError, UnknownName, nearest, optional
from understudy.inference import decoder_from_bytes
from understudy.inference.cards import ModelCard, card_from_details
from understudy.inference.model_folders import WrittenModel, models_folder, write_model
from understudy.inference.onnx_graphs import Precision, quantized
from understudy.inference.onnx_models import classifier_from_bytes
from understudy.schema import DecoderCard, Json
from understudy.sources.cases import SplitRule
from understudy.training.cards import cases_of_recipe, classifier_card, decoder_card, with_accuracy
from understudy.training.closed_forms import CLOSED_FORMS, ClosedForm
from understudy.training.map_recipes import MAP_RECIPES, MapRecipe, first_recipe, n_epochs_to_come
from understudy.training.picture_networks import (
    N_PICTURES,
    PictureTraining,
    draw_sets,
    folder_of,
    n_missing,
    train_picture_model,
)
from understudy.training.recipes import (
    PICTURE_RECIPES,
    RECIPES,
    ClassifierRecipe,
    DecoderRecipe,
    FlowRecipe,
    PictureNetRecipe,
    PictureRecipe,
    Recipe,
    RecipeT,
    recipe_named,
    stage_epochs,
)

_CLOSED = {f"ross2021/{name}": form for name, form in CLOSED_FORMS.items()}


class Model(NamedTuple):
    """A model and its card, scored but not yet on disk."""

    content: bytes
    card: ModelCard


@dataclass(frozen=True)
class TrainingOrder:
    """Where and how a recipe is carried out; what is absent stays as the recipe says."""

    out: Path
    data: Path
    """The data folder; the folder of a user's photos; or a file of published Sinelines factors, or of dSprites images."""
    n_epochs: int | None = None
    seed: int | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    precision: Precision = "float32"
    max_steps: int | None = None
    is_resumed: bool = False
    split: SplitRule = "leak_free"
    n_pictures: int | None = None
    """Pictures to train a network for pictures with."""


def names_to_train() -> tuple[str, ...]:
    """Return every name that can be trained or written down: decoders, classifiers, networks for pictures."""
    decoders = [name for name, recipe in RECIPES.items() if isinstance(recipe, DecoderRecipe)]
    classifiers = [name for name, recipe in RECIPES.items() if isinstance(recipe, ClassifierRecipe)]
    return (*sorted([*decoders, *_CLOSED]), *sorted(classifiers), *PICTURE_RECIPES, *MAP_RECIPES)


def default_folder(name: str, environment: Mapping[str, str]) -> Path:
    """Return where a model goes when nobody says: studies name classifiers by name, and decoders by path."""
    is_decoder = isinstance(_found(name), DecoderRecipe | ClosedForm)
    return Path("decoders") if is_decoder else models_folder(environment)


def n_epochs_of(name: str, order: TrainingOrder) -> int:
    """Return how many epochs a name takes at most; a closed form takes none."""
    recipe = _found(name)
    if isinstance(recipe, ClosedForm):
        return 0
    if isinstance(recipe, MapRecipe):
        return n_epochs_to_come(_map_ordered(recipe, order), order.out)
    if isinstance(recipe, ClassifierRecipe):
        return sum(stage_epochs(_ordered(recipe, order)))
    return order.n_epochs or recipe.n_epochs


def n_pictures_missing(name: str, order: TrainingOrder) -> int:
    """Return how many pictures must be drawn before a name can be trained; 0 where it needs none."""
    recipe = _found(name)
    if not isinstance(recipe, FlowRecipe | PictureNetRecipe):
        return 0
    n = order.n_pictures or N_PICTURES
    return n_missing(recipe, folder_of(recipe, order.data, n), n)


def draw_pictures(name: str, order: TrainingOrder, *, advance: Callable[[int], None]) -> None:
    """Draw the pictures that are missing; an interrupted run continues where it stopped."""
    recipe = _found(name)
    _refuse_options(name, recipe, order)
    if isinstance(recipe, FlowRecipe | PictureNetRecipe):
        optional("torch", extra="torch")
        n = order.n_pictures or N_PICTURES
        draw_sets(recipe, folder_of(recipe, order.data, n), n, advance=advance)


def train_model(name: str, order: TrainingOrder, *, on_epoch: Callable[[int], None]) -> WrittenModel:
    """Train a model, or take its closed form, and write NAME.onnx and NAME.json.

    `on_epoch` is told how many epochs are done: of a resumed run the first call counts those of the run before.
    """
    recipe = _found(name)
    _refuse_options(name, recipe, order)
    if isinstance(recipe, ClosedForm):
        model = Model(recipe.content(), recipe.card())
    else:
        # Asked for by name, so that the message names the package and not a module of ours.
        optional("torch", extra="torch")
        optional("onnx", extra="torch")
        if isinstance(recipe, FlowRecipe | PictureNetRecipe):
            return _train_for_pictures(recipe, order, on_epoch)
        if isinstance(recipe, MapRecipe):
            return _train_with_maps(_map_ordered(recipe, order), order, on_epoch)
        if isinstance(recipe, DecoderRecipe):
            model = _train_decoder(_ordered(recipe, order), order, on_epoch)
        else:
            model = _train_classifier(_ordered(recipe, order), order, on_epoch)
    if isinstance(model.card.details, DecoderCard):
        decoder_from_bytes(model.content, model.card.details)
    path = write_model(model.card, model.content, order.out)
    _checkpoint(model.card.name, order).unlink(missing_ok=True)
    return WrittenModel(path, model.card, len(model.content))


def _found(name: str) -> Recipe | ClosedForm | PictureRecipe | MapRecipe:
    for_pictures: dict[str, PictureRecipe | MapRecipe] = {**PICTURE_RECIPES, **MAP_RECIPES}
    for_pictures |= {recipe.name: recipe for recipe in for_pictures.values()}
    found = recipe_named(name) or CLOSED_FORMS.get(name) or _CLOSED.get(name) or for_pictures.get(name)
    if found is None:
        known = names_to_train()
        raise UnknownName(
            f"There is nothing to train under {name!r}.{nearest(name, known)} There are: {', '.join(known)}."
        )
    return found


def _refuse_options(name: str, recipe: Recipe | ClosedForm | PictureRecipe | MapRecipe, order: TrainingOrder) -> None:
    """Refuse options that mean nothing for a name."""
    is_classifier = isinstance(recipe, ClassifierRecipe)
    if order.n_pictures is not None and not isinstance(recipe, FlowRecipe | PictureNetRecipe):
        raise MaterialsError(
            f"--pictures is for networks that learn from drawn pictures, not for {name!r}. Leave it out."
        )
    if isinstance(recipe, FlowRecipe | PictureNetRecipe) and order.split != "leak_free":
        raise MaterialsError(
            f"--split cannot be used with {name!r}: its pictures are drawn, and no paper split them. Leave it out."
        )
    if isinstance(recipe, FlowRecipe) and order.precision != "float32":
        raise MaterialsError(
            f"--precision cannot be chosen for {name!r}: its weights are stored in 16 bits. Leave it out."
        )
    options = {
        "--resume": is_classifier and order.is_resumed,
        "--max-steps": is_classifier and order.max_steps is not None,
        "--device cuda": is_classifier and order.device == "cuda",
        "--split": not is_classifier and order.split != "leak_free",
    }
    wrong = ", ".join(option for option, is_given in options.items() if is_given)
    if wrong and is_classifier:
        raise MaterialsError(
            f"{wrong} cannot be used with {name!r}: classifiers learn in minutes, from start to end, on the processor. "
            "Leave it out."
        )
    if wrong:
        raise MaterialsError(f"{wrong} is for classifiers, and {name!r} is not a classifier. Leave it out.")


def _ordered(recipe: RecipeT, order: TrainingOrder) -> RecipeT:
    seed = recipe.seed if order.seed is None else order.seed
    return replace(recipe, n_epochs=order.n_epochs or recipe.n_epochs, seed=seed)


def _train_decoder(recipe: DecoderRecipe, order: TrainingOrder, on_epoch: Callable[[int], None]) -> Model:
    run: Any = optional("understudy.training.decoders", extra="torch")
    checkpoint = _checkpoint(recipe.name, order)
    _check_checkpoint(checkpoint, order)
    options = run.RunOptions(
        device=_device(order.device),
        data=_data_of(recipe, order.data),
        checkpoint=checkpoint,
        progress=lambda progress: on_epoch(progress.epoch),
        max_steps=order.max_steps,
    )
    trained = run.trained_decoder(recipe, options)
    content = quantized(trained.content, order.precision)
    provenance: Json = {**trained.provenance, "digest": hashlib.sha256(content).hexdigest()}
    codes, factors = trained.held_out_codes, trained.held_out_factors
    if codes is not None and factors is not None and recipe.family != "gt":
        rng = np.random.default_rng(recipe.seed)
        provenance |= scores_from_codes(codes, factors, factor_names(recipe.dataset), rng)
    return Model(content, card_from_details(decoder_card(recipe, trained.asked_codes, provenance)))


def _train_classifier(recipe: ClassifierRecipe, order: TrainingOrder, on_epoch: Callable[[int], None]) -> Model:
    run: Any = optional("understudy.training.classifiers", extra="torch")
    cases = cases_of_recipe(recipe, order.data, order.split)
    n_done = 0

    def count(_progress: object) -> None:
        # Both stages of a prototype classifier count their own epochs from 1.
        nonlocal n_done
        n_done += 1
        on_epoch(n_done)

    trained = run.trained_classifier(recipe, cases, progress=count)
    content = quantized(trained.content, order.precision)
    provenance: Json = {**trained.provenance, "digest": hashlib.sha256(content).hexdigest()}
    card = classifier_card(recipe, cases, trained.prototypes, provenance)
    card = with_accuracy(card, classifier_from_bytes(content, card), cases, order.split)
    return Model(content, card_from_details(card))


def _train_for_pictures(recipe: PictureRecipe, order: TrainingOrder, on_epoch: Callable[[int], None]) -> WrittenModel:
    changes: dict[str, Any] = {
        "n_epochs": order.n_epochs or recipe.n_epochs,
        "seed": recipe.seed if order.seed is None else order.seed,
        "steps_per_epoch": order.max_steps or recipe.steps_per_epoch,
    }
    checkpoint = _checkpoint(recipe.name, order)
    _check_checkpoint(checkpoint, order)
    training = PictureTraining(
        out=order.out,
        data=order.data,
        n_pictures=order.n_pictures or N_PICTURES,
        device=_device(order.device),
        precision=order.precision,
        max_steps=order.max_steps,
        on_epoch=on_epoch,
    )
    written = train_picture_model(replace(recipe, **changes), training)
    checkpoint.unlink(missing_ok=True)
    return written


def _map_ordered(recipe: MapRecipe, order: TrainingOrder) -> MapRecipe:
    seed = recipe.seed if order.seed is None else order.seed
    return replace(recipe, n_epochs=order.n_epochs or recipe.n_epochs, seed=seed)


def _train_with_maps(recipe: MapRecipe, order: TrainingOrder, on_epoch: Callable[[int], None]) -> WrittenModel:
    paths = [_checkpoint(recipe.name, order)]
    if recipe.starts_from:
        # An interrupted run may not have come further than the network that this one starts from.
        paths.insert(0, _checkpoint(first_recipe(recipe).name, order))
    _check_checkpoint(next((path for path in paths if path.is_file()), paths[-1]), order)
    run: Any = optional("understudy.training.map_models", extra="torch")
    options = run.MapOptions(
        out=order.out,
        data=order.data,
        precision=order.precision,
        device=_device(order.device),
        max_steps=order.max_steps,
        on_epoch=on_epoch,
    )
    written: WrittenModel = run.train_map_model(recipe, options)
    return written


def _device(wanted: str) -> str:
    has_card = bool(optional("torch", extra="torch").cuda.is_available())
    if wanted == "cuda" and not has_card:
        raise MaterialsError("There is no graphics card that torch can use. Train with --device cpu.")
    return "cuda" if has_card and wanted != "cpu" else "cpu"


def _checkpoint(name: str, order: TrainingOrder) -> Path:
    return order.out / f"{name}.checkpoint"


def _check_checkpoint(path: Path, order: TrainingOrder) -> None:
    """Refuse to overwrite what an earlier run left, and to resume from nothing."""
    if path.is_file() and not order.is_resumed:
        raise MaterialsError(f"{path} is what an earlier run left. Continue it with --resume, or remove it.")
    if order.is_resumed and not path.is_file():
        raise MaterialsError(f"There is no {path} to continue from. Leave --resume out to start over.")
    path.parent.mkdir(parents=True, exist_ok=True)


def _data_of(recipe: DecoderRecipe, data: Path) -> Path | None:
    """Return the folder of digits, the file that was named, or None to draw the data."""
    if recipe.dataset == "mnist":
        return data / "mnist"
    endings = {"sinelines": ".npy", "dsprites": ".npz"}
    if not data.is_file() and data.suffix not in endings.values():
        return None
    wanted = endings[recipe.dataset]
    if data.suffix != wanted:
        raise MaterialsError(
            f"{data} ends in {data.suffix or 'nothing'!r}; {recipe.name} learns from a {wanted} file. Name one, or leave "
            "--data out to draw the data."
        )
    if not data.is_file():
        raise MaterialsError(f"There is no file {data}. Correct --data, or leave it out to draw the data.")
    return data
