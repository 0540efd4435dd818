"""Observer check: what counterfactual pictures change, read off them by a model that sees attributes."""

from typing import Literal, TypeAlias

from pydantic import Field, model_validator

from understudy.schema.record import Record

MovementVerdict: TypeAlias = Literal["moves as it should", "stays as it should", "should move", "should stay"]


_HALF = 0.5


class MovementRule(Record):
    """When an attribute counts as moved: the mean change along a row is at least so many standard deviations."""

    spreads: float = Field(default=1.0, gt=0)
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
    def is_unread(self) -> bool:
        """Whether the observer misses more than half, so that a change would go unseen."""
        return self.unexplained is not None and self.unexplained > _HALF


class ObserverCheck(Record):
    """What counterfactuals move, and whether that is what they should move."""

    format: Literal[1] = 1
    observer: str
    n_rows: int
    n_steps: int
    """Pictures in a row."""
    rule: MovementRule = MovementRule()
    attributes: tuple[AttributeMovement, ...] = Field(min_length=1)

    @property
    def passes(self) -> bool:
        """Whether everything moves that should, and nothing else does."""
        return all(row.verdict.endswith("as it should") for row in self.attributes)

    @property
    def faults(self) -> tuple[str, ...]:
        """One sentence for each attribute that does not do what it should."""
        return tuple(
            f"{row.attribute} {row.verdict}: along a row it moves by {row.mean_in_spreads:.2f} standard deviations."
            + (" The observer can hardly read it, so this says little." if row.is_unread else "")
            for row in self.attributes
            if not row.verdict.endswith("as it should")
        )

    @model_validator(mode="after")
    def _verdicts_follow_the_rule(self) -> "ObserverCheck":
        for row in self.attributes:
            if row.verdict != movement_verdict(row.mean_in_spreads, row.should_move, self.rule):
                raise ValueError(f"{row.attribute!r} is said: {row.verdict}, which is not what its rule says")
        return self


def movement_verdict(mean_in_spreads: float, should_move: bool, rule: MovementRule) -> MovementVerdict:
    """Judge whether an attribute does what it should."""
    moves = mean_in_spreads >= rule.spreads
    if should_move:
        return "moves as it should" if moves else "should move"
    return "should stay" if moves else "stays as it should"
