"""The invertible network in a folder of weights, opened where torch is installed."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import MaterialsError, optional
from understudy.inference.model_folders import digest_of_classifier, models_folder
from understudy.inference.onnx_models import session_from_bytes
from understudy.models import OnnxClassifier, TrainedClassifier
from understudy.models.own_models import Outputs
from understudy.models.trained_models import classifier_named
from understudy.roles import Model
from understudy.worlds.world import World


def has_weights(folder: Path) -> bool:
    """Say whether a folder has the weights of a network, in parts."""
    return (folder / "weights-0.part").is_file()


def flow_model(folder: Path, *, labels: tuple[str, ...]) -> Any:
    """Open the network; it answers to pictures as any model does, and shows margins and latents."""
    optional("torch", extra="torch")
    return optional("understudy.training.picture_models", extra="torch").flow_model_from_folder(folder, labels)


# Picture models as a user names them: an ONNX file, the weights of an invertible network, or a trained classifier.

EDGE = 64
"""Pixels a side where neither the model nor the user says."""


@dataclass(frozen=True)
class PictureModel:
    """A model, what to call it, and the size of its pictures."""

    model: Model
    name: str
    digest: str
    edge: int


class _Input(NamedTuple):
    """What an ONNX file says about its input; None where any length will do."""

    channels: int | None
    height: int | None
    width: int | None


def picture_model(source: str, world: World, *, edge: int | None = None) -> PictureModel:
    """Open a model for pictures of a world: an .onnx file (with or without a card), a folder of weights, or a name."""
    path = Path(source)
    if path.is_dir() and has_weights(path):
        found = flow_model(path, labels=world.classes)
        return PictureModel(found, path.name, found.digest, _agreed(edge, found.n_pixels, source))
    if path.suffix == ".onnx" or path.exists():
        return _from_file(path, world, edge)
    classifier = classifier_named(source, models_folder(os.environ))
    model = TrainedClassifier(name=source)
    size = _size_on_card(classifier.card.size, source)
    return PictureModel(model, source, digest_of_classifier(classifier), _agreed(edge, size, source))


def _from_file(path: Path, world: World, edge: int | None) -> PictureModel:
    if not path.is_file():
        raise MaterialsError(f"{path} is not a file. Put the model there, or correct the path.")
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if path.with_suffix(".json").is_file():
        model = TrainedClassifier(path=path.as_posix())
        size = _size_on_card(model.opened().card.size, str(path))
        return PictureModel(model, path.stem, digest, _agreed(edge, size, str(path)))
    session = session_from_bytes(content, what=str(path))
    size = _agreed(edge, _edge_taken(session, str(path)), str(path))
    return PictureModel(_tried(path, world, size), path.stem, digest, size)


def _edge_taken(session: Any, source: str) -> int | None:
    """Return the pixels a side that a file wants, None for any, or refuse a file that takes something else."""
    shape = session.get_inputs()[0].shape
    if len(shape) != 4:
        raise MaterialsError(
            f"{source} takes inputs of the shape {shape}, which are not pictures. Give a model that takes (n, 3, height, width)."
        )
    wanted = _Input(*(size if isinstance(size, int) else None for size in shape[1:]))
    if wanted.channels not in (None, 3):
        raise MaterialsError(
            f"{source} takes pictures with {wanted.channels} channels, and a world draws 3 (red, green, blue). Give a model "
            "that takes (n, 3, height, width), or average the channels inside it."
        )
    if wanted.height != wanted.width:
        raise MaterialsError(
            f"{source} takes pictures of {wanted.width} x {wanted.height} pixels, and a world draws squares. Give a model of "
            "square pictures."
        )
    return wanted.height


def _size_on_card(size: tuple[int, int, int] | None, source: str) -> int:
    if size is None:
        raise MaterialsError(f"{source} is not a classifier of pictures. Give one that takes (n, 3, height, width).")
    return size[1]


def _agreed(asked: int | None, taken: int | None, source: str) -> int:
    if asked is not None and taken is not None and asked != taken:
        raise MaterialsError(
            f"{source} takes pictures of {taken} x {taken} pixels, but {asked} were asked for. Leave the size out."
        )
    return taken or asked or EDGE


def _tried(path: Path, world: World, edge: int) -> OnnxClassifier:
    """Open a file without a card: its outputs are probabilities where their rows add up to one, and else logits."""
    rng = np.random.default_rng(0)
    rows = rng.uniform(size=(4, 3, edge, edge))
    outputs: tuple[Outputs, ...] = ("probabilities", "logits")
    refusals = []
    for kind in outputs:
        model = OnnxClassifier(path=path.as_posix(), labels=world.classes, outputs=kind)
        try:
            model.predict(rows)
        except MaterialsError as error:
            refusals.append(error)
        else:
            return model
    raise refusals[-1]
