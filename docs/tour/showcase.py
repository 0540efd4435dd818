"""Showcase: a short study that has every screen a participant can meet, and every kind of question."""

from typing import Any

from understudy.protocols import loan_demo
from understudy.schema import Study

RIGHT, WRONG = "The model's", "My own"
FILM, PICTURE = "film.webm", "picture.png"

_WHO = {
    "kind": "choice", "question_id": "who", "prompt": "Whose decision do you predict?",
    "options": [RIGHT, WRONG, "The bank clerk's"],
}  # fmt: skip
_PREDICTION = {
    "kind": "choice", "question_id": "prediction", "prompt": "What will the model say?",
    "options": ["repaid", "defaulted"],
}  # fmt: skip
_CONFIDENCE = {
    "kind": "rating", "question_id": "confidence", "prompt": "How sure are you?", "points": 5,
    "low_label": "Not at all", "high_label": "Very",
}  # fmt: skip
_FIGURES = ["Income", "Savings", "Years employed", "Open loans"]

KINDS: dict[str, dict[str, Any]] = {
    "choice": {"prompt": "Which of the four figures did you look at first?", "options": _FIGURES},
    "multiple_choice": {"prompt": "Which figures did you look at at all?", "options": _FIGURES, "min_chosen": 1},
    "rating": {
        "prompt": "I understood how the model decides.", "points": 5,
        "labels": ["Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree"],
    },
    "matrix": {
        "prompt": "How far do you agree?", "points": 5, "low_label": "Not at all", "high_label": "Fully",
        "rows": ["I could predict the model.", "I would rely on its decisions.", "Its decisions surprised me."],
    },
    "slider": {
        "prompt": "How many of your predictions were right, in per cent?", "low": 0, "high": 100, "step": 1,
        "low_label": "None", "high_label": "All",
    },
    "number": {
        "prompt": "For how many years have you worked with computer models?", "low": 0, "high": 80, "is_whole": True,
        "unit": "years",
    },
    "text": {"prompt": "How did you decide? Please tell us in a sentence or two.", "min_chars": 40},
    "ranking": {"prompt": "Which figures mattered most to the model?", "options": _FIGURES},
}  # fmt: skip
"""One question of each kind, by its kind."""

_EASE = {
    "kind": "rating", "question_id": "ease", "prompt": "Overall, how difficult or easy was the task to complete?",
    "points": 7, "low_label": "Very difficult", "high_label": "Very easy",
}  # fmt: skip
_LOAD = {
    "kind": "matrix", "question_id": "load", "prompt": "How demanding was the task?", "points": 21,
    "rows": ["Mental demand", "Physical demand", "Temporal demand", "Performance", "Effort", "Frustration"],
    "low_label": "Very low", "high_label": "Very high",
}  # fmt: skip
_ABOUT_YOU: list[dict[str, Any]] = [
    {"kind": "number", "question_id": "age", "prompt": "How old are you?", "low": 18, "high": 120, "is_whole": True,
     "unit": "years"},
    {"kind": "choice", "question_id": "gender", "prompt": "Which of these describes you?",
     "options": ["Woman", "Man", "Non-binary", "Another gender", "Prefer not to say"]},
    {"kind": "choice", "question_id": "schooling", "prompt": "What is the highest level of schooling you completed?",
     "options": ["School", "Vocational training", "University degree", "Doctorate", "Prefer not to say"]},
]  # fmt: skip

_CONSENT = {
    "en": "You will study decisions of a computer model and predict further ones.\n\n"
    "- It takes about eight minutes, and you receive 2 US dollars and a bonus for good predictions.\n"
    "- No names are recorded.\n- You can stop at **any time**, and have your answers erased.",
    "de": "Sie sehen Entscheidungen eines Computermodells und sagen weitere voraus.\n\n"
    "- Das dauert etwa acht Minuten; Sie erhalten 2 US-Dollar und einen Bonus für gute Vorhersagen.\n"
    "- Es werden keine Namen gespeichert.\n- Sie können **jederzeit** aufhören und Ihre Antworten löschen lassen.",
}
_TITLE = {"en": "Predict a loan model", "de": "Ein Kreditmodell vorhersagen"}
_PAGES = [
    "A model reads **four figures** of a loan application and says whether the loan will be repaid.",
    "First you practise. Then you see applications with the model's answer, and predict its answer for new ones.\n\n"
    "Each right prediction earns a bonus of 10 cents.",
]
_TRANSCRIPT = "Four figures go into the model. It weighs them and says whether the loan will be repaid."


def showcase(name: str = "showcase", *, language: str = "en", quota: int = 30) -> Study:
    """Build the study; its film and its picture are next to it."""
    plain = loan_demo().model_dump(mode="json")
    explained = [{**binding, "when": {}} for binding in plain["bindings"]]
    changes = {
        "name": name, "language": language, "shown_title": _TITLE[language], "bindings": explained,
        "flow": [*_opening(language), *_stages(), *_closing()], "exclusions": [],
        "item_sets": [*plain["item_sets"], {"name": "warm_up", "n_items": 2}],
        "assignment": {**plain["assignment"], "quota": quota},
    }  # fmt: skip
    return Study.model_validate({**plain, **changes})


def _screen(block_id: str, purpose: str, task: str, params: dict[str, Any], **more: Any) -> dict[str, Any]:
    named = {"kind": "screen", "block_id": block_id, "purpose": purpose}
    return {**named, "task": {"name": task, "params": params}, **more}


def _opening(language: str) -> list[dict[str, Any]]:
    refusal = {"rule": "consent != 'I agree'", "outcome": "declined", "reason": "Did not agree to take part."}
    gate = {"at_least": 1, "tries": 2, "restudy": ["method"], "pay_share": 0.25}
    quiz = {"questions": [_WHO], "answers": {"who": RIGHT}}
    return [
        _screen("consent", "consent", "consent", {"text": _CONSENT[language], "contact": "lab@example.org"}, stops=[refusal]),
        _screen("device", "check", "device_check", {}),
        _screen("film", "video", "video", {"asset": FILM, "transcript": _TRANSCRIPT}),
        _screen("method", "instructions", "instructions", {"pages": _PAGES, "assets": [PICTURE]}),
        _screen("comprehension", "comprehension", "questionnaire", quiz, gate=gate),
    ]  # fmt: skip


def _stages() -> list[dict[str, Any]]:
    predict = {
        "name": "judge",
        "params": {"questions": [_PREDICTION, _CONFIDENCE], "keys": {"prediction": "prediction"}},
    }
    learn = {"name": "judge", "params": {"text": "What the model said", "reveals": ["prediction"]}}
    return [
        {"kind": "stage", "block_id": "practice", "purpose": "practice", "items": "warm_up", "task": predict,
         "feedback": "per_trial", "references": [{"block": "method", "access": "always"}]},
        {"kind": "stage", "block_id": "learn", "purpose": "learning", "items": "examples", "n_items": 2,
         "explains": True, "task": learn},
        {"kind": "stage", "block_id": "predict", "items": "cases", "n_items": 2, "task": predict,
         "references": [{"block": "method"}]},
    ]  # fmt: skip


def _closing() -> list[dict[str, Any]]:
    asked = [[{"kind": kind, "question_id": f"a_{kind}", **question}] for kind, question in KINDS.items()]
    presets = [[_EASE], [_LOAD], [{**question, "is_required": False} for question in _ABOUT_YOU]]
    screens = [
        _screen(f"after_{number}", "questionnaire", "questionnaire", {"questions": questions})
        for number, questions in enumerate([*asked, *presets])
    ]
    result = {"text": "Thank you for your predictions.", "measures": ["n_correct"]}
    debriefing = "We want to know whether seeing how much each figure weighs helps people to predict a model."
    return [
        *screens,
        _screen("result", "feedback", "feedback", result),
        _screen("debrief", "debrief", "debrief", {"text": debriefing, "contact": "lab@example.org"}),
    ]
