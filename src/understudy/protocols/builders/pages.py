"""The pages of built studies: consent, instructions, checks, examples, predictions, scales and a debriefing."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue, PositiveInt

from understudy.errors import StudyError
from understudy.protocols.pages import consent_page
from understudy.schema import (
    Choice,
    Gate,
    Json,
    MeasureUse,
    Ref,
    Screen,
    Stage,
    json_from_record,
)
from understudy.schema.scale import PublishedScale, ScaleItem

PHASE = "phase"
PREDICTION = "prediction"
_TASK = "A computer model answers questions about cases."
_DEBRIEFING = "We want to know whether explanations help people to predict a model. Thank you for taking part."


def gate(questions: Mapping[str, Sequence[str]], *, tries: PositiveInt = 2, block_id: str = "comprehension") -> Screen:
    """Return a check that people must pass: question -> answers, the right one first; they are shown in sorted order.

    Examples
    --------
    >>> gate({"Whose decision do you predict?": ["The model's", "My own"]}).block_id  # doctest: +SKIP
    """
    if not questions:
        raise StudyError(['A gate has no question. Give at least one, such as {"Who decides?": ["The model", "I"]}.'])
    faults = [
        f"The question {prompt!r} has {len(answers)} answer. Give the right one first, then at least one wrong one."
        for prompt, answers in questions.items()
        if len(answers) < 2
    ]
    if faults:
        raise StudyError(faults)
    asked = [
        Choice(question_id=f"check_{number}", prompt=prompt, options=tuple(sorted(answers)))
        for number, (prompt, answers) in enumerate(questions.items(), start=1)
    ]
    keys = dict(zip((question.question_id for question in asked), questions.values(), strict=True))
    params: Json = {
        "questions": [json_from_record(question) for question in asked],
        "answers": {name: answers[0] for name, answers in keys.items()},
    }
    return Screen(
        block_id=block_id,
        purpose="comprehension",
        task=Ref(name="questionnaire", params=params),
        gate=Gate(at_least=1, tries=tries, restudy=("method",)),
    )


def scale(
    name: str,
    prompt: str,
    items: Sequence[str],
    *,
    points: PositiveInt = 7,
    ends: tuple[str, str] = ("Not at all", "Completely"),
) -> PublishedScale:
    """Return a questionnaire scale; an item that starts with "(-)" counts the other way round.

    Examples
    --------
    >>> scale("trust", "How much do you agree?", ["I trust the model.", "(-) I doubt it."])  # doctest: +SKIP
    """
    rows = tuple(ScaleItem(text=item.removeprefix("(-)").strip(), is_reversed=item.startswith("(-)")) for item in items)
    return PublishedScale(name=name, prompt=prompt, points=points, low_label=ends[0], high_label=ends[1], items=rows)


def opening(task: str, gates: Sequence[Screen]) -> tuple[Screen, ...]:
    """Return consent, instructions and checks."""
    pages: list[JsonValue] = [
        task or _TASK,
        "First you see examples with the model's answer. Then you predict its answer to new cases.",
    ]
    return (
        consent_page("In this study, you look at answers of a computer model and predict new ones."),
        Screen(block_id="method", purpose="instructions", task=Ref(name="instructions", params={"pages": pages})),
        *gates,
    )


def examples() -> Stage:
    """Return the stage in which people see the model's answers, with the explanation of their condition."""
    return Stage(
        block_id="learn",
        purpose="learning",
        items="examples",
        explains=True,
        task=Ref(name="judge", params={"text": "What the model said", "reveals": [PREDICTION]}),
    )


def predictions(answers: tuple[str, ...]) -> Stage:
    """Return the stage in which people predict the model's answers."""
    asked = Choice(question_id=PREDICTION, prompt="What will the model say?", options=answers)
    params: Json = {"questions": [json_from_record(asked)], "keys": {PREDICTION: PREDICTION}}
    return Stage(block_id="predict", items="cases", order="balanced", task=Ref(name="judge", params=params))


def closing(scales: Sequence[PublishedScale]) -> tuple[Screen, ...]:
    """Return a page for each scale, and the debriefing."""
    return (
        *(
            Screen(
                block_id=published.name,
                purpose="questionnaire",
                task=Ref(name="questionnaire", params={"questions": [json_from_record(published.question)]}),
            )
            for published in scales
        ),
        Screen(block_id="debrief", purpose="debrief", task=Ref(name="debrief", params={"text": _DEBRIEFING})),
    )


def measures() -> tuple[MeasureUse, ...]:
    """Return what is measured in every built study: right predictions, and the time they took."""
    return (
        MeasureUse(name="correct", measure=Ref(name="correct", params={"question": PREDICTION})),
        MeasureUse(name="seconds", measure=Ref(name="response_time")),
    )


def scale_measures(scales: Sequence[PublishedScale]) -> tuple[MeasureUse, ...]:
    """Return the score of each scale."""
    return tuple(
        MeasureUse(
            name=f"{published.name}_score",
            measure=Ref(
                name="scale_score",
                params={
                    "question": published.name,
                    "points": published.points,
                    "reversed": list(published.reversed_rows),
                    "summary": published.score,
                },
            ),
            blocks=(published.name,),
            summary="first",
        )
        for published in scales
    )
