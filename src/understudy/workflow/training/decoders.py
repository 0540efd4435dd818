"""Training: a recipe by name, carried out and written as a decoder file with its card."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from understudy.errors import MaterialsError, UnknownName
from understudy.extras import optional
from understudy.inference import OnnxDecoder, decoder_from_bytes
from understudy.inference.closed_forms import practice_disc, practice_shape, sinelines_truth
from understudy.schema import DecoderCard, canonical_json, json_from_record
from understudy.training.decoders.cards import practice_card, practice_shape_card, sinelines_card
from understudy.training.decoders.recipes import RECIPES, Recipe
from understudy.workflow.training.classifiers import classifier_names
from understudy.workflow.training.decoder_scores import with_scores

COLLECTION = "ross2021"
"""The paper whose settings the recipes have; its name may stand before that of a recipe."""


class ClosedForm(NamedTuple):
    """A decoder that needs no training: what makes its file, and what makes its card."""

    content: Callable[[], bytes]
    card: Callable[[], dict[str, Any]]


CLOSED_FORMS = {
    "practice-disc": ClosedForm(practice_disc, practice_card),
    "practice-shape": ClosedForm(practice_shape, practice_shape_card),
    "sinelines-gt": ClosedForm(sinelines_truth, sinelines_card),
}


class WrittenDecoder(NamedTuple):
    """A decoder on disk."""

    path: Path
    decoder: OnnxDecoder


@dataclass(frozen=True)
class TrainingOrder:
    """Where and how a recipe is to be carried out; what is absent stays as the recipe says."""

    out: Path
    data: Path
    """The data folder, in which MNIST lies; or the published factors of Sinelines, or images of dSprites, as a file."""
    n_epochs: int | None = None
    seed: int | None = None
    device: Literal["auto", "cpu", "cuda"] = "auto"
    precision: Literal["float32", "float16", "int8"] = "float32"
    max_steps: int | None = None
    is_resumed: bool = False


def names_to_train() -> tuple[str, ...]:
    """Return every name that can be trained or written down."""
    return tuple(f"{COLLECTION}/{name}" for name in sorted([*RECIPES, *CLOSED_FORMS]))


def n_epochs_of(name: str, order: TrainingOrder) -> int:
    """Return how many epochs a name takes; a closed form takes none."""
    bare = _bare(name)
    return 0 if bare in CLOSED_FORMS else order.n_epochs or RECIPES[bare].n_epochs


def train_decoder(
    name: str, order: TrainingOrder, *, on_epoch: Callable[[int, float], None] | None = None
) -> WrittenDecoder:
    """Train a model, or take its closed form, and write NAME.onnx and NAME.json.

    `on_epoch` is told how many epochs are done and the mean loss of the last one.
    """
    bare = _bare(name)
    if bare in CLOSED_FORMS:
        form = CLOSED_FORMS[bare]
        return written_decoder(form.content(), DecoderCard.model_validate(form.card()), order.out)
    return _trained(bare, order, on_epoch)


def written_decoder(content: bytes, card: DecoderCard, folder: Path) -> WrittenDecoder:
    """Check a decoder and write it with its card."""
    decoder = decoder_from_bytes(content, card)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{card.name}.onnx"
    path.write_bytes(content)
    path.with_suffix(".json").write_text(canonical_json(json_from_record(card)), encoding="utf-8")
    return WrittenDecoder(path, decoder)


def _trained(name: str, order: TrainingOrder, on_epoch: Callable[[int, float], None] | None) -> WrittenDecoder:
    torch = optional("torch", extra="torch")
    optional("onnx", extra="torch")
    trained: Any = optional("understudy.training.decoders.trained", extra="torch")
    recipe = RECIPES[name]
    recipe = replace(
        recipe,
        n_epochs=order.n_epochs or recipe.n_epochs,
        seed=recipe.seed if order.seed is None else order.seed,
    )
    checkpoint = _checkpoint(name, order)
    workshop = trained.Workshop(
        device=_device(torch, order.device),
        data=_data_of(recipe, order.data),
        checkpoint=checkpoint,
        tell=None if on_epoch is None else lambda progress: on_epoch(progress.epoch, progress.loss),
        max_steps=order.max_steps,
        precision=order.precision,
    )
    outcome = trained.trained_from_recipe(recipe, workshop)
    card = DecoderCard.model_validate(json.loads(json.dumps(outcome.card)))
    if outcome.held_out_codes is not None and outcome.held_out_factors is not None and recipe.family != "gt":
        card = with_scores(
            card,
            outcome.held_out_codes,
            outcome.held_out_factors,
            dataset=recipe.dataset,
            rng=np.random.default_rng(recipe.seed),
        )
    written = written_decoder(outcome.content, card, order.out)
    checkpoint.unlink(missing_ok=True)
    return written


def _bare(name: str) -> str:
    bare = name.removeprefix(f"{COLLECTION}/")
    if bare not in RECIPES and bare not in CLOSED_FORMS:
        known = ", ".join((*names_to_train(), *classifier_names()))
        raise UnknownName(f"There is nothing to train under {name!r}. There are: {known}.")
    return bare


def _device(torch: Any, wanted: str) -> str:
    has_card = bool(torch.cuda.is_available())
    if wanted == "cuda" and not has_card:
        raise MaterialsError("There is no graphics card that torch can use. Train with --device cpu.")
    return "cuda" if has_card and wanted != "cpu" else "cpu"


def _checkpoint(name: str, order: TrainingOrder) -> Path:
    order.out.mkdir(parents=True, exist_ok=True)
    path = order.out / f"{name}.checkpoint"
    if path.is_file() and not order.is_resumed:
        raise MaterialsError(f"{path} is what an earlier run left. Go on from it with --resume, or remove it.")
    if order.is_resumed and not path.is_file():
        raise MaterialsError(f"There is no {path} to go on from. Leave --resume out to start anew.")
    return path


def _data_of(recipe: Recipe, data: Path) -> Path | None:
    if recipe.dataset == "mnist":
        return data / "mnist"
    return data if data.is_file() else None
