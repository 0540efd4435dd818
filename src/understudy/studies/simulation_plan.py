"""The plan of simulation studies: the change from before to after the explanations, in each arm."""

from collections.abc import Sequence

from understudy.schema import AnalysisPlan, Description, Family, Hypothesis, Outcome, Ref
from understudy.studies.hase2020_flow import CONTROL


def simulation_plan(methods: Sequence[str]) -> AnalysisPlan:
    """Declare a test of change for each method and one against the control, each corrected over the methods.

    The change of the control itself is a check.
    """
    families = tuple(Family(name=name, correction="holm") for name in ("change", "over_control") if len(methods) > 1)
    return AnalysisPlan(
        outcomes=(
            Outcome(name="answers", measure="correct", summary=None),
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
            *(_change(method, is_corrected=bool(families)) for method in methods),
            *(_over_control(method, is_corrected=bool(families)) for method in methods),
            _change(CONTROL, is_corrected=False).model_copy(update={"is_confirmatory": False}),
        ),
        families=families,
    )


def _change(method: str, *, is_corrected: bool) -> Hypothesis:
    met = "meeting the cases again" if method == CONTROL else f"{method} explanations"
    return Hypothesis(
        hypothesis_id=f"change_{method}",
        claim=f"People predict the model better after {met} than before.",
        outcome="answers",
        factor="phase",
        contrast=("after", "before"),
        direction="greater",
        analysis=Ref(name="change", params={"between": "method", "level": method}),
        family="change" if is_corrected else None,
    )


def _over_control(method: str, *, is_corrected: bool) -> Hypothesis:
    return Hypothesis(
        hypothesis_id=f"over_control_{method}",
        claim=f"Predictions improve more with {method} explanations than by meeting the cases again.",
        outcome="answers",
        factor="phase",
        contrast=("after", "before"),
        direction="greater",
        analysis=Ref(name="change", params={"between": "method", "level": method, "reference": CONTROL}),
        family="over_control" if is_corrected else None,
    )
