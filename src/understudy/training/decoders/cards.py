"""Cards as plain values: what a study needs to know about a decoder besides its weights."""

from dataclasses import asdict
from typing import Any

import numpy as np

from understudy.sources import sinelines, sprites
from understudy.sources.arrays import Floats
from understudy.sources.instance_splits import tenth_held_out
from understudy.training.decoders.recipes import Recipe

PERCENTILES = (0, 1, 2, 5, 25, 33, 45, 48, 50, 52, 55, 67, 75, 95, 98, 99, 100)
N_CODES = 250
"""Held-out codes that travel with a decoder, from which starts and targets are drawn."""
DIGITS = 4
"""Decimals of ranges and codes: finer than any slider moves."""
SHAPES: dict[str, tuple[int, ...]] = {"sinelines": (64,), "dsprites": (64, 64), "mnist": (28, 28)}


def card_from_codes(recipe: Recipe, codes: Floats | None, provenance: dict[str, Any]) -> dict[str, Any]:
    """Return the card of a trained decoder: ranges, percentiles and the first codes of held-out instances.

    Without codes (InfoGAN) the dials span the prior, from which starts and targets are then drawn.
    """
    is_line = recipe.dataset == "sinelines"
    dials: list[dict[str, Any]] = []
    if recipe.n_categories:
        dials.append(
            {"name": "category", "kind": "discrete", "options": [str(one) for one in range(recipe.n_categories)]}
        )
    if codes is None:
        ranges = np.array([[-1.0, 1.0]] * recipe.n_dials)
    elif recipe.family == "gt":
        ranges = np.array([[values[0], values[-1]] for values in sprites.VALUES])
    else:
        ranges = ranges_from_codes(codes[:, recipe.n_categories :])
    names = sprites.FACTORS if recipe.family == "gt" else [f"z{one + 1}" for one in range(recipe.n_dials)]
    for name, (low, high) in zip(names, ranges, strict=True):
        dials.append({"name": name, "kind": "continuous", "low": float(low), "high": float(high)})
    return {
        "format": 1,
        "name": recipe.name,
        "view": "line" if is_line else "image",
        "shape": list(SHAPES[recipe.dataset]),
        "limits": [-10.0, 10.0] if is_line else [0.0, 1.0],
        "dials": dials,
        "codes": [] if codes is None else rounded(codes[:N_CODES]),
        "percentiles": percentiles_of_prior(recipe) if codes is None else percentiles_from_codes(codes),
        "provenance": {"recipe": asdict(recipe), **provenance},
    }


def sinelines_card() -> dict[str, Any]:
    """Return the card of the true Sinelines model, whose dials are the factors themselves."""
    factors = sinelines.all_factors()
    lows, highs = np.array(sinelines.LIMITS).T
    # Drawn from the prior and put on the dials' own steps, as in the original.
    held_out = tenth_held_out(len(factors)).held_out
    from_prior = np.clip(np.round(factors[held_out[:N_CODES]], 2), lows, highs)
    dials = [
        {"name": name, "kind": "periodic" if name == "phase" else "continuous", "low": low, "high": high}
        for name, (low, high) in zip(sinelines.FACTORS, sinelines.LIMITS, strict=True)
    ]
    return {
        "format": 1,
        "name": "sinelines-gt",
        "view": "line",
        "shape": [64],
        "limits": [-10.0, 10.0],
        "dials": dials,
        "codes": rounded(from_prior),
        "percentiles": percentiles_from_codes(factors),
        "provenance": {"recipe": "closed form"},
    }


def practice_card() -> dict[str, Any]:
    """Return the card of the practice disc."""
    return {
        "format": 1,
        "name": "practice-disc",
        "view": "image",
        "shape": [64, 64],
        "limits": [0.0, 1.0],
        "dials": [{"name": name, "kind": "continuous", "low": 0.0, "high": 1.0} for name in ("size", "shade")],
        "codes": [],
        "percentiles": {str(one): [one / 100, one / 100] for one in PERCENTILES},
        "provenance": {"recipe": "closed form"},
    }


def practice_shape_card() -> dict[str, Any]:
    """Return the card of the practice shape, whose choice comes before its size."""
    return {
        **practice_card(),
        "name": "practice-shape",
        "dials": [
            {"name": "shape", "kind": "discrete", "options": ["disc", "square", "triangle"]},
            {"name": "size", "kind": "continuous", "low": 0.0, "high": 1.0},
        ],
        "percentiles": {},
    }


def ranges_from_codes(codes: Floats) -> Floats:
    """Return lowest and highest value of each dimension, rounded outwards."""
    unit = 10**DIGITS
    lows = np.floor(codes.min(axis=0) * unit) / unit
    highs = np.ceil(codes.max(axis=0) * unit) / unit
    return np.column_stack([lows, highs])


def percentiles_from_codes(codes: Floats) -> dict[str, list[float]]:
    """Return the value of each input at each listed percentile."""
    return {str(one): rounded(np.percentile(codes, one, axis=0)[None])[0] for one in PERCENTILES}


def percentiles_of_prior(recipe: Recipe) -> dict[str, list[float]]:
    """Return percentiles of dials that are even between -1 and 1; categories have none, and stand at 0."""
    return {str(one): [0.0] * recipe.n_categories + [one / 50 - 1] * recipe.n_dials for one in PERCENTILES}


def rounded(rows: Floats) -> list[list[float]]:
    """Return rows as plain numbers of few decimals."""
    return [[float(value) for value in row] for row in np.round(rows, DIGITS) + 0.0]
