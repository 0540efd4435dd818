"""People who judge predictions from maps, rows and trees."""

from collections.abc import Mapping, Sequence
from math import exp
from typing import ClassVar, NamedTuple, Protocol

from pydantic import Field, JsonValue

from understudy.participants.people import impressed_answer, random_answer
from understudy.participants.prediction_page import (
    PredictionPage,
    SeenMap,
    SeenRow,
    distinctness,
    evidence_for,
    feature_likeness,
    likeness,
    prediction_page,
    strength,
    tidiness,
)
from understudy.registry import create, register
from understudy.roles import Participant, Reaction, Rng, Scene
from understudy.schema import Ability, Choice, Impression, Json, Question, Rating, Record, Ref, Slider, Trial

ATTENTIVE = Ability(accuracy=0.9, person_sd=0.5)
"""How often they are right about other things, such as the exercises before the task."""
_SPREAD = 0.35
_MORE_AT_RISK = {"accuracy_low": 4.0, "accuracy_medium": 6.0, "accuracy_high": 9.0}
"""Points of accuracy that people ask for on top, about as many as in Kim et al. (2022)."""


class PredictionHabits(Record):
    """How carefully people look, and how long they take."""

    noise: float = Field(default=0.15, ge=0)
    """How far a glance is off, on a scale from 0 to 1."""
    lapse: float = Field(default=0.05, ge=0, le=1)
    """The share of answers that are guesses."""
    doubt: float = Field(default=0.35, ge=0, le=1)
    """The share of single maps that they do not believe whatever they show: people know that some predictions are wrong."""
    photo_s: float = Field(default=12.0, gt=0)
    """Median time on a page with one map, in seconds."""
    row_s: float = Field(default=3.0, gt=0)
    """What each row or option adds."""
    others: Ref = Ref(name="careful")
    """The participant who answers every other page."""


class PredictionViewer(Protocol):
    """Somebody with a way of looking at maps and rows; every number is from 0 to 1."""

    @property
    def habits(self) -> PredictionHabits:
        """How they look."""

    def trust(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Say how far a map speaks for its class."""

    def preference(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Say how far one of several maps speaks for its class; only comparisons on one page count."""

    def match(self, row: SeenRow, pictures: Mapping[str, bytes]) -> float:
        """Say how similar the regions of a row are."""


class Glance(NamedTuple):
    """A page, the pictures on it, and how sharply the person looks at it."""

    page: PredictionPage
    pictures: Mapping[str, bytes]
    noise: float


def judged_page(viewer: PredictionViewer, trial: Trial, impression: Impression, rng: Rng) -> Reaction | None:
    """Answer a page about a prediction; None if the page is about something else."""
    page = prediction_page(trial)
    if page is None or not trial.asks:
        return None
    habits = viewer.habits
    glance = Glance(page, impression.pictures, habits.noise * _share_of_noise(impression))
    seen = _Seen.of(viewer, glance, rng)
    answers: Json = {
        question.question_id: random_answer(question, rng)
        if rng.random() < habits.lapse
        else seen.answer(question, impression, rng)
        for question in trial.asks
    }
    n_parts = len(page.maps) + sum(len(rows) for rows in page.rows.values())
    median_s = habits.photo_s + habits.row_s * max(0, n_parts - 1)
    return Reaction(response={**answers, **trial.typical}, rt_ms=1000 * median_s * exp(_SPREAD * rng.standard_normal()))


def other_page(
    viewer: PredictionViewer, trial: Trial, impression: Impression, rng: Rng, *, scene: Scene | None
) -> Reaction | None:
    """Answer a page that is not about a prediction, as the other participant would; demands rise with risk."""
    participant: Participant = create("participants", viewer.habits.others)
    reaction = participant.respond(trial, impression, rng, scene)
    accuracy = trial.params.get("accuracy")
    if reaction is None or not isinstance(accuracy, int | float):
        return reaction
    wanted: Json = {
        question.question_id: float(
            round(min(max(accuracy + more + 5 * rng.standard_normal(), question.low), question.high))
        )
        for question in trial.asks
        if isinstance(question, Slider) and (more := _MORE_AT_RISK.get(question.question_id)) is not None
    }
    return Reaction(response={**reaction.response, **wanted}, rt_ms=reaction.rt_ms)


class _Seen(NamedTuple):
    """What somebody took in of a page; options are named as on the page, and '' is the only one."""

    trust: dict[str, float]
    """How far each option speaks for its class; of maps without noise, because each question is another look."""
    rows: dict[str, list[float]]
    shown: list[bool | None]
    """The model's decisions at the steps, where the page shows them."""
    fork: tuple[bool, bool] | None
    noise: float
    """How far each look at a map is off."""
    doubt: float
    """How often a single map is not believed whatever it shows."""

    @classmethod
    def of(cls, viewer: PredictionViewer, glance: Glance, rng: Rng) -> "_Seen":
        def off() -> float:
            return glance.noise * float(rng.standard_normal())

        page = glance.page
        rows = {
            option: [viewer.match(row, glance.pictures) + off() for row in own] for option, own in page.rows.items()
        }
        trust = _trusted_maps(viewer, glance)
        trust |= {option: _trusted_rows(page.rows[option], own) for option, own in rows.items() if own}
        fork = None
        if page.fork is not None:
            first = viewer.match(page.fork.first, glance.pictures) + off() > 0.5
            branch = page.fork.if_present if first else page.fork.if_absent
            fork = first, viewer.match(branch, glance.pictures) + off() > 0.5
        shown = [row.is_present for row in page.rows.get("", ())]
        noise = glance.noise if page.maps else 0.0
        return cls(trust, rows, shown, fork, noise, viewer.habits.doubt if page.maps else 0.0)

    def answer(self, question: Question, impression: Impression, rng: Rng) -> JsonValue:
        """Answer one question from what was seen; questions about oneself by the impression, which has no key."""
        name = question.question_id
        option, _, row = name.rpartition("row_")
        if isinstance(question, Rating) and row.isdigit():
            own = self.rows.get(option.removeprefix("option_").removesuffix("_"), [])
            return _point(own[int(row) - 1] if int(row) <= len(own) else 0.5, question.points)
        if isinstance(question, Choice):
            return self._choice(question, rng)
        if isinstance(question, Rating) and name == "agreement" and "" in self.trust:
            if rng.random() < self.doubt:
                return _point(0.5 * float(rng.random()), question.points)
            disagrees = 0.1 if self._first_doubt() is not None else 0.0
            return _point(self._looked("", rng) - disagrees, question.points)
        return impressed_answer(question, impression, rng)

    def _choice(self, question: Choice, rng: Rng) -> JsonValue:
        if question.question_id in ("decision_1", "decision_2") and self.fork is not None:
            return question.options[int(self.fork[question.question_id == "decision_2"])]
        if question.question_id == "first_disagreement":
            doubt = self._first_doubt()
            return question.options[-1 if doubt is None else min(doubt, len(question.options) - 1)]
        known = {option: self._looked(option, rng) for option in self.trust if option in question.options}
        return max(known, key=lambda option: known[option]) if known else random_answer(question, rng)

    def _looked(self, option: str, rng: Rng) -> float:
        """Look again: somebody who is asked twice about maps that are nearly alike may answer differently."""
        return self.trust[option] + self.noise * float(rng.standard_normal())

    def _first_doubt(self) -> int | None:
        """Return the first step at which the person decides otherwise than the page says."""
        own = self.rows.get("", [])
        differs = (said is not None and said != (value > 0.5) for said, value in zip(self.shown, own, strict=False))
        return next((k for k, is_doubted in enumerate(differs) if is_doubted), None)


def _trusted_maps(viewer: PredictionViewer, glance: Glance) -> dict[str, float]:
    """Return how far the only map speaks for its class, or each of several compared with the strongest on the page."""
    maps = glance.page.maps
    if len(maps) < 2:
        return {option: viewer.trust(seen, glance.pictures) for option, seen in maps.items()}
    found = {option: viewer.preference(seen, glance.pictures) for option, seen in maps.items()}
    strongest = max(map(abs, found.values())) or 1.0
    return {option: value / strongest for option, value in found.items()}


def _trusted_rows(rows: Sequence[SeenRow], likeness: Sequence[float]) -> float:
    """Return how similar rows are on average; where the page says what the model decided, how far each step fits that."""
    fits = [1 - value if row.is_present is False else value for row, value in zip(rows, likeness, strict=True)]
    return sum(fits) / len(fits)


def _share_of_noise(impression: Impression) -> float:
    """Return how much of the noise remains: a quarter less for each unit of ability that pages without a key show."""
    latents = [value for name, value in impression.latents.items() if name.endswith(("agreement", "confidence"))]
    return float(0.75 ** (sum(latents) / len(latents))) if latents else 1.0


def _point(value: float, points: int) -> int:
    return min(max(1 + int(value * points), 1), points)


# Four ways of looking at explanations: believing what is tidy, adding up a map, comparing regions, walking the tree.


class Viewer(Record):
    """Looks at the explanation of a prediction: trusts a map by its mean, and compares regions by their likeness."""

    ability: ClassVar[Ability] = ATTENTIVE
    habits: PredictionHabits = PredictionHabits()

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Judge pages about predictions; answer others attentively."""
        return judged_page(self, trial, impression, rng) or other_page(self, trial, impression, rng, scene=scene)

    def trust(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Trust a map by its mean."""
        return 0.4 + strength(seen.values)

    def preference(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Prefer the map with the most evidence for its class."""
        return evidence_for(seen.values)

    def match(self, row: SeenRow, pictures: Mapping[str, bytes]) -> float:
        """Compare regions."""
        return likeness(row, pictures)


@register("participants", "believer")
class Believer(Viewer):
    """Agrees with any tidy map, and finds most regions similar; the confirmation bias of Kim et al. (2022).

    Of several maps, it takes the one with the most evidence for its class, and overlooks evidence against.
    """

    habits: PredictionHabits = PredictionHabits(doubt=0.0)
    benefit: float = Field(default=0.25, ge=0, le=1)
    """What is added to every likeness, or taken off it where the page says that the prototype is absent."""

    def trust(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Trust a map that has its evidence in one place; a pale one less."""
        return 0.25 + tidiness(seen.values) * max(0.0, float(seen.values.max()))

    def match(self, row: SeenRow, pictures: Mapping[str, bytes]) -> float:
        """Give regions the benefit of the doubt."""
        return likeness(row, pictures) + (-self.benefit if row.is_present is False else self.benefit)


@register("participants", "map_sum_reader")
class MapSumReader(Viewer):
    """Adds up each map and takes the largest sum for the model's answer; the rule that makes BagNet readable."""

    habits: PredictionHabits = PredictionHabits(noise=0.05)

    def preference(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Prefer the largest sum; evidence against counts."""
        return strength(seen.values)


@register("participants", "similarity_judge")
class SimilarityJudge(Viewer):
    """Compares colours, contrasts and edges, and believes a class whose prototypes look similar.

    A map is believed as far as the marked area looks unlike the rest of the photo: it then marks a thing and not the
    background. How strong a single map is does not count; of several, a faint one is hardly seen.
    """

    habits: PredictionHabits = PredictionHabits(noise=0.1)

    def trust(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Trust a map that marks something which stands out."""
        return 2 * distinctness(seen, pictures)

    def preference(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Prefer what stands out most, as far as it is marked at all: next to strong maps, nobody sees a faint one."""
        return distinctness(seen, pictures) * evidence_for(seen.values)

    def match(self, row: SeenRow, pictures: Mapping[str, bytes]) -> float:
        """Compare the features of both regions."""
        return feature_likeness(row, pictures)


@register("participants", "tree_walker")
class TreeWalker(Viewer):
    """Checks each step: a prototype is present if the regions look more similar than a threshold."""

    habits: PredictionHabits = PredictionHabits(noise=0.05)
    threshold: float = Field(default=0.6, gt=0, lt=1)
    """The likeness from which a prototype counts as present."""

    def trust(self, seen: SeenMap, pictures: Mapping[str, bytes]) -> float:
        """Trust a map by how tidy it is."""
        return tidiness(seen.values)

    def match(self, row: SeenRow, pictures: Mapping[str, bytes]) -> float:
        """Compare regions, with the threshold in the middle of the scale."""
        return likeness(row, pictures) + 0.5 - self.threshold
