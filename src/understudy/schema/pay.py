"""Pay and bonus."""

from pydantic import Field

from understudy.schema.record import Record


class Bonus(Record):
    """A bonus: an amount for each unit of a session measure."""

    measure: str
    per_unit: float = Field(gt=0)
    at_most: float | None = Field(default=None, gt=0)


class Pay(Record):
    """What participants are paid."""

    currency: str = "USD"
    base: float = Field(ge=0)
    bonuses: tuple[Bonus, ...] = ()
    expected_minutes: float | None = Field(default=None, gt=0)
