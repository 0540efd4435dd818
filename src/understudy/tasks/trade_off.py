"""Trade-off: how accurate a model without explanations would have to be, at three levels of risk, and why."""

from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from pydantic import Field, model_validator

from understudy.registry import register
from understudy.roles import AnsweredTrial, AskedIn, Rng
from understudy.schema import FreeText, Question, ShownResult, Slider, TaskParams
from understudy.tasks.one_page import OnePage
from understudy.tasks.result_rules import ResultRule, results_by

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
