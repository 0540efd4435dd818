"""The direction of a simulated effect for each hypothesis: the one that it claims."""

from collections.abc import Iterator
from typing import NamedTuple

from understudy.estimate.choices import analyses_in
from understudy.estimate.verdicts import claimed_side
from understudy.registry import entry
from understudy.schema import Effect, Hypothesis, Study


class Directions(NamedTuple):
    """What an effect lowers instead of raising it."""

    questions: tuple[str, ...] = ()
    """Questions whose answers are lowered in every simulation."""
    reversed_hypotheses: frozenset[str] = frozenset()
    """Hypotheses that need simulations of their own, because others claim the reverse about the same answers."""

    def effects(self, on: Effect, shift: float, *, is_reversed: bool) -> tuple[Effect, ...]:
        """Return the effects of one simulation; effects on one question add up."""
        if is_reversed:
            return (on.model_copy(update={"shift": -shift}),)
        main = on.model_copy(update={"shift": shift})
        if not self.questions:
            return (main,)
        return (main, on.model_copy(update={"shift": -2 * shift, "questions": self.questions}))


def claimed_directions(study: Study, on: Effect) -> Directions:
    """Return what an effect at these levels must lower so that every hypothesis is tried in its own direction."""
    plan = study.plan.promised()
    lowered = [hypothesis for hypothesis in plan.hypotheses if _is_lowered(hypothesis, study, on)]
    raised = [hypothesis for hypothesis in plan.hypotheses if hypothesis not in lowered]
    taken = {question for hypothesis in raised for question in _questions(hypothesis, study)}
    own = [
        hypothesis
        for hypothesis in lowered
        if _reads_answers(hypothesis, study) and not taken & set(_questions(hypothesis, study))
    ]
    questions = dict.fromkeys(question for hypothesis in own for question in _questions(hypothesis, study))
    others = frozenset(hypothesis.hypothesis_id for hypothesis in lowered if hypothesis not in own)
    return Directions(tuple(questions), others)


def _is_lowered(hypothesis: Hypothesis, study: Study, on: Effect) -> bool:
    """Return whether the claim says that the outcome falls where the effect acts."""
    side = claimed_side(hypothesis)
    if side is None:
        return False
    falls = side == "less"
    if hypothesis.factor is not None:
        turns = [_is_turned(hypothesis.factor, hypothesis.contrast, study, on)]
        if hypothesis.crossed_with is not None and _tests_interaction(hypothesis):
            # A difference of differences turns around once more at the second level of the other factor.
            turns.append(_is_turned(hypothesis.crossed_with, None, study, on))
        if None in turns:
            return False
        falls = falls != (sum(map(bool, turns)) % 2 == 1)
    # More ability lowers measures such as times and errors by itself.
    return falls != (_better(hypothesis, study) == "lower")


def _is_turned(name: str, contrast: tuple[str, str] | None, study: Study, on: Effect) -> bool | None:
    """Return whether an effect lowers a factor's contrast, its first level minus its second; None if that is open."""
    wanted = on.when.get(name)
    levels = next((factor.levels for factor in study.factors if factor.name == name), ())
    pair = contrast or (levels if len(levels) == 2 else None)
    if wanted is None or pair is None:
        return None
    acts_on = (wanted,) if isinstance(wanted, str) else wanted
    return pair[1] in acts_on and pair[0] not in acts_on


def _tests_interaction(hypothesis: Hypothesis) -> bool:
    return any(ref.params.get("tests") == "interaction" for ref in analyses_in(hypothesis.analysis))


def _better(hypothesis: Hypothesis, study: Study) -> str:
    return str(getattr(entry("measures", _measure_name(hypothesis, study)), "better", "neither"))


def _measure_name(hypothesis: Hypothesis, study: Study) -> str:
    return next((name for name, _ in _uses(hypothesis, study)), "answer")


def _questions(hypothesis: Hypothesis, study: Study) -> tuple[str, ...]:
    return tuple(str(params["question"]) for _, params in _uses(hypothesis, study) if params.get("question"))


def _reads_answers(hypothesis: Hypothesis, study: Study) -> bool:
    return bool(_questions(hypothesis, study))


def _uses(hypothesis: Hypothesis, study: Study) -> Iterator[tuple[str, dict[str, object]]]:
    measured = {outcome.measure for outcome in study.plan.outcomes if outcome.name == hypothesis.outcome}
    for use in study.measures:
        if use.name in measured:
            yield use.measure.name, dict(use.measure.params)
