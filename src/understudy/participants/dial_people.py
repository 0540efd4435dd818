"""People at the dials: how they turn, watch, name and rate, fitted to published results."""

from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np
from pydantic import Field

from understudy.participants.dial_hand import (
    MAX_VISITS,
    Habits,
    Hand,
    Mismatch,
    gives_up,
    one_dial_at_a_time,
    pause,
    steady_path,
)
from understudy.participants.dial_page import DETAIL_STEP, DialPage, Eye, Frames, LineEye, ObjectEye, steps_apart
from understudy.registry import create, register
from understudy.roles import Floats, Participant, Reaction, Rng, Scene
from understudy.schema import Dials, Impression, Rating, Record, Ref, Trial

PICTURE_WORDS = ("thickness", "left or right", "up or down", "width", "height")
LINE_WORDS = ("height", "tilt", "waves")
CHOICE_WORD = "kind of picture"
NAMING_DOUBT = 0.3
"""Standard deviation of the perceived changes, as a share of the largest."""


def name_dials(hand: Hand, habits: Habits, rng: Rng) -> None:
    """Name some of the dials that were moved; names are optional."""
    touched = {trace.payload["dial"] for trace in hand.traces if trace.action == "changed"}
    for dial in range(len(hand.page.dials)):
        if dial in touched and rng.random() < habits.names:
            pause(hand, habits.name_ms, rng)
            hand.write_label(dial, name_of(hand, dial, rng))


def name_of(hand: Hand, dial: int, rng: Rng) -> str:
    """Return the word for what changes most from one end of a dial to the other, perceived with noise."""
    spec = hand.page.dials[dial]
    if spec.kind == "discrete":
        return CHOICE_WORD
    ends = hand.page.look(hand.page.codes_along(hand.code, dial, np.array([spec.low, spec.high]))).outputs
    shape = hand.page.shape
    is_picture = len(shape) == 2
    before, after = (_picture(row.reshape(shape)) if is_picture else _line(row) for row in ends)
    changes = np.abs(after - before)
    felt = changes + NAMING_DOUBT * changes.max() * rng.standard_normal(len(changes))
    return (PICTURE_WORDS if is_picture else LINE_WORDS)[int(felt.argmax())]


def _picture(pixels: Floats) -> Floats:
    """Return the amount of ink, its centre and its spread, all as shares of the picture."""
    # The small constant keeps an empty picture from dividing by zero.
    ink = np.clip(pixels, 0, None) + 1e-9
    total = ink.sum()
    down, right = (np.linspace(0, 1, n) for n in pixels.shape)
    columns, rows = ink.sum(axis=0) / total, ink.sum(axis=1) / total
    x, y = columns @ right, rows @ down
    wide, high = np.sqrt(columns @ (right - x) ** 2), np.sqrt(rows @ (down - y) ** 2)
    result: Floats = np.array([total / pixels.size, x, y, wide, high])
    return result


def _line(values: Floats) -> Floats:
    """Return the height of a line, its slope, and its deviation from a straight line."""
    along = np.linspace(-1, 1, len(values))
    rise = float(values @ along / (along @ along))
    result: Floats = np.array([values.mean(), rise, (values - values.mean() - rise * along).std()])
    return result


# Rated difficulty: somebody who turned dials finds a model as hard as the questions went.

QUESTION = "difficulty"
"""The single ease question, from very easy to very hard."""
RELIEF = 4.0
"""How many points of seven fewer for solving every question than for solving none.

The line through the published means of the Sinelines (completion .83, .63, .34; difficulty 4.00, 4.07, 5.87) falls by
3.99 points from 7.04; no other data entered.
"""
RATING_DOUBT = 1.4
"""Standard deviation of a rating: what the published 1.7 points on the Sinelines leave beyond people's completion."""


class DialMind:
    """A person during one session, who remembers how the questions of the present model went."""

    def __init__(self, person: Participant) -> None:
        self._person = person
        self._solved: list[bool] = []

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Answer as the person does, but rate difficulty by the questions solved."""
        reaction = self._person.respond(trial, impression, rng, scene)
        if reaction is None:
            return None
        dials = next((question.question_id for question in trial.asks if isinstance(question, Dials)), None)
        answer = reaction.response.get(dials) if dials is not None else None
        if isinstance(answer, dict) and "outcome" in answer:
            if impression.n_in_stage == 0:
                self._solved = []
            self._solved.append(answer["outcome"] == "solved")
        rating = next((question for question in trial.asks if question.question_id == QUESTION), None)
        if not isinstance(rating, Rating) or not self._solved:
            return reaction
        return replace(reaction, response={**reaction.response, QUESTION: _rated(rating, self._solved, rng)})


def _rated(rating: Rating, solved: list[bool], rng: Rng) -> int:
    points = rating.points - RELIEF * (rating.points / 7) * float(np.mean(solved))
    return int(np.clip(round(points + RATING_DOUBT * float(rng.standard_normal())), 1, rating.points))


# The common part of people who turn dials; another participant answers the other questions.


class DialPerson(Record, ABC):
    """Answers a page with dials; each kind of person turns them in its own way."""

    habits: Habits = Habits()
    others: Ref = Ref(name="careful")
    """The participant who answers the questions without dials."""

    def mind(self) -> DialMind:
        """Return the person for one session, who remembers how the questions went."""
        return DialMind(self)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Turn the dials, press the button, and return everything that the page would have recorded."""
        page = DialPage.of(trial, scene)
        others = answer_other_questions(trial, page, impression, rng, like=self.others)
        if page is None or others is None:
            return others
        hand = Hand(page)
        is_solved = self.turn_dials(hand, impression, rng)
        if is_solved is None:
            return None
        if page.has_labels:
            name_dials(hand, self.habits, rng)
        pause(hand, self.habits.click_ms, rng)
        answer = hand.finish("solved" if is_solved else "skipped")
        return Reaction(
            response={page.question_id: answer, **others.response},
            rt_ms=hand.t_ms + others.rt_ms,
            interactions=tuple(hand.traces),
            active_ms=hand.active_ms + others.rt_ms,
        )

    @abstractmethod
    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Turn until the match is found (True) or given up (False); return None to leave the study."""


def answer_other_questions(
    trial: Trial, page: DialPage | None, impression: Impression, rng: Rng, *, like: Ref
) -> Reaction | None:
    """Answer everything but live dials as another participant would."""
    if page is not None:
        trial = trial.model_copy(update={"asks": tuple(q for q in trial.asks if q.question_id != page.question_id)})
        if not trial.asks:
            return Reaction(response=dict(trial.typical), rt_ms=0.0)
    answered: Reaction | None = create("participants", like).respond(trial, impression, rng, None)
    return answered


def noise_share(impression: Impression, page: DialPage) -> float:
    """Return the share of a person's noise that remains given their ability: a quarter less for each unit."""
    return float(0.75 ** impression.latents.get(page.question_id, 0.0))


def visual_mismatch(page: DialPage, noise: float, rng: Rng) -> Mismatch:
    """Judge pictures by a noisy impression of how far each one is from the target."""

    def mismatch(frames: Frames) -> Floats:
        felt: Floats = page.differences(frames.outputs) + noise * rng.standard_normal(len(frames.outputs))
        return felt

    return mismatch


# The people who turn dials, with the parameters that `understudy calibrate` fitted to Sinelines.

FITTED = (
    Ref(name="dial_random", params={"habits": {"give_up": 0.04}}),
    Ref(
        name="dial_number_watcher", params={"noise": 0.03, "habits": {"restarts": 0.5, "give_up": 0.04, "pace_s": 3.0}}
    ),
    Ref(name="dial_visual_matcher", params={"noise": 0.2, "habits": {"restarts": 0.0, "give_up": 0.04, "pace_s": 1.5}}),
    Ref(name="dial_learner", params={"noise": 0.2, "memory_noise": 0.5, "habits": {"give_up": 0.04, "pace_s": 1.5}}),
    Ref(
        name="dial_features_matcher",
        params={"noise": 1.0, "habits": {"restarts": 1.0, "give_up": 0.08, "pace_s": 3.0, "hope": 0.3}},
    ),
)
"""Those on the page are the same as in docs/calibration.json; the others keep earlier fits."""


# The features matcher: turns one dial at a time to where the object looks most like the target's.


@register("participants", "dial_features_matcher")
class DialFeaturesMatcher(DialPerson):
    """Compares place, size, direction, elongation, shape and detail of what is shown with the target's."""

    habits: Habits = Habits(hope=0.3)
    noise: float = Field(default=1.0, ge=0)
    """Standard deviation of each comparison, in just noticeable steps."""

    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Match by features."""
        page = hand.page
        noise = self.noise * noise_share(impression, page)
        eye = _eye(page)
        target = eye.features(page.target[None])

        def mismatch(frames: Frames) -> Floats:
            # Laid over each other, two pictures also show which parts do not coincide.
            detail = page.differences(frames.outputs) / DETAIL_STEP
            felt: Floats = steps_apart(eye, frames.outputs, target) + detail
            return felt + noise * rng.standard_normal(len(felt))

        return one_dial_at_a_time(hand, mismatch, self.habits, rng, margin=noise)


def _eye(page: DialPage) -> Eye:
    return ObjectEye(page.shape) if len(page.shape) == 2 else LineEye(len(page.target), page.drawn_range)


# The number watcher: turns one dial at a time to where the agreement is highest.


@register("participants", "dial_number_watcher")
class DialNumberWatcher(DialPerson):
    """Turns one dial at a time by the agreement that the page shows; never looks at the pictures."""

    noise: float = Field(default=0.01, ge=0)
    """Standard deviation of each reading of the number, which is between 0 and 1."""

    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Turn dials to raise the number."""
        noise = self.noise * noise_share(impression, hand.page)

        def mismatch(frames: Frames) -> Floats:
            # The page prints one decimal of a percentage.
            felt: Floats = -frames.agreements.round(3) + noise * rng.standard_normal(len(frames.agreements))
            return felt

        return one_dial_at_a_time(hand, mismatch, self.habits, rng, margin=max(noise, 0.02))


# The random turner: moves random dials, and notices only whether the question is solved.


@register("participants", "dial_random")
class DialRandom(DialPerson):
    """Moves a random dial to a random position, again and again; solves a question only by chance."""

    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Move random dials."""
        for _ in range(MAX_VISITS):
            pause(hand, self.habits.think_ms, rng)
            dial = int(rng.integers(len(hand.page.dials)))
            spec = hand.page.dials[dial]
            if spec.kind == "discrete":
                hand.drag(dial, rng.integers(spec.n_inputs, size=1).astype(float), frame_ms=self.habits.glance_ms)
            else:
                hand.drag(dial, steady_path(hand, dial, float(rng.uniform(spec.low, spec.high)), self.habits.pace_s))
            if hand.is_solved:
                return True
            pause(hand, self.habits.check_ms, rng)
            if gives_up(hand, self.habits, rng):
                return False
        return False if hand.is_offered else None


# The visual matcher: turns one dial at a time to where the picture looks most like the target.


@register("participants", "dial_visual_matcher")
class DialVisualMatcher(DialPerson):
    """Turns one dial at a time by a noisy impression of how similar the pictures are; never reads the number."""

    noise: float = Field(default=0.1, ge=0)
    """Standard deviation of each impression of a difference, in units of the target's contrast."""

    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Match by eye."""
        noise = self.noise * noise_share(impression, hand.page)
        return one_dial_at_a_time(hand, visual_mismatch(hand.page, noise, rng), self.habits, rng, margin=noise)
