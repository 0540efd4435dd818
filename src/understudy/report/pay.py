"""Pay and time in the report: what was promised, and what people got if known."""

from dataclasses import dataclass

from understudy.report import theme
from understudy.report.cards import DisplayValue, Fact
from understudy.schema import Study


@dataclass(frozen=True)
class LedgerTotals:
    """What the ledger of payments adds up to."""

    owed: float
    confirmed: float
    on_its_way: float


@dataclass(frozen=True)
class PaidTime:
    """Mean pay and median time over all paid sessions."""

    n_paid: int
    mean_pay: float | None
    median_minutes: float | None
    hourly: tuple[tuple[str, float], ...] = ()
    """Condition and its median pay over its median time, as an hour's pay."""
    ledger: LedgerTotals | None = None
    """Absent where nothing was paid through understudy."""


def pay_facts(study: Study, paid: PaidTime | None) -> tuple[Fact, ...]:
    """Return the facts on pay and time; empty if the study does not pay."""
    pay = study.pay
    if pay is None:
        return ()
    facts = [Fact("Base pay", DisplayValue(money(pay.base, pay.currency)))]
    for bonus in pay.bonuses:
        cap = f"at most {money(bonus.at_most, pay.currency)}" if bonus.at_most is not None else "without an upper limit"
        facts.append(
            Fact("Bonus", DisplayValue(f"{rate(bonus.per_unit, pay.currency)} per unit of {bonus.measure}"), cap)
        )
    if pay.expected_minutes is not None:
        hourly = money(pay.base / pay.expected_minutes * 60, pay.currency)
        facts.append(
            Fact("Expected time", DisplayValue(f"{pay.expected_minutes:g} min"), f"{hourly} per hour before bonus")
        )
    if paid is not None:
        minimum = study.recruitment.hourly_minimum if study.recruitment is not None else None
        facts += [*_observed(paid, pay.currency), *_hourly(paid, pay.currency, minimum), *_totals(paid, pay.currency)]
    return tuple(facts)


def money(amount: float, currency: str) -> str:
    """Format an amount with its currency.

    >>> money(3.5, "GBP")
    'GBP 3.50'
    """
    return f"{currency} {amount:,.2f}"


def rate(amount: float, currency: str) -> str:
    """Format an amount for each unit as the study file has it, which may be parts of a cent.

    >>> rate(0.0333, "USD"), rate(0.1, "USD")
    ('USD 0.0333', 'USD 0.10')
    """
    return money(amount, currency) if round(amount, 2) == amount else f"{currency} {amount:,.10f}".rstrip("0")


def _observed(paid: PaidTime, currency: str) -> list[Fact]:
    mean = (
        DisplayValue(theme.DASH, "nobody was paid")
        if paid.mean_pay is None
        else DisplayValue(money(paid.mean_pay, currency))
    )
    gap = DisplayValue(theme.DASH, "no session has an end")
    minutes = gap if paid.median_minutes is None else DisplayValue(f"{paid.median_minutes:.1f} min")
    hourly = ""
    if paid.mean_pay is not None and paid.median_minutes:
        hourly = f"{money(paid.mean_pay / paid.median_minutes * 60, currency)} per hour at this time"
    return [Fact("Mean pay", mean, f"{paid.n_paid:,} paid"), Fact("Median time", minutes, hourly)]


def _hourly(paid: PaidTime, currency: str, minimum: float | None) -> list[Fact]:
    facts = []
    for condition, amount in paid.hourly:
        is_low = minimum is not None and amount < minimum
        note = (
            f"less than the {money(minimum or 0, currency)} that the study states"
            if is_low
            else "median pay over median time"
        )
        facts.append(Fact(f"Pay per hour, {condition}", DisplayValue(money(amount, currency)), note))
    return facts


def _totals(paid: PaidTime, currency: str) -> list[Fact]:
    if paid.ledger is None:
        return []
    told = f"of {money(paid.ledger.owed, currency)} owed; {money(paid.ledger.on_its_way, currency)} on its way"
    return [Fact("Paid and confirmed", DisplayValue(money(paid.ledger.confirmed, currency)), told)]
