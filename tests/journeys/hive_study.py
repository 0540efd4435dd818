"""A small study with every page about regions, prototypes and trees, served for real with creatures drawn here."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from PIL import Image, ImageDraw

from tests.journeys.picture_study import address, picture
from tests.journeys.player_stage import Stage, served
from tests.small_studies import consent, debrief, numbered_items, two_group_plain
from understudy.prepare import trials
from understudy.protocols.kim2022.blocks import background
from understudy.schema import ShownPicture, Stimulus, Study, heatmap_from_arrays, json_from_record

SIDE = 96
REGIONS = (
    {"left": 0.5, "top": 0.18, "width": 0.3, "height": 0.3},
    {"left": 0.22, "top": 0.4, "width": 0.35, "height": 0.3},
    {"left": 0.2, "top": 0.68, "width": 0.25, "height": 0.25},
    {"left": 0.05, "top": 0.35, "width": 0.28, "height": 0.2},
    {"left": 0.45, "top": 0.66, "width": 0.3, "height": 0.28},
)
BELIEF = {
    "kind": "rating", "question_id": "belief", "prompt": "What do you think about the model's prediction?", "points": 4,
    "labels": ["Fairly confident it is incorrect", "Somewhat confident it is incorrect",
               "Somewhat confident it is correct", "Fairly confident it is correct"],
}  # fmt: skip
OPTIONS = {"kind": "choice", "options": ["1", "2", "3", "4"]}
OUTPUT = {**OPTIONS, "question_id": "output", "prompt": "Which option does the model predict?"}
SPECIES = {**OPTIONS, "question_id": "species", "prompt": "Which option is correct?"}
KEYS = {"output": "option_of_prediction", "species": "option_of_label"}


def sure(question_id: str) -> dict[str, Any]:
    """Ask for confidence in the answer before."""
    labels = ["Not at all", "Slightly", "Somewhat", "Fairly", "Completely"]
    return {
        "kind": "rating", "question_id": question_id, "prompt": "How confident are you?", "points": 5, "labels": labels
    }  # fmt: skip


def creature(number: int) -> bytes:
    """Draw an animal; the number decides about colours and parts."""
    rng = np.random.default_rng(number)
    scale = 8
    large = Image.new("RGB", (SIDE * scale, SIDE * scale), (226, 234, 222))
    ink = ImageDraw.Draw(large)

    def at(*places: float) -> list[float]:
        return [place * SIDE * scale for place in places]

    body, head = (tuple(int(value) for value in rng.integers(60, 220, 3)) for _ in range(2))
    ink.rectangle(at(0, 0.86, 1, 1), fill=(150, 170, 120))
    for x in (0.28, 0.55):
        ink.rectangle(at(x, 0.6, x + 0.08, 0.9), fill=(70, 60, 50))
    ink.ellipse(at(0.15, 0.36, 0.7, 0.74), fill=body)
    ink.ellipse(at(0.52, 0.2, 0.8, 0.48), fill=head)
    ink.ellipse(at(0.66, 0.28, 0.71, 0.33), fill=(20, 20, 20))
    ink.polygon(at(0.78, 0.32, 0.95, 0.38, 0.78, 0.42), fill=(230, 160, 40))
    ink.polygon(at(0.2, 0.5, 0.02, 0.36, 0.06, 0.6), fill=head)
    for k in range(int(rng.integers(0, 4))):
        ink.ellipse(at(0.3 + 0.1 * k, 0.45, 0.36 + 0.1 * k, 0.51), fill=(250, 250, 250))
    stream = io.BytesIO()
    large.resize((SIDE, SIDE), Image.Resampling.LANCZOS).save(stream, "PNG")
    return stream.getvalue()


CREATURES = tuple(creature(number) for number in range(14))
FILES = {address(content): content for content in CREATURES}
PHOTO = picture(CREATURES[0])


class Item(NamedTuple):
    """What the pages of one block are about."""

    explanation: dict[str, Any]
    truth: dict[str, Any] = {}


def row(number: int, **decided: Any) -> dict[str, Any]:
    """Compare a region with that of another creature."""
    return {
        "row_id": f"r{number}", "region": REGIONS[number % 5], "source": picture(CREATURES[1 + number % 13]),
        "source_region": REGIONS[(number + number // 5) % 5], **decided,
    }  # fmt: skip


def matches(n_rows: int, first: int = 0) -> dict[str, Any]:
    """Compare several regions."""
    rows = [row(first + number) for number in range(n_rows)]
    return {"kind": "prototype_matches", "picture": PHOTO, "rows": rows}


def maps(n: int, *, is_signed: bool = False) -> dict[str, Any]:
    """Make a heat map for each of n classes without a name."""
    y, x = np.mgrid[0:12, 0:12] / 11
    places = [(0.62, 0.32), (0.4, 0.5), (0.15, 0.5), (0.6, 0.8)][:n]
    grids = [
        (1 - 0.2 * k) * np.exp(-((x - a) ** 2 + (y - b) ** 2) / 0.04) - (0.5 * x * y if is_signed else 0)
        for k, (a, b) in enumerate(places)
    ]
    made = heatmap_from_arrays(ShownPicture.model_validate(PHOTO), grids, is_signed=is_signed)
    return json_from_record(made)


def steps(n: int, **decided: Any) -> dict[str, Any]:
    """Go down a tree."""
    made = [
        row(k, is_present=k % 2 == 0, similarity=0.87 if k % 2 == 0 else 0.31)
        if decided.get("shows_scores")
        else row(k)
        for k in range(n)
    ]
    return {"kind": "tree_path", "picture": PHOTO, "steps": made}


def forked() -> dict[str, Any]:
    """Go down a tree to a fork."""
    given = [row(k, is_present=k % 2 == 0) for k in range(3)]
    fork = {"first": row(3), "if_absent": row(4), "if_present": row(6)}
    return {"kind": "tree_path", "picture": PHOTO, "steps": given, "fork": fork}


def examples() -> dict[str, Any]:
    """Show three other animals of the predicted class next to the map."""
    cells = [{"picture": picture(CREATURES[k])} for k in (2, 3, 4)]
    grid = {"kind": "picture_grid", "rows": [cells], "caption": "Examples of the predicted species"}
    return {"kind": "several", "parts": [maps(1), grid]}


PREDICTED = {"prediction": "species 7", "label": "species 7", "model_is": "right"}
CANDIDATES = {"option_of_label": "3", "option_of_prediction": "2"}
ITEMS: dict[str, Item] = {
    "one_map": Item(maps(1), PREDICTED),
    "map_with_examples": Item(examples(), PREDICTED),
    "four_maps": Item(maps(4), CANDIDATES),
    "four_signed_maps": Item(maps(4, is_signed=True), CANDIDATES),
    "ten_rows": Item(matches(10), PREDICTED),
    "four_options": Item({"kind": "alternatives", "options": [matches(n, first=n) for n in (3, 2, 4, 3)]}, CANDIDATES),
    "rated_steps": Item(steps(5), PREDICTED),
    "checked_steps": Item(steps(6, shows_scores=True), PREDICTED),
    "decided_steps": Item(forked(), {"decisions": [True, False]}),
    # The words for decisions are those of the page's language, and not of the study.
    "shown_steps": Item(steps(4, shows_scores=True), PREDICTED),
}
REVEALED = {"reveals": ["prediction"], "names": {"prediction": "The model predicts"}}
FOUR = {"questions": [OUTPUT, sure("output_sure"), SPECIES, sure("species_sure")], "keys": KEYS}
TASKS: dict[str, dict[str, Any]] = {
    "one_map": {
        "name": "judge", "params": {"questions": [BELIEF], "display": {"layout": "overlay", "opacity": 0.5}, **REVEALED}
    },
    "map_with_examples": {"name": "judge", "params": {"questions": [BELIEF], **REVEALED}},
    "four_maps": {"name": "judge", "params": FOUR},
    "four_signed_maps": {"name": "judge", "params": {**FOUR, "display": {"option_name": "Species {option}"}}},
    "ten_rows": {"name": "rate_matches", "params": {"further_questions": [BELIEF], **REVEALED}},
    "four_options": {
        "name": "rate_matches",
        "params": {"n_options": 4, "further_questions": [SPECIES, sure("species_sure")],
                   "keys": {"species": "option_of_label"}},
    },
    "rated_steps": {"name": "rate_matches", "params": {"further_questions": [BELIEF], **REVEALED}},
    "checked_steps": {"name": "check_steps", "params": {"further_questions": [BELIEF], **REVEALED}},
    "decided_steps": {"name": "decide_steps", "params": {"further_questions": [sure("sure")]}},
    "shown_steps": {"name": "judge", "params": {"questions": [BELIEF], **REVEALED}},
}  # fmt: skip
RULES: list[dict[str, Any]] = [
    {"rule": "median_split", "block": "one_map", "question": "belief", "title": "Your ratings"},
    {"rule": "share_correct", "block": "four_maps", "question": "output", "chance": 0.25,
     "title": "Which option does the model predict?"},
    {"rule": "share_correct", "block": "decided_steps", "chance": 0.25,
     "title": "Photos that reached the right result"},
]  # fmt: skip
UNDERSTANDING = {
    "kind": "rating", "question_id": "understanding", "prompt": "How well do you understand how the model decides?",
    "points": 5, "labels": ["Very poor", "Poor", "Fair", "Good", "Very good"],
}  # fmt: skip
SCENARIOS = {
    "low": "Low risk: for learning and play.",
    "medium": "Medium risk: to watch how ecosystems change.",
    "high": "High risk: to decide about medical treatment.",
}


def screen(block_id: str, task: str, params: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A page without items."""
    purpose = {"disclosure": "feedback", "trade_off": "questionnaire", "questionnaire": "questionnaire"}.get(
        task, "practice"
    )
    return {
        "kind": "screen", "block_id": block_id, "purpose": purpose, "task": {"name": task, "params": params}, **more
    }  # fmt: skip


def warm_up() -> list[dict[str, Any]]:
    """The three parts of the warm-up."""
    return [
        screen("exercise_1", "tree_warm_up", {"part": "exercise_1"}, feedback="per_trial"),
        screen("exercise_2", "tree_warm_up", {"part": "exercise_2"}, feedback="per_trial"),
        screen("warmed_up", "tree_warm_up", {"part": "result", "text": "That was the warm-up."}),
    ]


def hive_study(blocks: Sequence[str], *, start: str = "random", language: str = "en", **trade_off: Any) -> Study:
    """Show these blocks, each with one item, between warm-up and results."""
    method = {
        "kind": "screen", "block_id": "method", "purpose": "instructions",
        "task": {"name": "instructions", "params": {"pages": ["The model compares parts of photos."]}},
    }  # fmt: skip
    stages = [
        {"kind": "stage", "block_id": name, "items": "cases", "explains": True, "task": TASKS[name],
         "references": [{"block": "method"}]}
        for name in blocks
    ]  # fmt: skip
    rules = [rule for rule in RULES if rule["block"] in blocks]
    told = [screen("told", "disclosure", {"rules": rules, "questions": [UNDERSTANDING]})] if rules else []
    asked = [question.model_dump(mode="json") for question in background()]
    who = screen("background", "questionnaire", {"text": "Who takes part?", "questions": asked})
    params = {"accuracy": 81.7, "scenarios": SCENARIOS, "low": 70, "start": start, **trade_off}
    plain = two_group_plain(
        name="creatures", shown_title="Creatures and a model", language=language,
        item_sets=[{"name": "cases", "n_items": 1, "dataset": numbered_items(1, answer=["yes"])}],
        flow=[consent(), who, method, *warm_up(), *stages, *told, screen("trade_off", "trade_off", params), debrief()],
    )  # fmt: skip
    return Study.model_validate(plain)


@contextmanager
def creatures_served(study: Study, folder: Path) -> Iterator[Stage]:
    """Serve the study with creatures in place of its plain items."""
    plain_stimuli: Callable[..., tuple[Stimulus, ...]] = trials._stimuli

    def with_creatures(bench: Any, stage: Any, *rest: Any) -> tuple[Stimulus, ...]:
        # The plain study has no explainer; the items get theirs here.
        (stimulus,) = plain_stimuli(bench, stage.model_copy(update={"explains": False}), *rest)
        bench.files.update(FILES)
        item = ITEMS[stage.block_id]
        return (
            Stimulus.model_validate(
                {**stimulus.model_dump(), "content": {"image": PHOTO["file"]}, "explanation": item.explanation,
                 "truth": item.truth}
            ),
        )  # fmt: skip

    with patch("understudy.prepare.trials._stimuli", with_creatures), served(study, folder) as stage:
        yield stage
