"""A short study that shows every screen and every kind of question, in English or German."""

from typing import Any

from understudy.protocols.loan_demo import loan_demo
from understudy.schema import Study

QUIZ = {
    "kind": "choice",
    "question_id": "who",
    "prompt": "Whose decision do you predict?",
    "options": ["The model's", "My own", "The bank clerk's"],
    "is_shuffled": True,
}
PREDICTION = {
    "kind": "choice",
    "question_id": "prediction",
    "prompt": "What will the model say?",
    "options": ["repaid", "defaulted"],
}
CONFIDENCE = {
    "kind": "rating", "question_id": "confidence", "prompt": "How sure are you?", "points": 5,
    "low_label": "Not at all", "high_label": "Very",
}  # fmt: skip
DIFFICULTY = {
    "kind": "rating", "question_id": "difficulty", "prompt": "Overall, how hard was this task?", "points": 7,
    "low_label": "Very easy", "high_label": "Very hard",
}  # fmt: skip
AFTERWARDS: list[dict[str, Any]] = [
    DIFFICULTY,
    {"kind": "matrix", "question_id": "load", "prompt": "How demanding was it?", "points": 21,
     "rows": ["Mental demand", "Effort", "Frustration"], "low_label": "Very low", "high_label": "Very high"},
    {"kind": "matrix", "question_id": "trust", "prompt": "How far do you agree?", "points": 5,
     "rows": ["I could predict the model.", "I would rely on it."], "low_label": "Not at all", "high_label": "Fully"},
    {"kind": "slider", "question_id": "share", "prompt": "How many of your predictions were right, in per cent?",
     "low": 0, "high": 100, "step": 1},
    {"kind": "multiple_choice", "question_id": "cues", "prompt": "Which figures did you look at?", "min_chosen": 1,
     "options": ["Income", "Savings", "Years employed", "Open loans"]},
    {"kind": "ranking", "question_id": "order", "prompt": "Which mattered most to the model?",
     "options": ["Income", "Savings", "Open loans"]},
    {"kind": "text", "question_id": "why", "prompt": "How did you decide?", "min_chars": 20},
    {"kind": "number", "question_id": "age", "prompt": "How old are you?", "low": 18, "high": 120, "is_whole": True,
     "unit": "years", "is_required": False},
]  # fmt: skip


def _screen(block_id: str, purpose: str, task: str, params: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "kind": "screen",
        "block_id": block_id,
        "purpose": purpose,
        "task": {"name": task, "params": params},
        **more,
    }


def _opening(film: str | None) -> list[dict[str, Any]]:
    consent = "You will study decisions of a computer model and predict further ones.\n\n- It takes about eight minutes.\n- No names are recorded.\n- You can stop at **any time**."
    pages = [
        "A model reads four figures of a loan application and says whether the loan will be repaid.",
        "First you see two applications with the model's answer. Then you predict its answer for two new ones.",
    ]
    watched = [] if film is None else [
        _screen("film", "video", "video", {"asset": film, "transcript": "A square grows. That is all."})
    ]  # fmt: skip
    return [
        _screen("consent", "consent", "consent", {"text": consent, "contact": "lab@example.org"},
                stops=[{"rule": "consent != 'I agree'", "outcome": "declined", "reason": "Did not agree."}]),
        _screen("device", "check", "device_check", {}),
        *watched,
        _screen("method", "instructions", "instructions", {"pages": pages}),
        _screen("comprehension", "comprehension", "questionnaire", {"questions": [QUIZ], "answers": {"who": "The model's"}},
                gate={"at_least": 1, "tries": 2, "restudy": ["method"], "pay_share": 0.25}),
    ]  # fmt: skip


def player_study(*, language: str = "en", film: str | None = None) -> Study:
    """Build the study; `film` is a path beside the study file."""
    learn = {"name": "judge", "params": {"text": "What the model said", "reveals": ["prediction"]}}
    predict = {"name": "judge", "params": {"questions": [PREDICTION, CONFIDENCE], "keys": {"prediction": "prediction"}}}
    flow = [
        *_opening(film),
        {"kind": "stage", "block_id": "learn", "purpose": "learning", "items": "examples", "explains": True,
         "n_items": 2, "task": learn},
        {"kind": "stage", "block_id": "predict", "items": "cases", "n_items": 2, "task": predict,
         "feedback": "per_trial", "references": [{"block": "method"}]},
        _screen("after", "questionnaire", "questionnaire", {"text": "Almost done.", "questions": AFTERWARDS}),
        _screen("result", "feedback", "feedback", {"text": "Thank you for your predictions.", "measures": ["n_correct"]}),
        _screen("debrief", "debrief", "debrief", {"text": "Half of the participants saw feature weights."}),
    ]  # fmt: skip
    plain = loan_demo().model_dump(mode="json")
    name = f"player-{language}{'-film' if film else ''}"
    return Study.model_validate({**plain, "name": name, "language": language, "flow": flow, "exclusions": []})


def short_study() -> Study:
    """The same from consent straight to the cases, for tests that are about neither the way there nor its pages."""
    plain = player_study().model_dump(mode="json")
    blocks = {block["block_id"]: block for block in plain["flow"]}
    flow = [blocks["consent"], {**blocks["predict"], "references": []}, blocks["debrief"]]
    return Study.model_validate({**plain, "flow": flow})
