"""Tests that are decided before anybody answers: values beyond the scale, bounds that hold everything, ranks of too few."""

import json
from collections.abc import Iterator
from math import comb

from understudy.registry import entry
from understudy.schema import Hypothesis, Ref, Study

_BY_RANKS = frozenset({"rank_sum", "fisher"})
_BY_SIGNS = frozenset({"signed_rank", "mcnemar"})
_WITHOUT_TEST = frozenset({"mean", "proportion", "cronbach_alpha", "omega", "krippendorff_alpha"})
_LARGEST_ALPHA = 0.5


def decided_faults(study: Study) -> Iterator[str]:
    """Yield the hypotheses whose verdict does not depend on the data."""
    if study.plan.alpha >= _LARGEST_ALPHA:
        yield (
            f"The plan's alpha is {study.plan.alpha:g}, so chance alone supports a claim more often than not. "
            "Use 0.05 or less."
        )
    for hypothesis in study.plan.hypotheses:
        about = f"Hypothesis {hypothesis.hypothesis_id!r}"
        if _is_share(study, hypothesis.outcome):
            yield from _beyond_shares(about, hypothesis)
        yield from _out_of_reach(about, hypothesis, study)
        yield from _locked(about, hypothesis, study)
        if hypothesis.other is not None and _data(study, hypothesis.other) == _data(study, hypothesis.outcome):
            yield (
                f"{about} relates {hypothesis.outcome!r} to {hypothesis.other!r}, but both summarise the same answers, so "
                "they go together whatever people do. Name another outcome in `other`."
            )


def _locked(about: str, hypothesis: Hypothesis, study: Study) -> Iterator[str]:
    """Yield a hypothesis that waits for one without a test."""
    first = next((known for known in study.plan.hypotheses if known.hypothesis_id == hypothesis.requires), None)
    if first is not None and isinstance(first.analysis, Ref) and first.analysis.name in _WITHOUT_TEST:
        yield (
            f"{about} is never tested: it requires {first.hypothesis_id!r}, whose analysis {first.analysis.name!r} has no "
            "test and so is never supported. Require a hypothesis with a test."
        )


def _is_share(study: Study, name: str) -> bool:
    """Return whether an outcome is a share of right answers, or single ones: nothing lies outside 0 to 1."""
    outcome = next((outcome for outcome in study.plan.outcomes if outcome.name == name), None)
    use = next((use for use in study.measures if outcome is not None and use.name == outcome.measure), None)
    if outcome is None or use is None:
        return False
    is_binary = getattr(entry("measures", use.measure.name), "scale", None) == "binary"
    return is_binary and outcome.summary in ("mean", None) and use.summary in ("mean", None)


def _data(study: Study, name: str) -> str:
    """Return which answers an outcome summarises, whatever it makes of them."""
    outcome = next((outcome for outcome in study.plan.outcomes if outcome.name == name), None)
    use = next((use for use in study.measures if outcome is not None and use.name == outcome.measure), None)
    if outcome is None or use is None:
        return name
    return json.dumps([use.measure.model_dump(mode="json"), use.blocks, use.over, outcome.where])


def _beyond_shares(about: str, hypothesis: Hypothesis) -> Iterator[str]:
    value, params = hypothesis.against, hypothesis.analysis.params if isinstance(hypothesis.analysis, Ref) else {}
    if value is not None and not 0 <= value <= 1:
        yield f"{about} compares a share with {value:g}, but shares are between 0 and 1. Correct `against`."
    elif (value == 1 and hypothesis.direction == "greater") or (value == 0 and hypothesis.direction == "less"):
        yield f"{about} can never be supported: no share is {hypothesis.direction} than {value:g}. Correct `against`."
    low, high = params.get("low"), params.get("high")
    is_raw = hypothesis.direction == "equivalent" and params.get("units", "raw") == "raw"
    if is_raw and isinstance(low, int | float) and isinstance(high, int | float) and low <= -1 and high >= 1:
        yield (
            f"{about} cannot fail: shares differ by at most 1, and its bounds are {low:g} and {high:g}. Name the "
            "smallest difference that matters."
        )


def _out_of_reach(about: str, hypothesis: Hypothesis, study: Study) -> Iterator[str]:
    """Yield a test of ranks or signs whose smallest p-value, with the planned people, is not below alpha."""
    if not isinstance(hypothesis.analysis, Ref) or hypothesis.direction == "equivalent":
        return
    name, quotas = hypothesis.analysis.name, _people(hypothesis, study)
    if name in _BY_RANKS and len(quotas) == 2:
        n_orders = comb(sum(quotas), quotas[0])
    elif name in _BY_SIGNS:
        n_orders = 2 ** min(sum(study.quota_of(cell) for cell in study.cells), 60)
    else:
        return
    # Both tails of a two-sided test are as small as the one that was seen; Fisher's may have one only.
    tails = 2 if hypothesis.direction == "different" and name != "fisher" else 1
    alpha = study.plan.alpha if hypothesis.alpha is None else hypothesis.alpha
    smallest = tails / n_orders
    if n_orders > 1 and smallest >= alpha:
        yield (
            f"{about} can never be supported: with so few people, the smallest p-value of {name!r} is {smallest:.2g}, "
            f"which is not below alpha = {alpha:g}. Raise the quotas."
        )


def _people(hypothesis: Hypothesis, study: Study) -> tuple[int, ...]:
    """Return how many people are wanted at each compared level of a factor between people."""
    factor = next((factor for factor in study.factors if factor.name == hypothesis.factor), None)
    if factor is None or factor.scope != "between":
        return ()
    levels = hypothesis.contrast or factor.levels
    return tuple(
        sum(study.quota_of(cell) for cell in study.cells if cell.levels.get(factor.name) == level) for level in levels
    )
