"""The common part of people who judge attributes: when they look at the grid, what they write, and lapses."""

from math import exp
from typing import ClassVar, NamedTuple, Protocol

from pydantic import Field

from understudy.participants.relevance.readings import GridReadings, grid_readings
from understudy.registry import create
from understudy.roles import Floats, Participant, Reaction, Rng, Scene
from understudy.schema import Ability, Choice, FreeText, Impression, Json, Record, Ref, Trial
from understudy.sources.sixt2022_groups import GROUPS

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
