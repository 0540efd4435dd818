"""What participants of the studies after Hase and Bansal (2020) are told about each method, and asked, in our words."""

from typing import NamedTuple

from understudy.schema import Choice


class Lesson(NamedTuple):
    """A method as its readers need to know it, and what shows that they do; the first option is right."""

    pages: tuple[str, ...]
    questions: tuple[tuple[str, str, tuple[str, ...]], ...]


_LIME = Lesson(
    pages=(
        "An explanation lists what **counted** in the model's answer, with numbers. A plus speaks for the answer that is "
        "named, a minus speaks against it. The larger the number, the more it counted.\n\n"
        "A sentence below says how much evidence there is without what is listed, and how much with it. The numbers come "
        "from a simple approximation of the model around this one case.",
    ),
    questions=(
        (
            "minus",
            "Something has a minus before its number. What does that mean?",
            (
                "It speaks against the answer that is named",
                "The model did not look at it",
                "It was taken out of the case",
            ),
        ),
    ),
)
_ANCHOR = Lesson(
    pages=(
        "An explanation is a **rule**: a few conditions that held in this case. As long as all of them hold, the model "
        "nearly always gives the same answer, whatever else is different.\n\n"
        "When one of the conditions no longer holds, the rule says nothing: the answer may stay or change.",
    ),
    questions=(
        (
            "broken",
            "One condition of a rule does not hold any more. What does the rule say about the answer?",
            ("Nothing: it may stay or change", "It stays as it was", "It becomes the other one"),
        ),
    ),
)
_PROTOTYPE = Lesson(
    pages=(
        "An explanation shows a **similar case**: of the cases that a model keeps in mind, the one it finds most like the "
        "case at hand. The model answers as that case was labelled.\n\n"
        "Below you see what counted most in the case at hand, with numbers. A plus speaks for the answer that is named, a "
        "minus against it.",
    ),
    questions=(
        (
            "similar",
            "What is the similar case that an explanation shows?",
            (
                "The case kept in mind that is found most like the one at hand",
                "A case drawn at random",
                "A case that you will be asked about",
            ),
        ),
    ),
)
_DECISION_BOUNDARY = Lesson(
    pages=(
        "An explanation shows **what would change the answer**: small changes to the case, step by step, until the model "
        "gives the other answer.\n\n"
        "Beside each step a bar shows which answer the model leans to, and how far. Where the bar crosses the line in the "
        "middle, the answer changes.",
    ),
    questions=(
        (
            "crossing",
            "After a step, the bar lies on the other side of the line in the middle. What happened?",
            ("The model's answer changed", "The model became surer of its answer", "The case became longer"),
        ),
    ),
)
_PARTS = (_LIME, _ANCHOR, _DECISION_BOUNDARY, _PROTOTYPE)
_COMPOSITE = Lesson(
    pages=(
        "An explanation has **four parts**, one below the other. They are about the same answer, and each looks at it in "
        "its own way. The next pages say how to read them.",
        *(
            f"Part {number} of {len(_PARTS)}. {page}"
            for number, lesson in enumerate(_PARTS, start=1)
            for page in lesson.pages
        ),
    ),
    questions=tuple(question for lesson in _PARTS for question in lesson.questions),
)
LESSONS = {
    "lime": _LIME,
    "anchor": _ANCHOR,
    "prototype": _PROTOTYPE,
    "decision_boundary": _DECISION_BOUNDARY,
    "composite": _COMPOSITE,
}
"""Method -> its lesson."""
_NO_METHOD = Lesson(pages=(), questions=())
_PROCEDURE = (
    (
        "what",
        "What do you predict?",
        ("What the model will say", "What is true", "What most people would say"),
    ),
    (
        "looking_back",
        "Can you look back at the examples while you predict?",
        ("No", "Yes, at any time", "Yes, but only once"),
    ),
    (
        "balance",
        "In how many of the cases is the model wrong?",
        ("In half of them", "In very few of them", "In nearly all of them"),
    ),
)


def lesson_of(method: str) -> Lesson:
    """Return the lesson of a method, an empty one where nothing is explained."""
    return _NO_METHOD if method == "control" else LESSONS[method]


def screening_questions(method: str) -> tuple[Choice, ...]:
    """Return the screening test of a method: the procedure, the balance of the cases, the method."""
    return tuple(
        Choice(question_id=name, prompt=prompt, options=options, is_shuffled=True)
        for name, prompt, options in (*_PROCEDURE, *lesson_of(method).questions)
    )


def screening_key(method: str) -> dict[str, str]:
    """Return the right answers."""
    return {question.question_id: question.options[0] for question in screening_questions(method)}
