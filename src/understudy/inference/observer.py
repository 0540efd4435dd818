"""An opened observer: a model that reads the attributes of a world off pictures, as an ONNX file with its card."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.inference.card import ObserverCard, card_from_text, details_from_card
from understudy.inference.onnx_session import OpenedModel, session_from_bytes
from understudy.roles import Floats, Pixels
from understudy.sources.picture_pools import model_inputs

_N_AT_ONCE = 128
INPUT, OUTPUT = "pictures", "attributes"


class Observer(OpenedModel[ObserverCard]):
    """An observer that passed its checks."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of what it reads."""
        return self.card.attributes

    @property
    def spreads(self) -> tuple[float, ...]:
        """Standard deviation of each attribute in the pictures that it learned from."""
        return self.card.spreads

    @property
    def unexplained(self) -> tuple[float, ...]:
        """Share of the variance of each attribute that it misses; empty if that was not measured."""
        errors = self.card.squared_errors
        return tuple(error / spread**2 for error, spread in zip(errors, self.spreads, strict=True)) if errors else ()

    def read(self, pictures: Pixels) -> Floats:
        """Return one row of attributes, each in its own units, for each picture (height, width, channels)."""
        channels, height, width = self.card.size
        if pictures.ndim != 4 or pictures.shape[1:] != (height, width, channels) or pictures.dtype != np.uint8:
            raise MaterialsError(
                f"The observer {self.card.name!r} looks at pictures of {width} x {height} pixels with {channels} channels of 8 "
                f"bits, but was given {pictures.dtype} of the shape {pictures.shape}. Draw the pictures in that size."
            )
        seen = [
            self.session.run([OUTPUT], {INPUT: model_inputs(pictures[start : start + _N_AT_ONCE]).astype(np.float32)})[
                0
            ]
            for start in range(0, len(pictures), _N_AT_ONCE)
        ]
        return np.concatenate(seen).astype(np.float64) if seen else np.zeros((0, len(self.attributes)))


def observer_from_file(path: Path) -> Observer:
    """Open an ONNX file with the card of the same name in `.json` next to it."""
    card_path = path.with_suffix(".json")
    for needed in (path, card_path):
        if not needed.is_file():
            raise MaterialsError(f"{needed} is not a file. Put observer and card there, or correct the path.")
    card = card_from_text(card_path.read_text(encoding="utf-8"), str(card_path))
    return observer_from_bytes(path.read_bytes(), details_from_card(card, ObserverCard, str(card_path)))


def observer_from_bytes(content: bytes, card: ObserverCard) -> Observer:
    """Open an observer and refuse one that does not fit its card."""
    session = session_from_bytes(content, what=f"Observer {card.name!r}")
    takes = [(tensor.name, tuple(tensor.shape[1:])) for tensor in session.get_inputs()]
    shows = {tensor.name: tuple(tensor.shape[1:]) for tensor in session.get_outputs()}
    if takes != [(INPUT, card.size)] or shows.get(OUTPUT) != (len(card.attributes),):
        raise MaterialsError(
            f"Observer {card.name!r} takes {takes} and shows {shows}; its card promises pictures of the shape {card.size} and "
            f"{len(card.attributes)} attributes. Write file and card again, together."
        )
    return Observer(card, content, session)
