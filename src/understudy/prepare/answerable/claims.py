"""Tests that do not go together: several without a family, the same one twice, and claims that contradict."""

from collections.abc import Iterator
from itertools import combinations

from understudy.schema import Hypothesis, Study

_REVERSED = {"greater": "less", "less": "greater"}


def claim_faults(study: Study) -> Iterator[str]:
    """Yield what is wrong between the hypotheses of a plan."""
    yield from _uncorrected(study)
    for first, second in combinations(study.plan.hypotheses, 2):
        names = f"Hypotheses {first.hypothesis_id!r} and {second.hypothesis_id!r}"
        if _core(first) == _core(second):
            yield f"{names} are the same test under two names. Keep one of them."
        elif _core(first) == _core(second, is_reversed=True):
            yield f"{names} claim opposite directions of one effect, so one must fail. Keep the one you expect."


def _uncorrected(study: Study) -> Iterator[str]:
    """Yield the tests of one outcome and factor that are all decisive and share no correction."""
    alone: dict[tuple[str, str | None, str | None], list[str]] = {}
    for hypothesis in study.plan.hypotheses:
        if hypothesis.is_confirmatory and hypothesis.family is None and hypothesis.requires is None:
            # One effect that is tried in several ways, such as by each pair of levels, has several chances.
            key = (hypothesis.outcome, hypothesis.factor, hypothesis.crossed_with)
            alone.setdefault(key, []).append(hypothesis.hypothesis_id)
    for ids in alone.values():
        if len(ids) > 1:
            yield (
                f"Hypotheses {', '.join(ids)} test one outcome several times without a family, so chance alone supports "
                'one too often. Put them into a family; its correction may be "none", if you mean it.'
            )


def _core(hypothesis: Hypothesis, *, is_reversed: bool = False) -> str:
    """Return a hypothesis without its name and words, so that equal tests are equal."""
    update: dict[str, object] = {"hypothesis_id": "h", "claim": "", "family": None, "requires": None, "alpha": None}
    update["is_confirmatory"] = True
    if is_reversed:
        if hypothesis.direction not in _REVERSED and hypothesis.expects is None:
            return ""
        update["direction"] = _REVERSED.get(hypothesis.direction, hypothesis.direction)
        update["expects"] = _REVERSED.get(hypothesis.expects or "")
    return hypothesis.model_copy(update=update).model_dump_json()
