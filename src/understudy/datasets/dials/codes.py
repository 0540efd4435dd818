"""Codes: settings of the dials of a decoder, drawn at random and rounded to slider steps."""

from typing import Any

import numpy as np

from understudy.roles import Floats, Rng
from understudy.schema import DecoderCard, Dial


def drawn_codes(card: DecoderCard, n: int, rng: Rng) -> Floats:
    """Draw n codes: held-out ones with equal probability, or, without any, uniform over the dials."""
    if not card.codes:
        return uniform_codes(card, n, rng)
    return np.asarray(card.codes, dtype=np.float64)[rng.integers(len(card.codes), size=n)]


def uniform_codes(card: DecoderCard, n: int, rng: Rng) -> Floats:
    """Draw n codes uniformly over the ranges and options of the dials."""
    parts: list[Any] = []
    for dial in card.dials:
        if dial.kind == "discrete":
            parts.append(np.eye(dial.n_inputs)[rng.integers(dial.n_inputs, size=n)])
        else:
            parts.append(rng.uniform(dial.low, dial.high, size=(n, 1)))
    return codes_on_steps(card, np.concatenate(parts, axis=1))


def codes_on_steps(card: DecoderCard, codes: Floats) -> Floats:
    """Round values to slider steps, within the range of each dial."""
    rounded = codes.copy()
    offset = 0
    for dial in card.dials:
        if dial.kind != "discrete":
            step = slider_step(dial)
            whole = np.round((codes[:, offset] - dial.low) / step)
            rounded[:, offset] = np.clip(dial.low + whole * step, dial.low, dial.high)
        offset += dial.n_inputs
    return rounded


def slider_step(dial: Dial) -> float:
    """Return the smallest move of a dial: a five-hundredth of its width."""
    return dial.width / 500
