"""Pages that several studies share, in our own words."""

from collections.abc import Sequence

from pydantic import JsonValue

from understudy.schema import FreeText, Json, Matrix, Part, Question, Ref, Screen, Stop, json_from_record

AGREEMENT = ("I do not agree at all", "I agree fully")
NEXT_MODEL = (
    "This is a new model. What its dials do has nothing to do with any model before, and it may be easier or harder. "
    "Take a moment to find your way, and work as well as you can."
)
JUDGING = (
    "A model makes pictures, and each of its dials changes something in them. You will see what one dial does, and then "
    "a single picture. Say how far the dial is turned in it.",
    "You can ask for more examples as often as you like. After every question you see the correct answer, in the "
    "practice too.",
)
STORAGE = "No name is recorded, and results are published for groups only."
WITHDRAWAL = (
    "Taking part is voluntary. You can stop at any time, without giving a reason. Answers that you gave until then are "
    "kept and used, unless you ask for them to be erased."
)
LAST_QUESTIONS = Part(title="A few last questions", has_break=False)


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


def consent_page(text: str, *, pay: str = "") -> Screen:
    """Return the consent page; minutes and pay are those that the study says, unless `pay` words them otherwise."""
    params: Json = {"text": text, "storage": STORAGE, "withdrawal": WITHDRAWAL, **({"pay": pay} if pay else {})}
    return Screen(
        block_id="consent",
        purpose="consent",
        task=Ref(name="consent", params=params),
        stops=(Stop(rule="consent != 'I agree'", outcome="declined", reason="Did not agree to take part."),),
    )


def opening(text: str) -> tuple[Screen, ...]:
    """Return the consent page and the check of the window size."""
    return consent_page(text), screen("window", "check", "device_check", {})


def dials_opening() -> tuple[Screen, ...]:
    """Return the first pages of studies with dials."""
    return opening(
        "You will work with computer models that make pictures, and find out what their dials do.\n\n"
        "- You must be 18 or older.\n"
        "- We know of no risk beyond those of everyday life.\n"
        "- Each person can take part once."
    )


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
    asked = screen("comments", "questionnaire", "questionnaire", {"questions": [json_from_record(comments)]})
    return (
        asked.model_copy(update={"part": LAST_QUESTIONS}),
        screen("about_you", "questionnaire", "demographics", {}),
        screen("debrief", "debrief", "debrief", {"text": about}),
    )
