"""Measures and outcomes that the studies after Ross et al. (2021) share."""

from understudy.schema import MeasureUse, Outcome, Ref

SOLVING = {
    "completion": "The share of solved questions",
    "error_auc": "The error over time",
    "difficulty": "The felt difficulty",
    "response_time": "The time for a question",
    "slide_distance": "The way of the dials",
}
"""Outcome of the interactive task -> its name in claims."""
DESCRIBED = (*SOLVING, "solved_response_time")
"""What the tables of the interactive task hold. The paper does not say whether its times count skipped questions, so that
both are given."""
JUDGING = {
    "correctness": "The share of right answers",
    "difficulty": "The felt difficulty",
    "response_time": "The time for a question",
    "confidence": "Confidence",
    "understanding": "The sense that the dial makes",
}
"""Outcome of the single-dial task -> its name in claims."""


def answered(name: str, question: str, *blocks: str, row: str | None = None) -> MeasureUse:
    """Return the use of a rating as a number, since the paper compares means of ratings."""
    params = {"question": question, "kind": "bounded", **({} if row is None else {"row": row})}
    return MeasureUse(name=name, measure=Ref(name="answer", params=params), blocks=blocks)


def solving_measures() -> tuple[MeasureUse, ...]:
    """Return the measures of the interactive task, and difficulty."""
    return (
        MeasureUse(name="solved", measure=Ref(name="solved")),
        MeasureUse(name="n_solved", measure=Ref(name="solved"), summary="sum"),
        MeasureUse(name="error", measure=Ref(name="error_auc")),
        MeasureUse(name="distance", measure=Ref(name="slide_distance")),
        MeasureUse(name="seconds", measure=Ref(name="response_time")),
        MeasureUse(name="solved_seconds", measure=Ref(name="solved_response_time")),
    )


def naming_measures() -> tuple[MeasureUse, ...]:
    """Return the measures of the names that people give to dials."""
    return (
        MeasureUse(name="names", measure=Ref(name="dial_labels")),
        MeasureUse(name="named", measure=Ref(name="label_coverage")),
    )


def naming_outcome(by: tuple[str, ...] = ()) -> Outcome:
    """Return the largest share of dials that carried a name at the end of a question."""
    return Outcome(name="named_dials", measure="named", summary="max", by=by)


def solving_outcomes(by: tuple[str, ...] = ()) -> tuple[Outcome, ...]:
    """Return one number for each person (and model, where people meet several).

    Error is summed over a stage; learning is how many more of the last questions were solved than of the first.
    """
    return (
        Outcome(name="completion", measure="solved", by=by),
        Outcome(name="error_auc", measure="error", summary="sum", by=by),
        Outcome(name="response_time", measure="seconds", by=by),
        Outcome(name="solved_response_time", measure="solved_seconds", by=by),
        Outcome(name="slide_distance", measure="distance", by=by),
        Outcome(name="learning", measure="solved", summary="gain", by=by),
    )


def judging_outcomes(by: tuple[str, ...]) -> tuple[Outcome, ...]:
    """Return the outcomes of the single-dial task that the interactive one does not have."""
    return (
        Outcome(name="correctness", measure="right", by=by),
        Outcome(name="confidence", measure="confidence", by=by),
        Outcome(name="understanding", measure="sense", by=by),
    )
