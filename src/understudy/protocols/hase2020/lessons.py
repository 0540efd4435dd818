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
        "The explanation lists what **mattered** for the model's answer, with numbers. A plus sign counts for the answer "
        "shown above the list, and a minus sign counts against it. The larger the number, the more it mattered.\n\n"
        "When we know it, a sentence below the list gives the total evidence without these points, and with them.",
    ),
    questions=(
        (
            "minus",
            "A number has a minus sign. What does that mean?",
            (
                "It counts against the answer shown",
                "The model ignored it",
                "It was removed from the case",
            ),
        ),
    ),
)
_RULE = Lesson(
    pages=(
        "The explanation is a **rule**: a few conditions that are true of this case. As long as all of them are true, the "
        "model almost always gives the same answer, no matter what else changes.\n\n"
        "If any condition stops being true, the rule tells you nothing: the answer may stay the same or change.",
    ),
    questions=(
        (
            "broken",
            "One condition of a rule is no longer true. What does the rule tell you about the answer?",
            ("Nothing: it may stay the same or change", "It stays the same", "It changes"),
        ),
    ),
)
_SIMILAR_CASE = Lesson(
    pages=(
        "The explanation shows a **similar case**. The model remembers a few cases, and this is the one it finds most "
        "similar to the new case. It gives the new case that case's answer.\n\n"
        "Below it, you see what mattered most in the new case, with numbers. A plus sign counts for the answer shown, and "
        "a minus sign counts against it.",
    ),
    questions=(
        (
            "similar",
            "What is the similar case in an explanation?",
            (
                "The remembered case that the model finds most similar to the new one",
                "A case picked at random",
                "A case you will be asked about later",
            ),
        ),
    ),
)
_PATH = Lesson(
    pages=(
        "The explanation shows **what would change the answer**: small changes to the case, one at a time, until the model "
        "gives a different answer.\n\n"
        "Next to each step, a bar shows which answer the model leans towards, and how strongly. When the bar crosses the "
        "middle line, the answer changes.",
    ),
    questions=(
        (
            "crossing",
            "After a step, the bar is on the other side of the middle line. What happened?",
            ("The model's answer changed", "The model became more certain of its answer", "The case got longer"),
        ),
    ),
)
_HEATMAP = Lesson(
    pages=(
        "The explanation is a **heat map**. It is as large as the picture, and its colours show how much each place "
        "**mattered** for the model's answer. Find the same place in the picture.\n\n"
        "The bar below the map shows what the colours mean. If its numbers go from minus to plus, colours at the plus end "
        "count for the answer, and colours at the minus end count against it.",
    ),
    questions=(
        (
            "places",
            "What do the colours of a heat map show?",
            (
                "How much each place mattered for the model's answer",
                "Which places in the picture are bright",
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
    "The explanation has **several parts**, one below the other. They all explain the same answer, each in its own way. "
    "The next pages show you how to read them."
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
