"""The plan for the original stimuli: the change from before to after the explanations, in each arm."""

from collections.abc import Sequence

from understudy.schema import AnalysisPlan, Description, Family, Hypothesis, Outcome, Ref

_CHANGE = Family(name="change", correction="none")
"""The paper tests each arm at 0.05 and corrects for nothing."""


def original_plan(domains: Sequence[str], methods: Sequence[str]) -> AnalysisPlan:
    """Declare accuracy before and after, ratings and time, and one test of change in each arm."""
    arm = ("domain", "method")
    return AnalysisPlan(
        outcomes=(
            Outcome(name="accuracy", measure="correct", by=("phase",), complete_over="phase"),
            Outcome(name="accuracy_by_test", measure="correct", by=("test", "phase"), complete_over="phase"),
            Outcome(name="ratings", measure="rating"),
            Outcome(name="pace", measure="seconds", by=("phase",)),
        ),
        descriptions=(
            Description(description_id="accuracy", outcome="accuracy", by=(*arm, "phase")),
            Description(description_id="accuracy_by_test", outcome="accuracy_by_test", by=("test", "method", "phase")),
            Description(description_id="ratings", outcome="ratings", by=arm),
            Description(description_id="pace", outcome="pace", by=(*arm, "phase")),
        ),
        hypotheses=tuple(
            Hypothesis(
                hypothesis_id=f"change_{domain}_{method}",
                claim=f"People predict the {domain} model differently well after {method} explanations than before.",
                outcome="accuracy",
                factor="phase",
                contrast=("after", "before"),
                where=f"domain == '{domain}' and method == '{method}'",
                analysis=Ref(name="paired_t"),
                family=_CHANGE.name,
            )
            for domain in domains
            for method in methods
        ),
        families=(_CHANGE,),
        partial_sessions="kept",
    )
