"""What the studies measure, and which sessions the analysis leaves out."""

from collections.abc import Sequence

from understudy.schema import Exclusion, Json, MeasureUse, Ref, Summary

MAIN = "judge_attributes"
"""The block with the explanation and the questions."""
MAX_MINUTES = 77
MIN_SECONDS = 30
OVER = "attribute"


def measures(conditions: Sequence[str]) -> tuple[MeasureUse, ...]:
    """Return the measures; `conditions` are those that have a third test of their own."""
    tests = ("test_1", "test_2", *([f"test_3_{name}" for name in conditions] or ["test_3"]))
    return (
        _of_questions("right", "correct"),
        _of_questions("accuracy", "correct", summary="mean"),
        _of_questions("n_right", "correct", summary="sum"),
        _of_questions("says_relevant", "chosen", {"option": "Relevant"}),
        _of_questions("why_length", "text_length", {"question": "{level}_why"}),
        _of_questions("why_pasted", "pasted_text", {"question": "{level}_why"}),
        _of_questions("why_repeated", "repeated_text", {"question": "{level}_why"}),
        _of_questions("shortest_text", "text_length", {"question": "{level}_why"}, summary="min"),
        _of_questions("n_pasted", "pasted_text", {"question": "{level}_why"}, summary="sum"),
        _of_questions("n_repeated", "repeated_text", {"question": "{level}_why"}, summary="sum"),
        MeasureUse(name="answer_seconds", measure=Ref(name="response_time"), summary="sum"),
        MeasureUse(name="minutes_taken", measure=Ref(name="session_minutes")),
        *(MeasureUse(name=f"tries_{test}", measure=Ref(name="tries", params={"block": test})) for test in tests),
        MeasureUse(
            name="expertise", measure=Ref(name="worded", params={"question": "expertise"}), blocks=("expertise",)
        ),
        MeasureUse(name="first_label", measure=Ref(name="annotator_label", params={"annotator": 1})),
        MeasureUse(name="second_label", measure=Ref(name="annotator_label", params={"annotator": 2})),
        MeasureUse(name="first_annotator", measure=Ref(name="annotated", params={"annotator": 1})),
        MeasureUse(name="second_annotator", measure=Ref(name="annotated", params={"annotator": 2})),
    )


def exclusions() -> tuple[Exclusion, ...]:
    """Return the registered rules. Tests, films and consent end a session already; pay stays the same."""
    return (
        Exclusion(
            exclusion_id="too_slow",
            rule=f"minutes_taken > {MAX_MINUTES}",
            reason=f"Took more than {MAX_MINUTES} minutes.",
        ),
        Exclusion(
            exclusion_id="too_fast",
            rule=f"answer_seconds < {MIN_SECONDS}",
            reason=f"Answered all relevance questions in less than {MIN_SECONDS} seconds.",
        ),
        Exclusion(
            exclusion_id="misunderstood",
            applies="annotators",
            reason="Two annotators, who knew neither condition nor answers, found a serious misunderstanding in the texts.",
        ),
    )


def _of_questions(name: str, measure: str, params: Json | None = None, *, summary: Summary | None = None) -> MeasureUse:
    return MeasureUse(name=name, measure=Ref(name=measure, params=params or {}), over=OVER, summary=summary)
