"""Questions: what is asked about each photo, and three times about the model."""

from understudy.protocols.kim2022.variants import Task
from understudy.schema import Choice, FreeText, MultipleChoice, Question, Rating

AGREEMENT, PREDICTED, CORRECT = "agreement", "predicted_class", "correct_class"
UNDERSTANDING, EXPERIENCE = "understanding", "ml_experience"
OPTIONS = ("1", "2", "3", "4")
_CONFIDENCE = (
    "Not at all confident",
    "Slightly confident",
    "Somewhat confident",
    "Fairly confident",
    "Completely confident",
)


def agreement() -> Question:
    """Ask whether one prediction is right, on four points; from 3 on it is believed."""
    return Rating(
        question_id=AGREEMENT,
        prompt="What do you think about the model's prediction?",
        points=4,
        labels=(
            "Fairly confident it is incorrect",
            "Somewhat confident it is incorrect",
            "Somewhat confident it is correct",
            "Fairly confident it is correct",
        ),
    )


def predicted_class(noun: str, *, hint: str = "") -> tuple[Question, ...]:
    """Ask which class the model predicts, and how sure the person is."""
    prompt = f"Which {noun} does the model predict?{' ' + hint if hint else ''}"
    return (
        Choice(question_id=PREDICTED, prompt=prompt, options=OPTIONS),
        _confidence("predicted_confidence"),
    )


def correct_class(noun: str) -> tuple[Question, ...]:
    """Ask which class is correct, and how sure the person is."""
    return (
        Choice(question_id=CORRECT, prompt=f"Which {noun} do you think is correct?", options=OPTIONS),
        _confidence("correct_confidence"),
    )


def decision_confidence() -> Question:
    """Ask how sure the person is of two decisions."""
    return _confidence("decision_confidence", "How confident are you in these two decisions?")


def _confidence(question_id: str, prompt: str = "How confident are you in this answer?") -> Question:
    return Rating(question_id=question_id, prompt=prompt, points=5, labels=_CONFIDENCE)


def understanding() -> Question:
    """Ask how well people understand the model; the words are the same all three times."""
    return Rating(
        question_id=UNDERSTANDING,
        prompt="How well do you think you understand how the model makes its predictions?",
        points=5,
        labels=("Very poorly", "Poorly", "Fairly", "Well", "Very well"),
    )


def background() -> tuple[Question, ...]:
    """Ask who takes part; only experience with machine learning must be answered."""
    return (
        Choice(
            question_id="gender", prompt="What is your gender?", is_required=False,
            options=("Man", "Non-binary", "Woman", "I prefer to describe it myself"),
        ),
        FreeText(question_id="gender_own", prompt="You can describe it here.", max_chars=100, is_required=False),
        MultipleChoice(
            question_id="ethnicity", prompt="What are your race and ethnicity?", is_required=False,
            options=(
                "American Indian or Alaska Native", "Asian", "Black or African American",
                "Native Hawaiian or Other Pacific Islander", "White", "Hispanic, Latino or Spanish origin",
            ),
        ),
        Rating(
            question_id=EXPERIENCE, prompt="How much do you know about machine learning?", points=5,
            labels=(
                "I know nothing about it", "I have heard of a few ideas or uses", "I know the basics",
                "I took a course or worked with it", "I use and study it often",
            ),
        ),
    )  # fmt: skip


def keys_of(task: Task) -> dict[str, str]:
    """Return which attribute of an item answers which question."""
    if task in ("distinction", "distinction-label"):
        return {PREDICTED: "option_of_prediction", CORRECT: "option_of_label"}
    return {}
