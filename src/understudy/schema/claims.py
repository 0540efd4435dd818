"""Tests that do not go together: several without a family, the same one twice, and claims that contradict."""

import json
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from understudy.schema.plan import AnalysisPlan, Hypothesis
from understudy.schema.ref import Ref

_REVERSED = {"greater": "less", "less": "greater"}


def claim_faults(plan: AnalysisPlan) -> Iterator[str]:
    """Yield what is wrong between the hypotheses of a plan."""
    yield from _uncorrected(plan)
    for first, second in combinations(plan.hypotheses, 2):
        names = f"Hypotheses {first.hypothesis_id!r} and {second.hypothesis_id!r}"
        if _core(first) == _core(second):
            yield f"{names} are the same test under two names. Keep one of them."
        elif _core(first) == _core(second, is_reversed=True):
            yield f"{names} claim opposite directions of one effect, so one must fail. Keep the one you expect."


def _uncorrected(plan: AnalysisPlan) -> Iterator[str]:
    """Yield the tests of one outcome and factor that are all decisive and share no correction."""
    for tests in _alone(plan, lambda test: [test.outcome, test.factor, test.crossed_with, test.other, test.against]):
        if _are_chances(tests):
            yield _uncorrected_words(tests, "test one outcome several times")


def shared_outcomes(plan: AnalysisPlan) -> Iterator[str]:
    """Yield the tests of one measure that compare it with different things and share no correction.

    Several pairs of one factor are a fault (`claim_faults`); here, the tests together are worth a word. A test against
    a constant is left out: that an outcome is above chance is not another chance of finding what it goes with.
    """
    outcomes = {outcome.name: outcome for outcome in plan.outcomes}

    def quantity(test: Hypothesis) -> list[str | None]:
        known = outcomes.get(test.outcome)
        return [test.outcome, None] if known is None else [known.measure, known.where]

    for tests in _alone(plan, quantity, only=lambda test: test.factor is not None or test.other is not None):
        if len({(test.factor, test.crossed_with, test.other) for test in tests}) > 1:
            measure = quantity(tests[0])[0]
            yield _uncorrected_words(tests, f"test {measure!r} against several things")


def _alone(
    plan: AnalysisPlan, question: Callable[[Hypothesis], list[Any]], *, only: Callable[[Hypothesis], bool] = bool
) -> Iterator[list[Hypothesis]]:
    """Yield the decisive tests of the same rows and question that no family, gate or smaller alpha corrects."""
    alone: dict[str, list[Hypothesis]] = {}
    for hypothesis in plan.hypotheses:
        is_decisive = hypothesis.is_confirmatory and hypothesis.family is None and hypothesis.requires is None
        if is_decisive and only(hypothesis):
            # The same rows: tests of other rows, such as of another kind of item, ask another question.
            alone.setdefault(json.dumps([*question(hypothesis), hypothesis.where]), []).append(hypothesis)
    for tests in alone.values():
        alphas = sum(plan.alpha if test.alpha is None else test.alpha for test in tests)
        # Alphas that add up to the plan's are a Bonferroni correction by hand.
        if len(tests) > 1 and alphas > plan.alpha * (1 + 1e-9):
            yield tests


def _uncorrected_words(tests: list[Hypothesis], what: str) -> str:
    ids = ", ".join(hypothesis.hypothesis_id for hypothesis in tests)
    return (
        f"Hypotheses {ids} {what} without a family, so chance alone supports one too often. Put them into a family; its "
        'correction may be "none", if you mean it.'
    )


def _are_chances(tests: list[Hypothesis]) -> bool:
    """Return whether tests are further chances of one effect: other pairs of levels, or the same pair in another way."""
    pairs = {hypothesis.contrast for hypothesis in tests}
    kinds = {hypothesis.analysis.name if isinstance(hypothesis.analysis, Ref) else "tree" for hypothesis in tests}
    # One analysis of one pair with other parameters estimates something else, such as a change against a control's.
    return len(pairs) > 1 or len(kinds) > 1


def _core(hypothesis: Hypothesis, *, is_reversed: bool = False) -> str:
    """Return a hypothesis without its name and words, so that equal tests are equal."""
    update: dict[str, object] = {"hypothesis_id": "h", "claim": ""}
    if is_reversed:
        if hypothesis.direction not in _REVERSED and hypothesis.expects is None:
            return ""
        update["direction"] = _REVERSED.get(hypothesis.direction, hypothesis.direction)
        update["expects"] = _REVERSED.get(hypothesis.expects or "")
    return hypothesis.model_copy(update=update).model_dump_json()
