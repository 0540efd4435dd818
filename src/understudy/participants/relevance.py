"""People who judge what a system relies on, from what an observer reads in its grid."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import chain
from math import exp
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from PIL import Image
from pydantic import Field

from understudy.inference.onnx_models import Observer, observer_from_file
from understudy.registry import create, register
from understudy.roles import Floats, Participant, Pixels, Reaction, Rng, Scene
from understudy.schema import Ability, Choice, FreeText, Impression, Json, PictureGrid, Record, Ref, Trial
from understudy.sources.files import located
from understudy.worlds.sixt2022 import GROUPS

_SEEN: dict[tuple[str, ...], Floats] = {}
"""Observer and pictures -> what it reads; pictures are named by their content, so this stays true."""


@dataclass(frozen=True)
class GridReadings:
    """Attribute -> its value in each cell (row, column), in standard deviations; NaN for an empty cell."""

    values: Mapping[str, Floats]

    def seen(self, names: tuple[str, ...], noise: float, rng: Rng) -> list[Floats]:
        """Return the values of those attributes that the observer reads, with a person's own noise."""
        read = [self.values[name] for name in names if name in self.values]
        return [values + noise * rng.standard_normal(values.shape) for values in read]


def grid_readings(trial: Trial, impression: Impression, observer: str) -> GridReadings | None:
    """Read the pictures of the grid on a page; None if the page shows none."""
    grid = trial.explanation
    if not isinstance(grid, PictureGrid):
        return None
    addresses = [[cell.picture.file if cell is not None else None for cell in row] for row in grid.rows]
    path = located(Path(), observer).path
    opened, rows = _opened(path), iter(_read(path, [*filter(None, chain(*addresses))], impression.pictures))
    table = np.array([[next(rows) if address else _unread(opened) for address in row] for row in addresses])
    spreads = np.array(opened.spreads)
    return GridReadings({name: table[:, :, k] / spreads[k] for k, name in enumerate(opened.attributes)})


def _unread(observer: Observer) -> Floats:
    return np.full(len(observer.attributes), np.nan)


def _read(path: Path, addresses: list[str], pictures: Mapping[str, bytes]) -> Floats:
    """Return the attributes of each picture; the network looks at each grid once, for everybody."""
    key = (str(path), *addresses)
    if key not in _SEEN:
        observer = _opened(path)
        _, height, width = observer.card.size
        _SEEN[key] = observer.read(np.stack([_pixels(pictures[address], (width, height)) for address in addresses]))
    return _SEEN[key]


@lru_cache(maxsize=4)
def _opened(path: Path) -> Observer:
    return observer_from_file(path)


def _pixels(content: bytes, size: tuple[int, int]) -> Pixels:
    with Image.open(BytesIO(content)) as opened:
        picture = opened.convert("RGB")
        shown = picture if picture.size == size else picture.resize(size, Image.Resampling.BICUBIC)
        return np.asarray(shown, dtype=np.uint8)


# The common part of people who judge attributes: when they look at the grid, what they write, and lapses.

ATTENTIVE = Ability(accuracy=0.97)
"""How often they answer questions about other things correctly, such as those after a film."""
_SPREAD = 0.35
"""Standard deviation of the logarithm of the time on the page."""
_WHY = "_why"
_SENTENCES = (
    "Going from the left to the right, I compared what happens to {}.",
    "Some of these pictures surprised me, but I counted how many of them fit.",
    "My impression of {} comes from the first and the last pictures of each row.",
    "It took me a while to decide, because several things differ at once.",
    "When I only think of {}, this is the answer that makes sense to me.",
    "The last video explained how to read this, and I tried to do it that way.",
    "I am fairly sure about it.",
    "Nothing else would explain what I saw with {} in the grid.",
)


class RelevanceHabits(Record):
    """How people look and how long they take."""

    observer: str = "shipped:sixt2022/observer.onnx"
    """The network whose readings stand for what they see in a picture: a file with its card."""
    groups: dict[str, tuple[str, ...]] = GROUPS
    """Asked attribute -> what the observer reads for it; one of them is enough to call it relevant."""
    noise: float = Field(default=0.25, ge=0)
    """How far a glance is off, in standard deviations of the attribute."""
    lapse: float = Field(default=0.05, ge=0, le=1)
    """The share of answers that are guesses."""
    page_s: float = Field(default=420.0, gt=0)
    """Median time on the page, in seconds."""
    others: Ref = Ref(name="careful")
    """The participant who answers every other page."""


class Judge(Protocol):
    """Somebody who decides from the values of an attribute in the grid whether it seems relevant."""

    looks: ClassVar[bool]
    """Whether they look at the pictures at all."""

    @property
    def habits(self) -> RelevanceHabits:
        """How they look and how long they take."""

    def seems_relevant(self, values: Floats) -> bool:
        """Judge one attribute by its values (row, column)."""


def judged_page(judge: Judge, trial: Trial, impression: Impression, rng: Rng) -> Reaction | None:
    """Answer a page that asks which attributes are relevant; None if the page asks something else."""
    named = trial.params.get("attributes")
    if trial.task != "relevance" or not isinstance(named, list):
        return None
    habits = judge.habits
    names = {str(entry["attribute_id"]): str(entry["name"]) for entry in named if isinstance(entry, dict)}
    readings = grid_readings(trial, impression, habits.observer) if judge.looks else None
    answers: Json = {}
    for question in trial.asks:
        if isinstance(question, Choice):
            # The first option of the task is "relevant", the second "irrelevant".
            is_relevant = _verdict(judge, readings, _Asked(question.question_id, impression), rng)
            answers[question.question_id] = question.options[0 if is_relevant else 1]
        elif isinstance(question, FreeText):
            attribute = question.question_id.removesuffix(_WHY)
            answers[question.question_id] = _reason(question, names.get(attribute, attribute), rng)
    return Reaction(response=answers, rt_ms=1000 * habits.page_s * exp(_SPREAD * float(rng.standard_normal())))


def other_page(judge: Judge, trial: Trial, impression: Impression, rng: Rng, *, scene: Scene | None) -> Reaction | None:
    """Answer a page that is not about attributes, as the other participant would."""
    participant: Participant = create("participants", judge.habits.others)
    return participant.respond(trial, impression, rng, scene)


class _Asked(NamedTuple):
    attribute: str
    impression: Impression

    @property
    def share_of_noise(self) -> float:
        """The share of a person's noise that remains given their ability: a quarter less for each unit."""
        return float(0.75 ** self.impression.latents.get(f"{self.attribute}{_WHY}", 0.0))


def _verdict(judge: Judge, readings: GridReadings | None, asked: _Asked, rng: Rng) -> bool:
    habits = judge.habits
    if readings is None or rng.random() < habits.lapse:
        return bool(rng.random() < 0.5)
    seen = readings.seen(habits.groups.get(asked.attribute, ()), habits.noise * asked.share_of_noise, rng)
    return any(judge.seems_relevant(values) for values in seen)


def _reason(question: FreeText, attribute: str, rng: Rng) -> str:
    """Write sentences that are marked as synthetic; they differ between attributes, as most people's do."""
    sentences = [f"[synthetic] I looked at {attribute}."]
    left = list(_SENTENCES)
    while len(" ".join(sentences)) < question.min_chars or len(sentences) < 3:
        left = left or list(_SENTENCES)
        sentences.append(left.pop(int(rng.integers(len(left)))).format(attribute))
    return " ".join(sentences)[: question.max_chars]


# Four people who judge attributes: by column means, by rows that all or mostly agree, and by chance.
#
# The deterministic and the probabilistic reasoner are the two kinds that Sixt, Schuessler et al. (2022) describe in the justifications
# of their participants: those who expect a relevant attribute to show in every picture, and those who count how often it
# does.


class AttributeJudge(Record, ABC):
    """Judges which attributes seem relevant, and answers other pages attentively."""

    ability: ClassVar[Ability] = ATTENTIVE
    looks: ClassVar[bool] = True
    habits: RelevanceHabits = RelevanceHabits()

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Judge the attributes on a page about them."""
        return judged_page(self, trial, impression, rng) or other_page(self, trial, impression, rng, scene=scene)

    @abstractmethod
    def seems_relevant(self, values: Floats) -> bool:
        """Judge an attribute by its values, which are in the rows and columns of the grid."""


@register("participants", "column_looker")
class ColumnLooker(AttributeJudge):
    """Compares the columns of the grid: relevant is what rises or falls from the first to the last by enough."""

    threshold: float = Field(default=1.0, gt=0)
    """The difference between the outer columns that is seen, in standard deviations of the attribute."""

    def seems_relevant(self, values: Floats) -> bool:
        """Compare the ends of a line through the column means."""
        means = np.nanmean(values, axis=0)
        position = np.linspace(-0.5, 0.5, means.size)
        known = np.isfinite(means)
        if known.sum() < 2:
            return False
        return bool(abs(np.polyfit(position[known], means[known], 1)[0]) >= self.threshold)


@register("participants", "deterministic_reasoner")
class DeterministicReasoner(AttributeJudge):
    """Calls an attribute relevant only if it changes in the same direction in every row."""

    visible: float = Field(default=0.3, ge=0)
    """The smallest change between the outer columns that counts, in standard deviations."""

    def seems_relevant(self, values: Floats) -> bool:
        """Check that all rows agree."""
        return bool(agreeing_rows(values, self.visible) >= 1)


@register("participants", "probabilistic_reasoner")
class ProbabilisticReasoner(AttributeJudge):
    """Calls an attribute relevant if it changes in the same direction in most rows."""

    visible: float = Field(default=0.3, ge=0)
    """The smallest change between the outer columns that counts, in standard deviations."""
    share: float = Field(default=0.75, gt=0, le=1)
    """The share of rows that have to agree."""

    def seems_relevant(self, values: Floats) -> bool:
        """Count the rows that agree."""
        return agreeing_rows(values, self.visible) >= self.share


@register("participants", "relevance_guesser")
class RelevanceGuesser(AttributeJudge):
    """Passes the tests, and then guesses which attributes are relevant."""

    looks: ClassVar[bool] = False
    habits: RelevanceHabits = RelevanceHabits(page_s=150.0)

    def seems_relevant(self, values: Floats) -> bool:
        """Never look."""
        return False


def agreeing_rows(values: Floats, visible: float) -> float:
    """Return the share of rows whose change from the first to the last column has the more frequent direction."""
    changes = values[:, -1] - values[:, 0]
    changes = changes[np.isfinite(changes)]
    if not changes.size:
        return 0.0
    return float(max((changes >= visible).mean(), (changes <= -visible).mean()))
