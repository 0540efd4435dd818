"""Pay ledger: every step of every payment, entered before and after the platform is asked."""

from typing import Literal, TypeAlias

from pydantic import Field

from understudy.schema.record import Record

PayWay: TypeAlias = Literal["reward", "screen_out", "bonus", "list"]
"""reward: the recruiter's fixed reward, paid by approving; screen_out: its fixed amount for people who are screened out;
bonus: an amount on top; list: by hand, from a file."""
PayStep: TypeAlias = Literal["ordered", "accepted", "confirmed", "failed", "return_asked", "rejected"]
"""The last two are decisions of a researcher about a person's part in the study, with a reason and without money."""


class PayEntry(Record):
    """One step of a payment. What is owed follows from the events of the session."""

    study_name: str
    session_hash: str
    """Which session, as a one-way hash: erasing a session needs no change here, and money stays accounted for."""
    seq: int = Field(ge=1)
    """Counts the steps of one session, so that two programs cannot pay the same person at the same time."""
    at_ms: int
    step: PayStep
    """ordered: about to be asked of the recruiter; accepted: the recruiter took the order and will pay it; confirmed: the recruiter says that it is paid; failed: the recruiter
    says, or time has shown, that it is not."""
    way: PayWay
    cents: int = Field(ge=0)
    currency: str
    reason: str
    """Why it is paid, or why the recruiter did not."""
    order_id: str = ""
    """What the recruiter or a file calls the order; empty for money that was paid without one of ours."""
    actor: str = ""
    """Who ordered it."""
