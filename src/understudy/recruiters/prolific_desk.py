"""Prolific as a pay desk: rewards by approval, bonuses in two steps, of which only the second pays."""

from collections.abc import Sequence

from understudy.recruiters.pay_desk import BonusOrder, PaidSubmission, SubmissionStatus
from understudy.recruiters.prolific_api import ProlificApi, Submission

_STATUS: dict[str, SubmissionStatus] = {
    "RESERVED": "active",
    "ACTIVE": "active",
    "AWAITING REVIEW": "waiting",
    "PARTIALLY APPROVED": "approved",
    "APPROVED": "approved",
    "RETURNED": "returned",
    "TIMED-OUT": "timed_out",
    "SCREENED OUT": "screened_out",
    "REJECTED": "rejected",
}


def status_of(submission: Submission) -> SubmissionStatus:
    """Return the status of a submission in our words."""
    # Prolific's own list ends with UNKNOWN, and may grow; one such person must not keep everybody else from being paid.
    return _STATUS.get(submission.status, "unclear")


class ProlificDesk:
    """Pays the people of one study at Prolific."""

    def __init__(self, api: ProlificApi, study_id: str, *, reward_cents: int, fixed_cents: int = 0) -> None:
        self._api, self._study_id = api, study_id
        self._reward_cents, self._fixed_cents = reward_cents, fixed_cents

    @property
    def most_bonuses(self) -> int:
        """As many as Prolific recommends."""
        return 200

    def submissions(self) -> Sequence[PaidSubmission]:
        """Return everybody's submission, without bonuses."""
        return [self._paid(submission) for submission in self._api.submissions(self._study_id)]

    def submission(self, submission_id: str) -> PaidSubmission:
        """Return one submission with its bonuses."""
        submission, bonuses = self._api.submission(submission_id)
        return self._paid(submission, sum(bonuses))

    def approve(self, submission_id: str) -> None:
        """Approve a submission."""
        self._api.approve(submission_id)

    def prepare_bonuses(self, orders: Sequence[BonusOrder]) -> str:
        """Upload bonuses, which pays nothing."""
        return self._api.upload_bonuses(
            self._study_id, [(order.submission_id, order.cents) for order in orders]
        ).batch_id

    def pay_bonuses(self, order_id: str, orders: Sequence[BonusOrder]) -> None:
        """Pay an upload. Each call pays again."""
        self._api.pay_bonuses(order_id)

    def _paid(self, submission: Submission, bonus_cents: int = 0) -> PaidSubmission:
        status = status_of(submission)
        return PaidSubmission(
            submission.submission_id,
            submission.participant_id,
            status,
            self._reward_cents,
            fixed_cents=self._fixed_cents if status == "screened_out" else 0,
            bonus_cents=bonus_cents,
            is_return_requested=submission.is_return_requested,
        )
