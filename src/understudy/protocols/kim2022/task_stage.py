"""The task: one page for each photo, as the method and the variant need it."""

from pydantic import JsonValue

from understudy.protocols.kim2022.photos import Photos
from understudy.protocols.kim2022.questions import (
    OPTIONS,
    agreement,
    correct_class,
    decision_confidence,
    keys_of,
    predicted_class,
)
from understudy.protocols.kim2022.variants import Method, Task, has_ratings, is_agreement
from understudy.schema import Json, Question, Ref, json_from_record

N_OPTIONS = len(OPTIONS)
_HINTS: dict[Method, str] = {"bagnet": "Pick the map with the most blue and the least brown."}


def task_of(method: Method, task: Task, photos: Photos) -> Ref:
    """Return the task of the main stage."""
    if method == "prototree" and task == "distinction":
        further: Json = {"further_questions": _json(decision_confidence())}
        return Ref(name="decide_steps", params={**_shown(method, task, photos), **further, "outcomes": _outcomes()})
    if task == "tree-aware":
        params: Json = {"further_questions": _json(agreement()), "most_steps": photos.most_rows}
        return Ref(name="check_steps", params={**_shown(method, task, photos), **params})
    if has_ratings(method, task):
        rated: Json = {"further_questions": _json(*_asked(method, task, photos.noun)), "most_rows": photos.most_rows}
        options: Json = {} if is_agreement(task) else {"n_options": N_OPTIONS}
        return Ref(name="rate_matches", params={**_shown(method, task, photos), **rated, **options})
    questions = _json(*_asked(method, task, photos.noun))
    return Ref(name="judge", params={**_shown(method, task, photos), "questions": questions})


def example_task(method: Method, task: Task, photos: Photos) -> Ref:
    """Return the task of the worked examples: the same page, answered."""
    shown = _shown(method, task, photos)
    if method == "prototree" and task == "distinction":
        return _decided_example(shown)
    reveals = (
        ["model_is"] if is_agreement(task) or method == "prototree" else ["option_of_prediction", "option_of_label"]
    )
    names: Json = {
        "model_is": "The prediction is",
        "option_of_prediction": f"The model predicts {photos.noun}",
        "option_of_label": f"The correct {photos.noun} is",
    }
    own = shown.get("reveals")
    revealed: list[JsonValue] = [*(own if isinstance(own, list) else []), *reveals]
    known = shown.get("names")
    return Ref(
        name="judge",
        params={
            "text": "This is an example. Look at the explanation, and see whether the prediction is correct.",
            "reveals": revealed,
            "names": {**(known if isinstance(known, dict) else {}), **{name: names[name] for name in reveals}},
            "value_names": {"right": "correct", "wrong": "incorrect"} if "model_is" in reveals else {},
            "display": shown["display"],
        },
    )


def _decided_example(shown: Json) -> Ref:
    """Return the page with both decisions made as the model made them, and whether its prediction is correct."""
    params: Json = {
        "text": "This is an example with both decisions made. Look at how they lead to a result, and see whether the "
        "prediction is correct.",
        "is_example": True,
        "outcomes": _outcomes(),
        "reveals": ["model_is"],
        "names": {"model_is": "The prediction is"},
        "value_names": {"right": "correct", "wrong": "incorrect"},
    }
    return Ref(name="decide_steps", params={**shown, **params})


def _outcomes() -> list[JsonValue]:
    # Not the name of a class: after the two decisions, a tree may have more steps.
    return [f"Result {number}" for number in OPTIONS]


def _asked(method: Method, task: Task, noun: str) -> tuple[Question, ...]:
    if is_agreement(task):
        return (agreement(),)
    if method == "protopnet":
        return correct_class(noun)
    return (*predicted_class(noun, hint=_HINTS.get(method, "")), *correct_class(noun))


def _shown(method: Method, task: Task, photos: Photos) -> Json:
    """Return what the page reveals: the predicted class as a number, or the label of the photo, or nothing."""
    drawn: Json = {"layout": "overlay", "opacity": 0.55} if method in ("gradcam", "bagnet") else {}
    shown: Json = {"display": {**drawn, "option_name": f"{photos.noun.capitalize()} {{option}}"}}
    if is_agreement(task):
        shown |= {"reveals": ["class_number"], "names": {"class_number": f"The model predicts {photos.noun}"}}
    elif task == "distinction-label":
        shown |= {"reveals": ["label"], "names": {"label": "The photo shows"}}
    asked = {question.question_id for question in _asked(method, task, photos.noun)}
    keys: Json = {question: attribute for question, attribute in keys_of(task).items() if question in asked}
    return shown | ({"keys": keys} if method != "prototree" and keys else {})


def _json(*questions: Question) -> list[JsonValue]:
    return [json_from_record(question) for question in questions]
