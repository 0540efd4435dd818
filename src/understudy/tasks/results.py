"""Pages that tell results: feedback, disclosure, and the trade-off between models."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field, model_validator

from understudy.registry import register
from understudy.roles import AnsweredTrial, AskedIn, Rng
from understudy.schema import (
    Draft,
    FreeText,
    Question,
    Record,
    ResultGroup,
    ShownResult,
    Slider,
    Stimulus,
    TaskParams,
    seed_from,
)
from understudy.tasks.pages import FormParams, FormTask, OnePage


class FeedbackParams(TaskParams):
    """The text above the results, and which of them are shown."""

    text: str = ""
    measures: tuple[str, ...] = ()


@register("tasks", "feedback")
class Feedback(OnePage):
    """Shows session measures by name; their values arrive with the page, never before."""

    Params: ClassVar[type[TaskParams]] = FeedbackParams
    text: str = ""
    measures: tuple[str, ...] = ()


# Result rules: how answers become what people are told about how they did.


class MedianSplit(Record):
    """Counts the higher half of somebody's ratings as "called right"; ties at the middle are filled at random."""

    rule: Literal["median_split"] = "median_split"
    block: str
    question: str
    """A rating that rises with the belief that the model is right."""
    attribute: str = "model_is"
    """The item's attribute that says whether the model is right."""
    right: str = "right"
    """The value of that attribute where it is."""
    title: str = ""

    def result(self, answered: Sequence[AnsweredTrial], rng: Rng) -> ShownResult | None:
        """Return the counts for right and for wrong predictions; None without an answer."""
        rated = [
            (value, trial.truth.get(self.attribute) == self.right)
            for trial in answered
            if isinstance(value := trial.response.get(self.question), int) and not isinstance(value, bool)
        ]
        if not rated:
            return None
        # Shuffled before a stable sort, so that chance alone decides between equal ratings.
        shuffled = rng.permutation(len(rated)).tolist()
        ranked = sorted(shuffled, key=lambda index: -rated[index][0])
        called_right = set(ranked[: len(rated) // 2])
        groups = tuple(
            ResultGroup(
                kind="right" if is_right else "wrong",
                n=sum(truth == is_right for _, truth in rated),
                n_recognised=sum(
                    truth == is_right and (index in called_right) == is_right for index, (_, truth) in enumerate(rated)
                ),
                ratings=tuple(value for value, truth in rated if truth == is_right),
            )
            for is_right in (True, False)
        )
        n_right = sum(group.n_recognised for group in groups)
        points = next((trial.labels[self.question] for trial in answered if self.question in trial.labels), ())
        return ShownResult(
            rule=self.rule, title=self.title, n=len(rated), n_right=n_right, points=points, groups=groups
        )


class ShareCorrect(Record):
    """Counts the answers that equal the key, and names the share that guessing would get right."""

    rule: Literal["share_correct"] = "share_correct"
    block: str
    question: str | None = None
    """The question that counts; by default all that have a right answer, together."""
    chance: float | None = Field(default=None, ge=0, le=1)
    title: str = ""

    def result(self, answered: Sequence[AnsweredTrial], rng: Rng) -> ShownResult | None:
        """Return the count; None if nothing has a right answer."""
        verdicts = []
        for trial in answered:
            asked = trial.key if self.question is None else trial.key.keys() & {self.question}
            if asked:
                verdicts.append(all(trial.response.get(name) == trial.key[name] for name in asked))
        if not verdicts:
            return None
        return ShownResult(rule=self.rule, title=self.title, n=len(verdicts), n_right=sum(verdicts), chance=self.chance)


ResultRule: TypeAlias = Annotated[MedianSplit | ShareCorrect, Field(discriminator="rule")]


def results_by(
    rules: Sequence[MedianSplit | ShareCorrect], answered: Sequence[AnsweredTrial], rng: Rng
) -> tuple[ShownResult, ...]:
    """Return the results of the rules that have something to tell, in their order."""
    seed = int(rng.integers(2**32))
    found = (
        rule.result(
            [trial for trial in answered if trial.block_id == rule.block],
            # Each rule has its own generator, so that a page that repeats one of them tells the same.
            np.random.default_rng(seed_from(seed, rule.block, rule.question or "")),
        )
        for rule in rules
    )
    return tuple(result for result in found if result is not None)


# Disclosure: how somebody did in an earlier part, by a named rule, and questions about it.


@register("tasks", "disclosure")
class Disclosure(FormTask):
    """Tells people their results, which the server computes when the page is reached; it may ask something below."""

    rules: tuple[ResultRule, ...] = Field(min_length=1)
    """How results are made, in the order in which they are shown. Stays on the server."""
    questions: tuple[Question, ...] = ()

    @property
    def told_about(self) -> tuple[AskedIn, ...]:
        """What the results are about."""
        return tuple(AskedIn(rule.block, rule.question) for rule in self.rules)

    def results(self, answered: Sequence[AnsweredTrial], rng: Rng) -> tuple[ShownResult, ...]:
        """Return what the page tells."""
        return results_by(self.rules, answered, rng)

    def drafts(self, stimuli: Sequence[Stimulus], rng: Rng) -> Sequence[Draft]:
        """Return the one page."""
        return [Draft(params=FormParams(text=self.text), asks=self.questions)]


# Trade-off: how accurate a model without explanations would have to be, at three levels of risk, and why.

Risk: TypeAlias = Literal["low", "medium", "high"]
RISKS: tuple[Risk, ...] = ("low", "medium", "high")
Start: TypeAlias = Literal["random", "blank", "accuracy"]


class TradeOffParams(TaskParams):
    """The accuracy that is shown, and where the sliders start."""

    text: str = ""
    accuracy: float = 0.0
    low: int = 0
    high: int = 100
    start: Start = "blank"


@register("tasks", "trade_off")
class TradeOff(OnePage):
    """Asks for the least accuracy, in percent, that a model without explanations must have to be chosen instead.

    The questions are `accuracy_low`, `accuracy_medium`, `accuracy_high` and `reason`. Where a slider starts and
    whether it was left untouched is an event; a slider that nobody touched has no answer.
    """

    Params: ClassVar[type[TaskParams]] = TradeOffParams
    text: str = ""
    accuracy: float = Field(ge=0, le=100)
    """The accuracy of the explained model in percent, as the page shows it; `understudy check` compares it with the model."""
    n_classes: int | None = Field(default=None, ge=2, le=100_000)
    """How many classes people are told that the model knows; `understudy check` compares it with the model."""
    scenarios: dict[Risk, str]
    """What the model would be used for at each risk; the prompts of the sliders."""
    low: int = Field(default=50, ge=0, le=99)
    high: int = Field(default=100, ge=1, le=100)
    start: Start = "blank"
    """blank: the slider has no position at first; random: one drawn for each person and slider; accuracy: the rounded
    accuracy of the explained model."""
    must_touch: bool = True
    """Whether each slider has to be touched; otherwise one that was not has no answer."""
    why: str = "Please explain your three choices."
    min_chars: int = Field(default=0, ge=0, le=1_000_000)
    rules: tuple[ResultRule, ...] = ()
    """Results that the page repeats. Stays on the server."""

    @model_validator(mode="after")
    def _fits(self) -> "TradeOff":
        absent = [risk for risk in RISKS if not self.scenarios.get(risk)]
        if absent:
            raise ValueError(f"the scenario of {absent[0]} risk is missing. Give low, medium and high.")
        if not self.low <= round(self.accuracy) <= self.high or self.low >= self.high:
            raise ValueError(
                f"the sliders run from {self.low} to {self.high}, and the accuracy is {self.accuracy:g}. "
                "Make low the smaller one, with the accuracy between the two."
            )
        return self

    @property
    def questions(self) -> tuple[Question, ...]:
        """A slider for each risk, and the reason."""
        sliders = (
            Slider(
                question_id=f"accuracy_{risk}", prompt=self.scenarios[risk], low=self.low, high=self.high, step=1,
                low_label=f"{self.low}%", high_label=f"{self.high}%", is_required=self.must_touch,
            )
            for risk in RISKS
        )  # fmt: skip
        return (*sliders, FreeText(question_id="reason", prompt=self.why, min_chars=self.min_chars))

    @property
    def told_about(self) -> tuple[AskedIn, ...]:
        """What the results are about."""
        return tuple(AskedIn(rule.block, rule.question) for rule in self.rules)

    def results(self, answered: Sequence[AnsweredTrial], rng: Rng) -> tuple[ShownResult, ...]:
        """Return what the page repeats."""
        return results_by(self.rules, answered, rng)
