"""Cards of the decoders known in closed form, and the table of them all."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from understudy.inference.card import ModelCard, card_from_details
from understudy.inference.closed_forms import practice_disc, practice_shape, sinelines_truth
from understudy.inference.held_out_codes import N_CODES, PERCENTILES, percentiles_from_codes, rounded
from understudy.schema import DecoderCard, Dial, Json
from understudy.sources import sinelines
from understudy.sources.instance_splits import tenth_held_out

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
