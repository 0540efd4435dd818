"""Lessons and screening questions on each kind of explanation, in our own words."""

from base64 import b64encode
from collections.abc import Mapping
from typing import NamedTuple, cast

import numpy as np
from pydantic import TypeAdapter

from understudy import schema
from understudy.errors import MaterialsError
from understudy.registry import entry
from understudy.roles import Explainer, Floats, Pixels
from understudy.schema import (
    Alternatives,
    Choice,
    Explanation,
    GridCell,
    Heatmap,
    PictureGrid,
    PrototypeMatch,
    PrototypeMatches,
    PrototypeTree,
    Ref,
    Region,
    Several,
    ShownPicture,
    TreeDecision,
    TreePath,
    TreeStep,
    heatmap_from_arrays,
)
from understudy.sources.pictures import picture_from_pixels
from understudy.tasks.instructions import Example

# A made-up picture with a heat map, for the lesson on heat maps: a house by a tree, which no study asks about.

WIDTH, HEIGHT = 240, 180
_SKY, _GRASS, _WALL, _ROOF, _DOOR, _TRUNK, _LEAVES = (
    (178, 210, 235), (120, 160, 90), (226, 205, 170), (150, 70, 55), (90, 60, 45), (110, 80, 55), (60, 110, 60),
)  # fmt: skip
_CAPTION = "A model says whether a picture shows a **house** or a **barn**. Here it said “house”."


def picture_example() -> Example:
    """Return the picture, with a heat map whose warmest places are the door and the roof."""
    # Twice as large, so that the picture is as wide on the page as the map of it.
    file = picture_from_pixels(_pixels().repeat(2, axis=0).repeat(2, axis=1))
    shown = ShownPicture(file=file.address, width=2 * WIDTH, height=2 * HEIGHT)
    heatmap = heatmap_from_arrays(shown, [_counted()], is_signed=True)
    return Example(
        caption=_CAPTION,
        content={"image": file.address},
        explanation=heatmap,
        picture=b64encode(file.content).decode("ascii"),
    )


def _pixels() -> Pixels:
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    pixels = np.empty((HEIGHT, WIDTH, 3), dtype=np.uint8)
    pixels[:] = _SKY
    pixels[y > 125] = _GRASS
    pixels[(x > 60) & (x < 150) & (y > 80) & (y < 150)] = _WALL
    pixels[(y > 40) & (y <= 80) & (abs(x - 105) < (y - 40) * 1.4)] = _ROOF
    pixels[(x > 92) & (x < 118) & (y > 108) & (y < 150)] = _DOOR
    pixels[(x > 193) & (x < 203) & (y > 90) & (y < 145)] = _TRUNK
    pixels[(x - 198) ** 2 + (y - 75) ** 2 < 30**2] = _LEAVES
    return pixels


def _counted() -> Floats:
    y, x = np.mgrid[:18, :24] * 10 + 5

    def spot(across: int, down: int) -> Floats:
        return np.asarray(np.exp(-((x - across) ** 2 + (y - down) ** 2) / 700))

    return np.round(0.3 * spot(105, 130) + 0.2 * spot(105, 62) - 0.15 * spot(198, 80), 4)


# Made-up explanations for lessons, one of each kind, on topics that no study uses.

_FLAT: schema.Json = {"rooms": "4", "floor": "ground floor", "balcony": "none", "garden": "shared"}
_OTHER_FLAT: schema.Json = {"rooms": "4", "floor": "third floor", "balcony": "none", "garden": "shared"}
_FLAT_CAPTION = "A model says whether a flat is **cheap** or **expensive**. Here it said “expensive”."
_WORDS = ("we", "had", "soup", "on", "the", "night", "train", ".")
_OTHER_WORDS = ("they", "left", "by", "the", "last", "train", ".")
_WORDS_CAPTION = "A model says whether a sentence is about **travel** or **food**. Here it said “travel”."

_OF_ROWS: dict[str, schema.Explanation] = {
    "attribution": schema.Attribution(
        features=("rooms", "garden", "balcony"),
        weights=(0.32, 0.11, -0.18),
        values=("4", "shared", "none"),
        baseline=0.41,
        total=0.66,
        toward="expensive",
    ),
    "rule": schema.RuleExplanation(
        label="expensive",
        conditions=(
            schema.RuleCondition(feature="rooms", value="4"),
            schema.RuleCondition(feature="garden", value="shared"),
        ),
        precision=0.97,
        coverage=0.12,
    ),
    "similar_case": schema.SimilarCase(
        case=_OTHER_FLAT,
        input=_FLAT,
        label="expensive",
        similarity=0.81,
        importance=schema.Importance(features=("rooms", "garden", "balcony"), weights=(0.4, 0.15, -0.1)),
        toward="expensive",
    ),
    "path": schema.EditPath(
        input=_FLAT,
        toward="cheap",
        margin=0.9,
        labels=("cheap", "expensive"),
        steps=(
            schema.PathStep(margin=0.3, edits=(schema.Edit(feature="rooms", old="4", new="3"),)),
            schema.PathStep(
                margin=-0.4,
                edits=(
                    schema.Edit(feature="rooms", old="4", new="3"),
                    schema.Edit(feature="garden", old="shared", new="none"),
                ),
            ),
        ),
    ),
}
_OF_WORDS: dict[str, schema.Explanation] = {
    "attribution": schema.TokenAttribution(
        tokens=_WORDS,
        weights=(0.0, 0.0, -0.24, 0.0, 0.0, 0.1, 0.45, 0.0),
        baseline=0.44,
        total=0.75,
        toward="travel",
    ),
    "rule": schema.RuleExplanation(
        label="travel",
        conditions=(schema.RuleCondition(token=_WORDS[6], position=6),),
        tokens=_WORDS,
        precision=0.97,
        coverage=0.5,
    ),
    "similar_case": schema.SimilarCase(
        case={"tokens": [*_OTHER_WORDS]},
        input={"tokens": [*_WORDS]},
        label="travel",
        similarity=0.81,
        importance=schema.Importance(tokens=_WORDS, weights=(0.0, 0.0, -0.2, 0.0, 0.0, 0.1, 0.4, 0.0)),
        toward="travel",
    ),
    "path": schema.EditPath(
        input={"tokens": [*_WORDS]},
        toward="food",
        margin=0.9,
        labels=("food", "travel"),
        steps=(
            schema.PathStep(margin=0.2, edits=(schema.Edit(position=6, old="train", new="menu"),)),
            schema.PathStep(
                margin=-0.5,
                edits=(
                    schema.Edit(position=6, old="train", new="menu"),
                    schema.Edit(position=5, old="night", new="lunch"),
                ),
            ),
        ),
    ),
}


def example_of(kind: str, *, is_text: bool) -> Example:
    """Return a made-up case with an explanation of one kind."""
    if kind == "heatmap":
        return picture_example()
    content: schema.Json = {"tokens": [*_WORDS]} if is_text else _FLAT
    caption = _WORDS_CAPTION if is_text else _FLAT_CAPTION
    return Example(caption=caption, content=content, explanation=(_OF_WORDS if is_text else _OF_ROWS)[kind])


# A made-up explanation of every kind, to look at: in the gallery of the documentation, in notebooks and in tests.

DOOR = Region(left=0.36, top=0.58, width=0.16, height=0.27)
ROOF = Region(left=0.22, top=0.2, width=0.44, height=0.26)
CROWN = Region(left=0.69, top=0.24, width=0.27, height=0.35)


class Sample(NamedTuple):
    """An explanation, and the pictures that it shows."""

    explanation: Explanation
    files: Mapping[str, bytes] = {}


def sample_explanations() -> dict[str, Sample]:
    """Return one explanation of each kind by the name of the kind."""
    rows = {kind: _example(kind, is_text=False) for kind in ("attribution", "rule", "similar_case", "path")}
    words = _example("attribution", is_text=True)
    house = example_of("heatmap", is_text=False)
    heatmap = house.explanation
    if not isinstance(heatmap, Heatmap):
        raise AssertionError("the made-up picture has no heat map")
    shown = heatmap.picture
    match = PrototypeMatch(row_id="door", region=DOOR, source=shown, source_region=ROOF, similarity=0.82)
    other = PrototypeMatch(row_id="roof", region=ROOF, source=shown, source_region=CROWN, similarity=0.41)
    steps = tuple(TreeStep(**row.model_dump(), is_present=row is match) for row in (match, other))
    forks = (
        TreeDecision(absent=-1, present=1, source=shown, source_region=ROOF),
        TreeDecision(absent=-2, present=-3, source=shown, source_region=DOOR),
    )
    cells = tuple(GridCell(picture=shown, caption=caption) for caption in ("barn", "unsure", "house"))
    of_picture: dict[str, Explanation] = {
        "heatmap": heatmap,
        "prototype_matches": PrototypeMatches(picture=shown, rows=(match, other)),
        "tree_path": TreePath(picture=shown, steps=steps),
        "prototype_tree": PrototypeTree(decisions=forks, ends=("barn", "shed", "house"), visited=(0, 1, -3)),
        "picture_grid": PictureGrid(rows=(cells, cells[::-1]), column_headings=("low", "middle", "high")),
    }
    pictures = {kind: Sample(explanation, house.picture_file) for kind, explanation in of_picture.items()}
    several = Several(parts=(rows["attribution"], rows["rule"]))
    return {
        **{kind: Sample(explanation) for kind, explanation in rows.items()},
        "token_attribution": Sample(words),
        **pictures,
        "alternatives": Sample(Alternatives(options=(rows["rule"], rows["rule"]))),
        "several": Sample(several),
    }


def _example(kind: str, *, is_text: bool) -> Explanation:
    explanation = example_of(kind, is_text=is_text).explanation
    if explanation is None:
        raise AssertionError(f"the made-up case has no explanation of the kind {kind}")
    return explanation


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
