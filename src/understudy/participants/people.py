"""The general cast: simulated people who answer every kind of question."""

from math import erf, exp, sqrt
from typing import assert_never

from pydantic import Field, JsonValue

from understudy.registry import create, register
from understudy.roles import Participant, Reaction, Rng, Scene, mind_of
from understudy.schema import Impression, Json, Question, Record, Ref, Trial, questions

# Answers of simulated people to each kind of question: by impression, at random, or with the least effort.

SYNTHETIC_WORDS = "[synthetic] I looked at what was shown and chose what seemed to fit best. "


def impressed_answer(question: Question, impression: Impression, rng: Rng) -> JsonValue:
    """Answer as the impression suggests: the answer believed correct, or the latent value mapped to the scale."""
    if question.question_id in impression.answers:
        return impression.answers[question.question_id]
    latent = impression.latents.get(question.question_id, 0.0)
    match question:
        case questions.Choice():
            # The normal distribution function turns the latent into a share, so that all options are equally likely.
            share = 0.5 * (1 + erf(latent / sqrt(2)))
            return question.options[min(int(share * len(question.options)), len(question.options) - 1)]
        case questions.Rating():
            return _point(latent, question.points)
        case questions.Matrix():
            return {row: _point(latent + 0.5 * float(rng.normal()), question.points) for row in question.rows}
        case questions.Slider():
            # A latent of ±2 reaches the ends of the scale.
            middle, reach = (question.low + question.high) / 2, (question.high - question.low) / 4
            return _stepped(question, min(max(middle + latent * reach, question.low), question.high))
        case questions.Number():
            return _bounded(question, impression.center + impression.spread * latent)
        case questions.MultipleChoice() | questions.FreeText() | questions.Ranking() | questions.Dials():
            return random_answer(question, rng)
        case _:
            assert_never(question)


def random_answer(question: Question, rng: Rng) -> JsonValue:
    """Answer at random, regardless of the question."""
    match question:
        case questions.Choice():
            return question.options[int(rng.integers(len(question.options)))]
        case questions.MultipleChoice():
            n = int(rng.integers(max(question.min_chosen, 1), len(question.options) + 1))
            return [question.options[int(k)] for k in sorted(rng.permutation(len(question.options))[:n])]
        case questions.Rating():
            return int(rng.integers(1, question.points + 1))
        case questions.Matrix():
            return {row: int(rng.integers(1, question.points + 1)) for row in question.rows}
        case questions.Slider():
            return _stepped(question, float(rng.uniform(question.low, question.high)))
        case questions.Number():
            low, high = _ends(question)
            return _bounded(question, float(rng.uniform(low, high)))
        case questions.FreeText():
            return _words(question)
        case questions.Ranking():
            return [question.options[int(k)] for k in rng.permutation(len(question.options))]
        case questions.Dials():
            return {"code": _random_code(question, rng), "outcome": "skipped"}
        case _:
            assert_never(question)


def effortless_answer(question: Question) -> JsonValue:
    """Answer with the least effort: the first option, the middle of a scale, the shortest text."""
    match question:
        case questions.Choice():
            return question.options[0]
        case questions.MultipleChoice():
            return list(question.options[: max(question.min_chosen, 1)])
        case questions.Rating():
            return (question.points + 1) // 2
        case questions.Matrix():
            return dict.fromkeys(question.rows, (question.points + 1) // 2)
        case questions.Slider():
            return _stepped(question, (question.low + question.high) / 2)
        case questions.Number():
            low, high = _ends(question)
            return _bounded(question, (low + high) / 2)
        case questions.FreeText():
            return _words(question)
        case questions.Ranking():
            return list(question.options)
        case questions.Dials():
            return {"code": _middle_code(question), "outcome": "skipped"}
        case _:
            assert_never(question)


def _random_code(question: questions.Dials, rng: Rng) -> list[JsonValue]:
    code: list[JsonValue] = []
    for dial in question.dials:
        if dial.kind == "discrete":
            chosen = int(rng.integers(dial.n_inputs))
            code.extend(float(k == chosen) for k in range(dial.n_inputs))
        else:
            code.append(float(rng.uniform(dial.low, dial.high)))
    return code


def _middle_code(question: questions.Dials) -> list[JsonValue]:
    code: list[JsonValue] = []
    for dial in question.dials:
        if dial.kind == "discrete":
            code.extend(float(k == 0) for k in range(dial.n_inputs))
        else:
            code.append((dial.low + dial.high) / 2)
    return code


def _point(latent: float, points: int) -> int:
    return min(max(round((points + 1) / 2 + latent * (points - 1) / 4), 1), points)


def _ends(question: questions.Number) -> tuple[float, float]:
    low = question.low if question.low is not None else (question.high - 100 if question.high is not None else 0.0)
    return low, question.high if question.high is not None else low + 100


def _bounded(question: questions.Number, value: float) -> float:
    if question.low is not None:
        value = max(value, question.low)
    if question.high is not None:
        value = min(value, question.high)
    if not question.is_whole:
        return value
    whole = float(round(value))
    if question.low is not None and whole < question.low:
        return whole + 1
    return whole - 1 if question.high is not None and whole > question.high else whole


def _stepped(question: questions.Slider, value: float) -> float:
    if question.step is None:
        return value
    return min(question.low + round((value - question.low) / question.step) * question.step, question.high)


def _words(question: questions.FreeText) -> str:
    text = SYNTHETIC_WORDS
    while len(text.strip()) < question.min_chars:
        text += SYNTHETIC_WORDS
    words = text.strip()[: question.max_chars]
    # A blank at the end does not count towards the wanted length.
    return words if words == words.strip() else f"{words[:-1]}."


@register("participants", "guesser")
class Guesser(Record):
    """Answers at random."""

    median_s: float = Field(default=4.0, gt=0)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Guess every answer."""
        return _reaction(trial, {q.question_id: random_answer(q, rng) for q in trial.asks}, self.median_s, rng)


@register("participants", "careful")
class Careful(Record):
    """Always answers by impression."""

    median_s: float = Field(default=9.0, gt=0)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Answer by impression."""
        answers = {q.question_id: impressed_answer(q, impression, rng) for q in trial.asks}
        return _reaction(trial, answers, self.median_s, rng)


@register("participants", "noisy")
class Noisy(Record):
    """Answers by impression, but sometimes guesses."""

    lapse: float = Field(default=0.15, ge=0, le=1)
    median_s: float = Field(default=7.0, gt=0)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Guess or answer by impression."""
        return _lapsing(trial, impression, rng, lapse=self.lapse, median_s=self.median_s)


@register("participants", "learner")
class Learner(Record):
    """Starts by guessing and learns to answer by impression; lapses halve every `half_life` trials."""

    first_lapse: float = Field(default=0.8, ge=0, le=1)
    half_life: float = Field(default=5.0, gt=0)
    median_s: float = Field(default=9.0, gt=0)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Lapse less with every trial."""
        lapse = self.first_lapse * 0.5 ** (impression.n_seen / self.half_life)
        return _lapsing(trial, impression, rng, lapse=lapse, median_s=self.median_s)


@register("participants", "straight_liner")
class StraightLiner(Record):
    """Quickly takes the first option or the middle of every scale."""

    median_s: float = Field(default=1.2, gt=0)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Answer with the least effort."""
        return _reaction(trial, {q.question_id: effortless_answer(q) for q in trial.asks}, self.median_s, rng)


@register("participants", "dropout")
class Dropout(Record):
    """Leaves before a trial with a fixed probability; behaves like another participant until then."""

    hazard: float = Field(default=0.03, ge=0, le=1)
    until_then: Ref = Ref(name="careful")

    def mind(self) -> "DropoutMind":
        """Return a person for one session, with the memory of the other participant."""
        return DropoutMind(self.hazard, mind_of(create("participants", self.until_then)))

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Leave, or answer as the other participant would."""
        return self.mind().respond(trial, impression, rng, scene)


class DropoutMind:
    """A person who may leave before any trial."""

    def __init__(self, hazard: float, until_then: Participant) -> None:
        self._hazard = hazard
        self._until_then = until_then

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Leave, or answer as the other participant would."""
        return None if rng.random() < self._hazard else self._until_then.respond(trial, impression, rng, scene)


def _lapsing(trial: Trial, impression: Impression, rng: Rng, *, lapse: float, median_s: float) -> Reaction:
    answers: Json = {
        q.question_id: random_answer(q, rng) if rng.random() < lapse else impressed_answer(q, impression, rng)
        for q in trial.asks
    }
    return _reaction(trial, answers, median_s, rng)


def _reaction(trial: Trial, answers: Json, median_s: float, rng: Rng) -> Reaction:
    # Log-normal, as response times roughly are.
    rt_ms = 1000 * median_s * exp(0.4 * float(rng.standard_normal()))
    return Reaction(response={**answers, **trial.typical}, rt_ms=rt_ms)
