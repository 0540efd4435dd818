"""Rule: conditions under which the model gives the same answer, whatever else changes."""

from typing import Literal

from pydantic import Field, model_validator

from understudy.schema.explanations.explanation import Explanation
from understudy.schema.record import Record


class RuleCondition(Record):
    """One condition: a feature keeps its value, or a word stays in the text."""

    feature: str | None = None
    value: str | None = None
    token: str | None = None
    position: int | None = Field(default=None, ge=0)
    """Which token it is, counted from 0; None if the word occurs more often than in the rule."""

    @model_validator(mode="after")
    def _feature_or_token(self) -> "RuleCondition":
        if (self.feature is None) == (self.token is None):
            raise ValueError("a condition is about a feature or about a token. Give exactly one of the two.")
        return self


class RuleExplanation(Explanation):
    """While all conditions hold, the model gives this label."""

    kind: Literal["rule"] = "rule"
    label: str
    conditions: tuple[RuleCondition, ...]
    tokens: tuple[str, ...] = ()
    """The whole text, if conditions are about words."""
    precision: float | None = None
    coverage: float | None = None

    @property
    def named_classes(self) -> tuple[str, ...]:
        """The label that the rule gives."""
        return (self.label,)
