"""Pages that several studies share, in our own words."""

from collections.abc import Sequence

from pydantic import JsonValue

from understudy.schema import FreeText, Json, Matrix, Question, Ref, Screen, Stop, json_from_record

AGREEMENT = ("I do not agree at all", "I agree fully")
NEXT_BOX = (
    "Here comes a new box. What its dials do has nothing to do with any box before, and it may be easier or harder. "
    "Take a moment to find your way, and work as well as you can."
)
JUDGING = (
    "A box makes pictures, and each of its dials changes something in them. You will see what one dial does, and then "
    "a single picture. Say where the dial stands in it.",
    "You can ask for more examples as often as you like. After every question you see the correct answer, "
    "except during practice.",
)


def screen(
    block_id: str, purpose: str, task: str, params: Json, when: dict[str, str | tuple[str, ...]] | None = None
) -> Screen:
    """Return a screen with a task."""
    return Screen.model_validate(
        {
            "block_id": block_id,
            "purpose": purpose,
            "task": {"name": task, "params": params},
            "when": when or {},
        }
    )


def opening(*, minutes: str, reward: str) -> tuple[Screen, ...]:
    """Return the consent page and the check of the window size."""
    text = (
        "You will work with boxes that make pictures, and find out what their dials do. It takes about "
        f"{minutes}. You receive {reward}.\n\n"
        "- You must be 18 or older.\n"
        "- Taking part is voluntary. You can stop at any time, without giving a reason.\n"
        "- We know of no risk beyond those of everyday life.\n"
        "- No name is recorded, and results are published for groups only.\n"
        "- Each person can take part once."
    )
    consent = Screen(
        block_id="consent",
        purpose="consent",
        task=Ref(name="consent", params={"text": text}),
        stops=(Stop(rule="consent != 'I agree'", outcome="declined", reason="Did not agree to take part."),),
    )
    return consent, screen("window", "check", "device_check", {})


def statements(block_id: str, question_id: str, rows: Sequence[str], *, more: Sequence[Question] = ()) -> Screen:
    """Return a page of statements to agree with from 1 to 5, and further questions below."""
    matrix = Matrix(
        question_id=question_id, prompt="How far do you agree?", rows=tuple(rows), points=5,
        low_label=AGREEMENT[0], high_label=AGREEMENT[1],
    )  # fmt: skip
    questions: list[JsonValue] = [json_from_record(question) for question in (matrix, *more)]
    return screen(block_id, "questionnaire", "questionnaire", {"questions": questions})


def closing(about: str) -> tuple[Screen, ...]:
    """Return comments, demographics and what the study was about."""
    comments = FreeText(
        question_id="comments", prompt="Is there anything you would like to tell us?", is_required=False
    )
    return (
        screen("comments", "questionnaire", "questionnaire", {"questions": [json_from_record(comments)]}),
        screen("about_you", "questionnaire", "demographics", {}),
        screen("debrief", "debrief", "debrief", {"text": about}),
    )
