"""What the studies measure, and which sessions the analysis leaves out."""

from collections.abc import Sequence

from understudy.schema import Exclusion, Json, MeasureUse, Ref, Summary
from understudy.schema.annotation import Code, CodingScheme

MAIN = "judge_attributes"
"""The block with the explanation and the questions."""
MAX_MINUTES = 77
MIN_SECONDS = 30
OVER = "attribute"
JUDGEMENT = "judgement"
"""The coding scheme by which annotators judge each person's justifications."""
LEFT_OUT = ("unsure", "exclude")
"""Codes of people who are left out; agreement is about these against include, as in the paper."""


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
        MeasureUse(
            name="misunderstanding",
            measure=Ref(name="coded", params={"scheme": JUDGEMENT, "codes": [*LEFT_OUT]}),
        ),
    )


def annotation(attributes: Sequence[str]) -> tuple[CodingScheme, ...]:
    """Return how two annotators judge each person by all justifications together, as in the paper."""
    return (
        CodingScheme(
            scheme_id=JUDGEMENT,
            title="Did the person understand the task?",
            instruction="Read what one person wrote about all attributes, then decide whether the person understood what the "
            "system and the pictures show. A wrong answer is not a misunderstanding.",
            questions=tuple(f"{name}_why" for name in attributes),
            blocks=(MAIN,),
            unit="person",
            codes=(
                Code(
                    code_id="include",
                    definition="The reasons are about what the pictures show of the system, right or wrong.",
                    examples=("The legs change from left to right, so I think the system uses them.",),
                ),
                Code(
                    code_id="unsure",
                    definition="You cannot tell whether the person understood.",
                    examples=("It looks like that to me.",),
                ),
                Code(
                    code_id="exclude",
                    definition="The reasoning is far from the tutorial, or one short text is pasted for all attributes.",
                    examples=("Stretchy animals need long legs to run.",),
                ),
            ),
            groups={"include": ("include",), "leave_out": LEFT_OUT},
        ),
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
            rule="misunderstanding == 1",
            reason="Two annotators, who knew neither condition nor answers, found a serious misunderstanding in the texts.",
        ),
    )


def _of_questions(name: str, measure: str, params: Json | None = None, *, summary: Summary | None = None) -> MeasureUse:
    return MeasureUse(name=name, measure=Ref(name=measure, params=params or {}), over=OVER, summary=summary)
