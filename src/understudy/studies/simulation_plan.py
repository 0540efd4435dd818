"""The plan of simulation studies: the change from before to after the explanations, in each arm."""

from collections.abc import Sequence

from understudy.schema import AnalysisPlan, Description, Family, Hypothesis, Outcome, Ref
from understudy.studies.hase2020_flow import CONTROL


def simulation_plan(methods: Sequence[str]) -> AnalysisPlan:
    """Declare one test of change for each method, corrected together, and the same for the control as a check."""
    family = Family(name="change", correction="holm") if len(methods) > 1 else None
    return AnalysisPlan(
        outcomes=(
            Outcome(name="accuracy", measure="correct", by=("phase",)),
            Outcome(name="accuracy_by_test", measure="correct", by=("test", "phase")),
            Outcome(name="ratings", measure="rating"),
            Outcome(name="pace", measure="seconds", by=("phase",)),
        ),
        descriptions=(
            Description(description_id="accuracy", outcome="accuracy", by=("method", "phase")),
            Description(description_id="accuracy_by_test", outcome="accuracy_by_test", by=("test", "method", "phase")),
            Description(description_id="ratings", outcome="ratings", by=("method",)),
            Description(description_id="pace", outcome="pace", by=("method", "phase")),
        ),
        hypotheses=(
            *(_change(method, family) for method in methods),
            _change(CONTROL, None).model_copy(update={"is_confirmatory": False}),
        ),
        families=(family,) if family else (),
    )


def _change(method: str, family: Family | None) -> Hypothesis:
    met = "meeting the cases again" if method == CONTROL else f"{method} explanations"
    return Hypothesis(
        hypothesis_id=f"change_{method}",
        claim=f"People predict the model better after {met} than before.",
        outcome="accuracy",
        factor="phase",
        contrast=("after", "before"),
        direction="greater",
        where=f"method == '{method}'",
        analysis=Ref(name="paired_t"),
        family=family.name if family else None,
    )
