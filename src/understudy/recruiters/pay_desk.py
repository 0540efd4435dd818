"""Pay desk: what a platform with an API can be asked about its people, and ordered to pay."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

SubmissionStatus: TypeAlias = Literal[
    "active", "waiting", "approved", "returned", "timed_out", "screened_out", "rejected", "unclear"
]
"""waiting: for a human to approve, to ask for a return, or to reject; unclear: the platform says something that we do not know."""

DECIDING: tuple[SubmissionStatus, ...] = (
    "approved", "waiting", "active", "unclear", "rejected", "screened_out", "returned", "timed_out",
)  # fmt: skip
"""Of several submissions of one person, the one whose status comes first here says how the person stands."""


class PaidSubmission(NamedTuple):
    """What a platform knows of one person's part in a study, right now."""

    submission_id: str
    recruiter_id: str
    status: SubmissionStatus
    reward_cents: int
    """What approving pays."""
    fixed_cents: int = 0
    """What was paid because the person was screened out."""
    bonus_cents: int = 0
    """All bonuses that were paid."""
    is_return_requested: bool = False

    @property
    def paid_cents(self) -> int:
        """Everything that the person got."""
        return (self.reward_cents if self.status == "approved" else 0) + self.fixed_cents + self.bonus_cents


class BonusOrder(NamedTuple):
    """A bonus that is to be paid."""

    submission_id: str
    cents: int
    reason: str


class PayDesk(Protocol):
    """One study at one platform, in the name of one account."""

    @property
    def most_bonuses(self) -> int:
        """How many bonuses go into one order; what is true of an order is true of all of them."""

    def submissions(self) -> Sequence[PaidSubmission]:
        """Return everybody's submission; bonuses may be left out, `submission` has them."""

    def submission(self, submission_id: str) -> PaidSubmission:
        """Return one submission as it is now."""

    def approve(self, submission_id: str) -> None:
        """Pay the reward. Approving twice pays once."""

    def prepare_bonuses(self, orders: Sequence[BonusOrder]) -> str:
        """Tell the platform of bonuses without paying them, and return what it calls this order."""

    def pay_bonuses(self, order_id: str, orders: Sequence[BonusOrder]) -> None:
        """Pay bonuses that were prepared; raise NoAnswer if it is unknown whether they are paid."""
