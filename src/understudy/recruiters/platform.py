"""What platforms must know of a study, and the desk that pays at one."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

from understudy.schema import Study


def listed_title(study: Study) -> str:
    """Return what people read in the list of studies; the study's own title could give its question away."""
    return (study.recruitment.title if study.recruitment else "") or study.shown_title


def platform_needs(
    study: Study, platform: str, *, currencies: Sequence[str] = (), longest_title: int | None = None
) -> Iterator[str]:
    """Yield a sentence for each thing that a platform which lists paid studies needs."""
    recruitment, pay = study.recruitment, study.pay
    if not listed_title(study):
        yield f"{platform} needs a title that people read in its list; write recruitment.title."
    if longest_title is not None and len(listed_title(study)) > longest_title:
        yield (
            f"The title in the list of {platform} has {len(listed_title(study))} characters; shorten recruitment.title to at most "
            f"{longest_title}."
        )
    if recruitment is None or not recruitment.description:
        yield f"{platform} needs a description that people read before they start; write recruitment.description."
    if pay is None or pay.base <= 0:
        yield f"{platform} needs to know what a participant is paid; write pay.base, more than 0."
    if pay is not None and currencies and pay.currency not in currencies:
        yield f"{platform} pays in {' or '.join(currencies)}, but pay.currency is {pay.currency!r}; write the one of your account."
    if pay is None or pay.expected_minutes is None:
        yield f"{platform} needs to know how long the study takes; write pay.expected_minutes."
    yield from id_needs(study, platform)


def id_needs(study: Study, platform: str) -> Iterator[str]:
    """Yield a sentence if people could start without the id by which the platform knows them, or could not start at all."""
    if study.access.links == "signed":
        yield (
            f"{platform} creates the links of its people itself. They have no signature, so nobody could start; write "
            'links = "open" under access.'
        )
    if not study.access.needs_id:
        yield (
            f'{platform} knows people by the id in their link, and this study lets people start without one; write ids = "required" '
            "under access."
        )


# Pay desk: what a platform with an API can be asked about its people, and ordered to pay.

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
