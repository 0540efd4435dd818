"""The study that rehearsal and power are measured on: two groups, keyed items, Welch's t on participants' means."""

from pathlib import Path

from understudy.conduct import Script
from understudy.prepare import prepare
from understudy.schema import (
    AnalysisPlan,
    AssignmentRule,
    Choice,
    Factor,
    Hypothesis,
    ItemSet,
    MeasureUse,
    Outcome,
    Ref,
    Screen,
    Stage,
    Stop,
    Study,
)

_GUESS = Choice(question_id="guess", prompt="What will the model say?", options=("yes", "no"))


def two_groups(*, n_items: int, quota: int) -> Study:
    """Build the study."""
    items = [{"content": {"name": f"case {k}"}, "attributes": {"answer": ("yes", "no")[k % 2]}} for k in range(n_items)]
    agreement = Ref(name="consent", params={"text": "This study takes five minutes."})
    judging = Ref(name="judge", params={"questions": [_GUESS.model_dump(mode="json")], "keys": {"guess": "answer"}})
    return Study(
        name="two-groups",
        title="Do explanations help people predict the model?",
        seed=1,
        factors=(Factor(name="explanation", scope="between", levels=("shown", "hidden")),),
        assignment=AssignmentRule(quota=quota),
        item_sets=(
            ItemSet(
                name="cases", n_items=n_items, strata=("answer",), dataset=Ref(name="listed", params={"items": items})
            ),
        ),
        flow=(
            Screen(
                block_id="consent",
                purpose="consent",
                task=agreement,
                stops=(Stop(rule="consent != 'I agree'", outcome="declined", reason="Did not agree to take part."),),
            ),
            Stage(block_id="predict", items="cases", task=judging),
        ),
        measures=(MeasureUse(name="correct", measure=Ref(name="correct")),),
        plan=_plan(),
    )


def _plan() -> AnalysisPlan:
    return AnalysisPlan(
        outcomes=(Outcome(name="accuracy", measure="correct"),),
        hypotheses=(
            Hypothesis(
                hypothesis_id="H1",
                claim="People who see explanations predict better.",
                outcome="accuracy",
                factor="explanation",
                contrast=("shown", "hidden"),
                direction="greater",
                analysis=Ref(name="welch_t"),
            ),
        ),
    )


def script_of(study: Study, root: Path) -> Script:
    """Prepare a study and compile it for conducting."""
    prepared = prepare(study, root)
    return Script(study, prepared.materials, prepared.key)
