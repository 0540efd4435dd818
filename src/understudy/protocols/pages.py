"""Pages that several studies share, in our own words."""

from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from understudy.schema import FreeText, Hypothesis, Json, Matrix, Part, Question, Ref, Screen, Stop, json_from_record

AGREEMENT = ("Strongly disagree", "Strongly agree")
NEXT_MODEL = (
    "This is a new model. Its dials do different things from those of the models before, and it may be easier or harder. "
    "Take a moment to get to know it, and do your best."
)
JUDGING = (
    "A model makes pictures, and each of its dials changes something in them. You will see what one dial does, and then "
    "a single picture. Decide how far the dial was turned for that picture.",
    "You can look at more examples as often as you like. After each question you see the correct answer, both in the "
    "practice and afterwards.",
)
STORAGE = "We do not record your name, and we only publish results for groups of people."
WITHDRAWAL = (
    "Taking part is voluntary. You can stop at any time, without giving a reason. We keep and use the answers you have "
    "given so far, unless you ask us to erase them."
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
        "In this study, you work with computer models that make pictures, and find out what their dials do.\n\n"
        "- You must be 18 or older.\n"
        "- We know of no risks beyond those of everyday life.\n"
        "- Each person can take part once."
    )


def statements(block_id: str, question_id: str, rows: Sequence[str], *, more: Sequence[Question] = ()) -> Screen:
    """Return a page of statements to agree with from 1 to 5, and further questions below."""
    matrix = Matrix(
        question_id=question_id, prompt="How much do you agree?", rows=tuple(rows), points=5,
        low_label=AGREEMENT[0], high_label=AGREEMENT[1],
    )  # fmt: skip
    questions: list[JsonValue] = [json_from_record(question) for question in (matrix, *more)]
    return screen(block_id, "questionnaire", "questionnaire", {"questions": questions})


def closing(about: str) -> tuple[Screen, ...]:
    """Return comments, demographics and what the study was about."""
    comments = FreeText(
        question_id="comments", prompt="Is there anything else you would like to tell us?", is_required=False
    )
    asked = screen("comments", "questionnaire", "questionnaire", {"questions": [json_from_record(comments)]})
    return (
        asked.model_copy(update={"part": LAST_QUESTIONS}),
        screen("about_you", "questionnaire", "demographics", {}),
        screen("debrief", "debrief", "debrief", {"text": about}),
    )


# Plain words: the claims of a plan as people who took part can read them.


def with_plain_words(hypotheses: Iterable[Hypothesis], words: Mapping[str, str]) -> tuple[Hypothesis, ...]:
    """Return the hypotheses; those whose id has plain words carry them."""
    return tuple(
        claim.model_copy(update={"plain": words[claim.hypothesis_id]}) if claim.hypothesis_id in words else claim
        for claim in hypotheses
    )
