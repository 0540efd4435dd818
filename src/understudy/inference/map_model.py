"""An opened map model: a folder with an ONNX file, its card and its photos, checked and ready to use."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from understudy.errors import MaterialsError
from understudy.inference.map_model_faults import card_faults
from understudy.inference.onnx_session import ModelSession, reason_of, session_from_bytes
from understudy.roles import Floats
from understudy.schema import MapModelCard, ShownPicture, sentences_from_validation
from understudy.sources.file_cache import read_once
from understudy.sources.picture_pools import batches_of
from understudy.sources.pictures import picture_from_pixels, pixels_from_file

MODEL_FILE, CARD_FILE = "model.onnx", "card.json"
OUTPUTS = ("probabilities", "maps")
_ADVICE = "Write the folder again by training, or correct the path."


@dataclass(frozen=True)
class SourcePhoto:
    """A photo that a prototype was taken from, as pages show it."""

    shown: ShownPicture
    content: bytes


@dataclass(frozen=True)
class OpenedMapModel:
    """A map model that passed its checks."""

    card: MapModelCard
    folder: Path
    session: ModelSession

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the labels."""
        return self._output("probabilities", inputs)

    def maps(self, inputs: Floats) -> Floats:
        """Return the maps of each picture, as (n, maps, rows, columns)."""
        return self._output("maps", inputs)

    def source_photo(self, prototype: int) -> SourcePhoto:
        """Return the photo that a prototype was taken from."""
        path = self.folder / self.card.prototypes[prototype].source
        return read_once(path, _source_photo, advice=_ADVICE)

    def _output(self, name: str, inputs: Floats) -> Floats:
        if inputs.shape[1:] != self.card.size:
            raise MaterialsError(
                f"Map model {self.card.name!r} takes pictures of the shape {self.card.size} (channels, height, width), but "
                f"its inputs have the shape {inputs.shape[1:]}. Bind pictures of that size."
            )
        channels, height, width = self.card.size
        tensor = self.session.get_inputs()[0]
        found = []
        for batch in batches_of((len(inputs), height, width, channels), 0, len(inputs)):
            # A file that was traced with one picture takes one at a time.
            step = 1 if tensor.shape[0] == 1 else len(batch)
            for start in range(batch.start, batch.stop, step):
                rows = inputs[start : start + step].astype(np.float32)
                found.append(self.session.run([name], {tensor.name: rows})[0].astype(np.float64))
        if found:
            return np.concatenate(found)
        blank = np.zeros((1, *self.card.size), dtype=np.float32)
        return np.zeros((0, *self.session.run([name], {tensor.name: blank})[0].shape[1:]))


def map_model_from_folder(folder: Path) -> OpenedMapModel:
    """Open a folder, or say everything that is wrong with it."""
    absent = [name for name in (MODEL_FILE, CARD_FILE) if not (folder / name).is_file()]
    if absent:
        raise MaterialsError(
            f"{str(folder)!r} is not the folder of a map model: it has no {' and no '.join(absent)}. {_ADVICE}"
        )
    # The times of change are part of the key, so that a model trained again is opened again.
    return _opened(folder, *((folder / name).stat().st_mtime_ns for name in (MODEL_FILE, CARD_FILE)))


@cache
def _opened(folder: Path, _changed_ns: int, _card_changed_ns: int) -> OpenedMapModel:
    card = _card(folder / CARD_FILE)
    faults = card_faults(card, folder)
    if faults:
        raise MaterialsError(f"The map model in {str(folder)!r} cannot be used. " + " ".join(faults))
    session = session_from_bytes((folder / MODEL_FILE).read_bytes(), what=f"{str(folder / MODEL_FILE)!r}")
    fault = _session_fault(card, session)
    if fault is not None:
        raise MaterialsError(f"The network of map model {card.name!r} {fault}")
    return OpenedMapModel(card, folder, session)


def _card(path: Path) -> MapModelCard:
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text)
    except ValueError:
        raise MaterialsError(f"The card {str(path)!r} is not JSON. {_ADVICE}") from None
    if not isinstance(content, dict):
        raise MaterialsError(f"The card {str(path)!r} is not a table of fields. {_ADVICE}")
    try:
        # As JSON, since records read a list as a tuple only there.
        return MapModelCard.model_validate_json(text)
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error, MapModelCard))
        raise MaterialsError(f"The card {str(path)!r} does not fit: {faults}") from None


def _session_fault(card: MapModelCard, session: ModelSession) -> str | None:
    """Say why a network does not do what its card promises, as the end of a sentence and what to do."""
    inputs, outputs = session.get_inputs(), [tensor.name for tensor in session.get_outputs()]
    if len(inputs) != 1 or not {*OUTPUTS} <= {*outputs}:
        return (
            f"has {len(inputs)} inputs and the outputs {', '.join(outputs)}. It needs one input, and the outputs "
            f"{' and '.join(OUTPUTS)}."
        )
    n = 1 if inputs[0].shape[0] == 1 else 2
    blank = np.zeros((n, *card.size), dtype=np.float32)
    try:
        probabilities, maps = session.run(list(OUTPUTS), {inputs[0].name: blank})
    except MaterialsError:
        raise
    except Exception as error:  # onnxruntime's exceptions have no common base class
        return f"failed on {n} pictures of the shape {card.size}: {reason_of(error)}. Correct the size in its card, or export it again."
    return _shape_fault(card, n, probabilities, maps)


def _shape_fault(card: MapModelCard, n: int, probabilities: Any, maps: Any) -> str | None:
    if probabilities.shape != (n, len(card.labels)):
        return (
            f"gives probabilities of the shape {probabilities.shape} for {n} pictures and {len(card.labels)} labels. "
            "Give one row for each picture and one column for each label."
        )
    n_maps, each = (len(card.prototypes), "prototype") if card.prototypes else (len(card.labels), "label")
    if maps.ndim != 4 or maps.shape[:2] != (n, n_maps) or not maps.size:
        return (
            f"gives maps of the shape {maps.shape} for {n} pictures. Give (pictures, maps, rows, columns), with one map "
            f"for each {each} ({n_maps})."
        )
    if not np.isfinite(probabilities).all() or not np.isfinite(maps).all():
        return "gives numbers that are not finite for a black picture. Train it again."
    return None


def _source_photo(path: Path) -> SourcePhoto:
    # Written anew, because the metadata of a file may name the class of its photo.
    pixels = pixels_from_file(path)
    picture = picture_from_pixels(pixels)
    height, width = pixels.shape[:2]
    return SourcePhoto(ShownPicture(file=picture.address, width=width, height=height), picture.content)
