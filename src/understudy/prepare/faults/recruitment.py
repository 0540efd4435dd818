"""Faults of recruitment: what the recruiter needs and the study file does not say."""

from collections.abc import Iterator
from math import floor

from understudy.errors import UnknownName
from understudy.registry import create
from understudy.roles import Recruiter
from understudy.schema import Gate, Stop, Study, blocks_in


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
    for name, amount in amounts.items():
        if round(amount, 2) != amount:
            low = floor(amount * 100) / 100
            yield f"{name} is {amount}, which cannot be paid to the cent; write {low:.2f} or {low + 0.01:.2f}."
