"""Observer check: what counterfactual pictures change, read off them by a model that sees attributes.

An observer that cannot read an attribute sees noise there, and noise seems to move: such attributes are listed and decide nothing.
"""

from typing import Any, Literal, TypeAlias

from pydantic import Field, model_validator

from understudy.schema.record import Record

MovementVerdict: TypeAlias = Literal[
    "moves as it should", "stays as it should", "should move", "should stay", "unreadable"
]


class MovementRule(Record):
    """When an attribute counts as moved, and when it is read well enough to tell."""

    spreads: float = Field(default=1.0, gt=0)
    """Moved means: the mean change along a row is at least so many standard deviations."""
    least_r_squared: float = Field(default=0.5, ge=0, lt=1)
    """Readable means: the observer explains at least this share of the variance of the attribute in ordinary pictures."""
    reason: str = (
        "In Table 6 of Sixt et al. (2022) relevant attributes move by 1.5 standard deviations or more along a row, and the "
        "others by 0.7 or less."
    )


class AttributeMovement(Record):
    """How far an attribute moves along rows of counterfactuals."""

    attribute: str
    mean: float
    """Mean over rows of the largest minus the smallest value along a row."""
    sd: float | None
    """Standard deviation over rows; None for a single row."""
    mean_in_spreads: float
    """The mean in standard deviations of the attribute among ordinary pictures."""
    unexplained: float | None = None
    """Share of the variance of the attribute that the observer misses; None if that was not measured."""
    should_move: bool
    verdict: MovementVerdict

    @property
    def r_squared(self) -> float | None:
        """Share of the variance of the attribute that the observer explains; None if that was not measured."""
        return None if self.unexplained is None else 1 - self.unexplained


class ObserverCheck(Record):
    """What counterfactuals move, and whether that is what they should move."""

    format: Literal[2] = 2
    observer: str
    n_rows: int
    n_steps: int
    """Pictures in a row."""
    rule: MovementRule = MovementRule()
    attributes: tuple[AttributeMovement, ...] = Field(min_length=1)

    @property
    def passes(self) -> bool:
        """Whether, of what the observer can read, everything moves that should and nothing else does."""
        return not self.faults

    @property
    def unreadable(self) -> tuple[str, ...]:
        """Attributes that the observer cannot read, which decide nothing."""
        return tuple(row.attribute for row in self.attributes if row.verdict == "unreadable")

    @property
    def faults(self) -> tuple[str, ...]:
        """One sentence for each readable attribute that does not do what it should."""
        found = [
            f"{row.attribute} {row.verdict}: along a row it moves by {row.mean_in_spreads:.2f} standard deviations."
            for row in self.attributes
            if row.verdict in ("should move", "should stay")
        ]
        deciding = [row for row in self.attributes if row.verdict != "unreadable"]
        if not deciding or (self._moving and not any(row.should_move for row in deciding)):
            found.append(
                f"{self.observer} cannot read {', '.join(self._moving or self.unreadable)}: it explains less than "
                f"{self.rule.least_r_squared:.0%} of the variance. Train an observer that can."
            )
        return tuple(found)

    @property
    def _moving(self) -> tuple[str, ...]:
        return tuple(row.attribute for row in self.attributes if row.should_move)

    @model_validator(mode="before")
    @classmethod
    def _upgraded(cls, stored: Any) -> Any:
        """Read format 1, in which attributes that the observer cannot read decided too."""
        if not isinstance(stored, dict) or stored.get("format") != 1:
            return stored
        least = MovementRule().least_r_squared
        rows = [
            {**row, "verdict": "unreadable"} if (row.get("unexplained") or 0.0) > 1 - least else row
            for row in stored.get("attributes", ())
        ]
        return {**stored, "format": 2, "attributes": rows}

    @model_validator(mode="after")
    def _verdicts_follow_the_rule(self) -> "ObserverCheck":
        for row in self.attributes:
            if row.verdict != movement_verdict(row.mean_in_spreads, row.should_move, self.rule, row.r_squared):
                raise ValueError(f"{row.attribute!r} is said: {row.verdict}, which is not what its rule says")
        return self


def movement_verdict(
    mean_in_spreads: float, should_move: bool, rule: MovementRule, r_squared: float | None = None
) -> MovementVerdict:
    """Judge whether an attribute does what it should; `r_squared` says how well the observer reads it, where that is known."""
    if r_squared is not None and r_squared < rule.least_r_squared:
        return "unreadable"
    moves = mean_in_spreads >= rule.spreads
    if should_move:
        return "moves as it should" if moves else "should move"
    return "should stay" if moves else "stays as it should"
