"""Lessons and screening questions on each kind of explanation, in our own words."""

from typing import NamedTuple, cast

from pydantic import TypeAdapter

from understudy.errors import MaterialsError
from understudy.protocols.hase2020.examples import example_of
from understudy.registry import entry
from understudy.roles import Explainer
from understudy.schema import Choice, Ref
from understudy.tasks.instructions import Example


class Lesson(NamedTuple):
    """A lesson on a kind of explanation, with questions about it whose first option is correct."""

    pages: tuple[str, ...]
    questions: tuple[tuple[str, str, tuple[str, ...]], ...]


_WEIGHTS = Lesson(
    pages=(
        "An explanation lists what **counted** in the model's answer, with numbers. A plus speaks for the answer that is "
        "named, a minus speaks against it. The larger the number, the more it counted.\n\n"
        "Where it is known, a sentence below says how much evidence there is without what is listed, and how much with it.",
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
_RULE = Lesson(
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
_SIMILAR_CASE = Lesson(
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
_PATH = Lesson(
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
_HEATMAP = Lesson(
    pages=(
        "An explanation is a **heat map**: it has the size of the picture, and its colours show how much each place "
        "**counted** in the model's answer. Look for the same place in the picture.\n\n"
        "The bar below the map says what the colours mean. Where its numbers run from minus to plus, places at the plus "
        "end speak for the answer, and places at the minus end speak against it.",
    ),
    questions=(
        (
            "places",
            "What do the colours of a heat map show?",
            (
                "How much each place counted in the model's answer",
                "Which places of the picture are bright",
                "Where the picture was changed",
            ),
        ),
    ),
)
LESSONS = {
    "attribution": _WEIGHTS,
    "rule": _RULE,
    "similar_case": _SIMILAR_CASE,
    "path": _PATH,
    "heatmap": _HEATMAP,
}
"""Kind of explanation -> its lesson."""
_SEVERAL = (
    "An explanation has **several parts**, one below the other. They are about the same answer, and each looks at it in "
    "its own way. The next pages say how to read them."
)
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


def lesson_of(kinds: tuple[str, ...]) -> Lesson:
    """Return the lesson of a method with these kinds of explanation; empty if there are none."""
    lessons = [LESSONS[kind] for kind in kinds]
    questions = tuple(question for lesson in lessons for question in lesson.questions)
    pages = [page for lesson in lessons for page in lesson.pages]
    if len(lessons) > 1:
        pages = [_SEVERAL, *(f"Part {k} of {len(pages)}. {page}" for k, page in enumerate(pages, start=1))]
    return Lesson(tuple(pages), questions)


def examples_of(kinds: tuple[str, ...], *, is_text: bool) -> tuple[Example, ...]:
    """Return the example below each page of a lesson."""
    drawn = tuple(example_of(kind, is_text=is_text) for kind in kinds)
    return (Example(), *drawn) if len(kinds) > 1 else drawn


def kinds_of(explainer: Ref) -> tuple[str, ...]:
    """Return the distinct kinds of explanation of an explainer, or of its parts."""
    declared = cast("type[Explainer]", entry("explainers", explainer.name)).kinds
    if declared == {"several"}:
        parts = TypeAdapter(tuple[Ref, ...]).validate_python(explainer.params["parts"])
        return tuple(dict.fromkeys(kind for part in parts for kind in kinds_of(part)))
    # One lesson teaches attributions of features and of words.
    kinds = {kind.removeprefix("token_") for kind in declared}
    if len(kinds) != 1 or not kinds <= LESSONS.keys():
        raise MaterialsError(
            f"The explainer {explainer.name!r} shows explanations of the kind {' or '.join(sorted(kinds))}, which no "
            f"lesson teaches. There are lessons for: {', '.join(LESSONS)}."
        )
    return tuple(kinds)


def screening_questions(kinds: tuple[str, ...]) -> tuple[Choice, ...]:
    """Return the screening questions on the procedure, the balance of cases and the kinds of explanation."""
    return tuple(
        Choice(question_id=name, prompt=prompt, options=options, is_shuffled=True)
        for name, prompt, options in (*_PROCEDURE, *lesson_of(kinds).questions)
    )


def screening_key(kinds: tuple[str, ...]) -> dict[str, str]:
    """Return the correct answers."""
    return {question.question_id: question.options[0] for question in screening_questions(kinds)}
