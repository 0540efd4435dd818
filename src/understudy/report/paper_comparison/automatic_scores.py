"""Automatic scores of a generative model, which need no participants."""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from understudy.schema import DecoderCard, Json

BY_CONSTRUCTION = 1.0
"""MIG and DCI of a true model, whose dials are the factors themselves."""


class SharedInformation(NamedTuple):
    """The mutual information of each dial with each true factor."""

    factors: tuple[str, ...]
    bits: tuple[tuple[float, ...], ...]
    """Row: dial; column: factor."""
    gaps: tuple[float, ...] = ()
    """For each factor, the gap between its best and second-best dial, as a share of the factor's entropy."""

    @property
    def strongest(self) -> tuple[str, ...]:
        """The factor that each dial shares most with."""
        return tuple(self.factors[row.index(max(row))] for row in self.bits)


class ModelScores(NamedTuple):
    """The automatic scores of one model; None where unknown."""

    label: str
    data: str
    error: float | None = None
    """Squared reconstruction error on held-out instances, summed over values; from sampled codes if available."""
    dci_paper: float | None = None
    """DCI disentanglement in the paper's roles: regressors predict the code from the factors."""
    dci: float | None = None
    """DCI disentanglement in the usual roles: regressors predict the factors from the code."""
    mig: float | None = None
    shared: SharedInformation | None = None
    dci_by_dial: tuple[float, ...] = ()
    """How far each dial follows one factor only, in the usual roles."""
    error_without: tuple[float, ...] = ()
    """For each dial, the squared change of the output when it is set to its middle."""
    dials: tuple[str, ...] = ()


def scores_from_card(card: DecoderCard, label: str, data: str) -> ModelScores:
    """Return the scores on a decoder's card."""
    provenance = card.provenance
    is_truth = is_true_model(card)
    return ModelScores(
        label,
        data,
        error=_error(provenance, is_truth=is_truth),
        dci_paper=BY_CONSTRUCTION if is_truth else _inner(provenance, "dci_legacy", "disentanglement"),
        dci=BY_CONSTRUCTION if is_truth else _inner(provenance, "dci", "disentanglement"),
        mig=BY_CONSTRUCTION if is_truth else _number(provenance.get("mig")),
        shared=_shared(provenance),
        dci_by_dial=_numbers(_mapping(provenance, "dci").get("by_dial")),
        dials=tuple(dial.name or f"dial {k}" for k, dial in enumerate(card.dials, start=1)),
    )


def is_true_model(card: DecoderCard) -> bool:
    """Tell whether the dials of a decoder are the true factors of its data."""
    recipe = card.provenance.get("recipe")
    return recipe == "closed form" or (isinstance(recipe, dict) and recipe.get("family") == "gt")


def _error(provenance: Json, *, is_truth: bool) -> float | None:
    for name in ("held_out_squared_error_by_draw", "held_out_squared_error"):
        error = _number(provenance.get(name))
        if error is not None:
            return error
    return 0.0 if is_truth and provenance.get("recipe") == "closed form" else None


def _shared(provenance: Json) -> SharedInformation | None:
    names, rows = provenance.get("factor_names"), provenance.get("mutual_information_bits")
    if not isinstance(names, list) or not isinstance(rows, list):
        return None
    return SharedInformation(
        tuple(map(str, names)), tuple(_numbers(row) for row in rows), _numbers(provenance.get("factor_gaps"))
    )


def _inner(provenance: Json, name: str, part: str) -> float | None:
    return _number(_mapping(provenance, name).get(part))


def _mapping(provenance: Json, name: str) -> dict[str, JsonValue]:
    value = provenance.get(name)
    return value if isinstance(value, dict) else {}


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _numbers(values: JsonValue) -> tuple[float, ...]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        return ()
    return tuple(number for value in values if (number := _number(value)) is not None)
