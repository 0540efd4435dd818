"""Pay and bonus."""

from pydantic import Field

from understudy.schema.record import Record

_WITHOUT_CENTS = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"}
)
"""Currencies that ISO 4217 lists without a smaller unit."""


def minor_digits(currency: str) -> int:
    """Return how many decimals an amount can be paid with; of currencies with three, two are used."""
    return 0 if currency in _WITHOUT_CENTS else 2


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
