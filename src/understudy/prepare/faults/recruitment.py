"""Faults of recruitment: what the recruiter needs and the study file does not say."""

from collections.abc import Iterator
from math import floor

from understudy.errors import UnknownName
from understudy.registry import create
from understudy.roles import Recruiter
from understudy.schema import Gate, Stop, Study, blocks_in
from understudy.schema.pay import minor_digits


def recruitment_faults(study: Study) -> Iterator[str]:
    """Yield one sentence for each thing that keeps people from being recruited and paid as the study file says."""
    yield from _uneven_amounts(study)
    if study.recruitment is None:
        return
    try:
        recruiter: Recruiter = create("recruiters", study.recruitment.recruiter)
    except UnknownName as error:
        yield f"The recruiter: {error}"
        return
    yield from recruiter.missing_from(study)


def _uneven_amounts(study: Study) -> Iterator[str]:
    """Yield a sentence for each amount that nobody can pay, because it has parts of a cent."""
    amounts = {"pay.base": study.pay.base} if study.pay is not None else {}
    for block in blocks_in(study.flow):
        rules: tuple[Gate | Stop, ...] = (*block.stops, *filter(None, [block.gate]))
        amounts |= {f"pay_amount of {block.block_id}": rule.pay_amount for rule in rules if rule.pay_amount is not None}
    digits = minor_digits(study.pay.currency) if study.pay is not None else 2
    unit, smallest = (
        (0.01, "to the cent") if digits else (1.0, f"in {study.pay.currency if study.pay else ''}, which has no cents")
    )
    for name, amount in amounts.items():
        if round(amount, digits) != amount:
            low = floor(amount * 10**digits) / 10**digits
            yield f"{name} is {amount}, which cannot be paid {smallest}; write {low:.{digits}f} or {low + unit:.{digits}f}."
