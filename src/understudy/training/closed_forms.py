"""Cards of the decoders known in closed form, and the table of them all."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from understudy.inference.cards import (
    N_CODES,
    PERCENTILES,
    ModelCard,
    card_from_details,
    percentiles_from_codes,
    rounded,
)
from understudy.inference.onnx_graphs import GraphBuilder, TensorSpec
from understudy.schema import DecoderCard, Dial, Json
from understudy.sources import sinelines
from understudy.sources.sinelines import TIMES
from understudy.sources.small_pictures import tenth_held_out
from understudy.statistics.arrays import Floats

# Decoders known in closed form, written as ONNX: the truth of the Sinelines, and the pictures that practice uses.

EDGE = 64
"""Rows and columns of the practice picture."""


def sinelines_truth() -> bytes:
    """Return slope * t + intercept + amplitude * sin(frequency * t + phase) as an ONNX model."""
    graph = GraphBuilder()
    parts = ["slope", "intercept", "amplitude", "frequency", "phase"]
    graph.add("Split", "code", into=parts, axis=1, num_outputs=5)
    graph.add("Mul", "slope", "times", into="rising")
    graph.add("Mul", "frequency", "times", into="turning")
    graph.add("Add", "turning", "phase", into="angle")
    graph.add("Sin", "angle", into="wave")
    graph.add("Mul", "wave", "amplitude", into="swing")
    graph.add("Add", "rising", "intercept", into="straight")
    graph.add("Add", "straight", "swing", into="line")
    graph.constant("times", TIMES[None])
    return graph.to_bytes(
        "decoder", model_input=TensorSpec("code", ["rows", 5]), model_output=TensorSpec("line", ["rows", 64])
    )


def practice_disc() -> bytes:
    """Return a disc whose radius and brightness follow two dials, on a background of the opposite brightness, as an ONNX model."""
    graph = GraphBuilder()
    rows, columns = np.mgrid[0:EDGE, 0:EDGE]
    distances = np.sqrt((rows - 31.0) ** 2 + (columns - 31.0) ** 2).reshape(1, -1)
    graph.add("Split", "code", into=("size", "shade"), axis=1, num_outputs=2)
    graph.add("Mul", "size", "reach", into="grown")
    graph.add("Add", "grown", "least", into="radius")
    graph.add("Less", "distances", "radius", into="inside")
    graph.add("Sub", "one", "shade", into="bright")
    graph.add("Where", "inside", "bright", "shade", into="picture")
    graph.constant("distances", distances)
    for name, value in (("reach", 24.0), ("least", 4.0), ("one", 1.0)):
        graph.constant(name, np.full((1, 1), value))
    return graph.to_bytes(
        "decoder",
        model_input=TensorSpec("code", ["rows", 2]),
        model_output=TensorSpec("picture", ["rows", EDGE * EDGE]),
    )


def practice_shape() -> bytes:
    """Return a white disc, square or triangle, by a choice of three, whose size follows a dial, as an ONNX model."""
    graph = GraphBuilder()
    graph.add("Split", "code", "parts", into=("shape", "size"), axis=1)
    graph.add("MatMul", "shape", "outlines", into="distances")
    graph.add("Mul", "size", "reach", into="grown")
    graph.add("Add", "grown", "least", into="radius")
    graph.add("Less", "distances", "radius", into="inside")
    graph.add("Cast", "inside", into="picture", to=graph.onnx.TensorProto.FLOAT)
    graph.constant("outlines", _outlines())
    for name, value in (("reach", 14.0), ("least", 6.0)):
        graph.constant(name, np.full((1, 1), value))
    graph.constant("parts", np.array([3, 1], dtype=np.int64))
    return graph.to_bytes(
        "decoder",
        model_input=TensorSpec("code", ["rows", 4]),
        model_output=TensorSpec("picture", ["rows", EDGE * EDGE]),
    )


def _outlines() -> Floats:
    """Return how large a disc, a square and a triangle must be to reach each pixel, all of much the same area."""
    rows, columns = np.mgrid[0:EDGE, 0:EDGE] - 31.0
    disc = np.sqrt(rows**2 + columns**2)
    square = np.maximum(np.abs(rows), np.abs(columns)) * 1.12
    triangle = np.maximum(rows * 1.3, np.abs(columns) * 1.126 - rows * 0.65)
    return np.stack([outline.reshape(-1) for outline in (disc, square, triangle)])


PROVENANCE: Json = {"recipe": "closed form"}
LICENCE = "MIT"


class ClosedForm(NamedTuple):
    """A decoder that needs no training: what makes its file, and what makes its card."""

    content: Callable[[], bytes]
    card: Callable[[], ModelCard]


def sinelines_card() -> ModelCard:
    """Return the card of the true Sinelines model, whose dials are the factors themselves."""
    factors = sinelines.all_factors()
    lows, highs = np.array(sinelines.LIMITS).T
    # Drawn from the prior and rounded to the steps of the dials, as in the original.
    held_out = tenth_held_out(len(factors)).held_out
    from_prior = np.clip(np.round(factors[held_out[:N_CODES]], 2), lows, highs)
    details = DecoderCard(
        name="sinelines-gt",
        view="line",
        shape=(64,),
        limits=(-10.0, 10.0),
        dials=tuple(
            Dial(name=name, kind="periodic" if name == "phase" else "continuous", low=low, high=high)
            for name, (low, high) in zip(sinelines.FACTORS, sinelines.LIMITS, strict=True)
        ),
        codes=tuple(map(tuple, rounded(from_prior))),
        percentiles=percentiles_from_codes(factors),
        provenance=PROVENANCE,
    )
    return card_from_details(details, licence=LICENCE)


def practice_disc_card() -> ModelCard:
    """Return the card of the practice disc."""
    details = DecoderCard(
        name="practice-disc",
        shape=(64, 64),
        dials=tuple(Dial(name=name, low=0.0, high=1.0) for name in ("size", "shade")),
        percentiles={str(level): (level / 100, level / 100) for level in PERCENTILES},
        provenance=PROVENANCE,
    )
    return card_from_details(details, licence=LICENCE)


def practice_shape_card() -> ModelCard:
    """Return the card of the practice shape, whose choice comes before its size."""
    choice = Dial(name="shape", kind="discrete", options=("disc", "square", "triangle"))
    details = DecoderCard(
        name="practice-shape",
        shape=(64, 64),
        dials=(choice, Dial(name="size", low=0.0, high=1.0)),
        provenance=PROVENANCE,
    )
    return card_from_details(details, licence=LICENCE)


CLOSED_FORMS = {
    "practice-disc": ClosedForm(practice_disc, practice_disc_card),
    "practice-shape": ClosedForm(practice_shape, practice_shape_card),
    "sinelines-gt": ClosedForm(sinelines_truth, sinelines_card),
}
