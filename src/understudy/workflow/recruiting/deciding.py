"""Decisions about single submissions, which only a human makes, and only with a reason."""

from typing import Literal, NamedTuple, TypeAlias, get_args

from understudy.conduct.pay_ledger import Step
from understudy.errors import UnderstudyError
from understudy.recruiters.prolific_api import Submission
from understudy.recruiters.prolific_desk import status_of
from understudy.workflow.paying.pay_book import PayBook
from understudy.workflow.recruiting.prolific import ProlificStudy

Verdict: TypeAlias = Literal["approve", "return", "reject"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
CATEGORIES = (
    "TOO_QUICKLY", "TOO_SLOWLY", "FAILED_INSTRUCTIONS", "INCOMP_LONGITUDINAL", "FAILED_CHECK", "LOW_EFFORT",
    "MALINGERING", "NO_CODE", "BAD_CODE", "NO_DATA", "UNSUPP_DEVICE", "OTHER",
)  # fmt: skip
"""Why Prolific lets submissions be rejected."""
_SHORTEST = 100
"""Characters that Prolific wants in the message to somebody who is rejected."""


class Decision(NamedTuple):
    """What a researcher decides about one person's submission."""

    recruiter_id: str
    verdict: Verdict
    reason: str
    category: str = "OTHER"


def decide(book: PayBook, there: ProlificStudy, decision: Decision, session_id: str | None) -> None:
    """Carry out a decision after reading the submission's status; `session_id` is None for people without a session."""
    require_reason(decision)
    submission = submission_of(there, decision.recruiter_id)
    status = status_of(submission)
    if status != "waiting":
        raise UnderstudyError(
            f"The submission of {decision.recruiter_id} is {submission.status}, and only one that is AWAITING REVIEW can be approved, "
            "asked back or rejected. Nothing was changed."
        )
    # Somebody without a session is known in the ledger by a hash of the submission.
    owner = session_id or f"submission {submission.submission_id}"
    api, reason = there.api, decision.reason
    if decision.verdict == "approve":
        cents = there.reward_cents
        book.enter([(owner, Step("ordered", "reward", cents, reason))])
        api.approve(submission.submission_id)
        book.enter([(owner, Step("confirmed", "reward", cents, reason))])
    elif decision.verdict == "return":
        book.enter([(owner, Step("return_asked", "reward", 0, reason))])
        api.request_return(submission.submission_id, reason)
    else:
        book.enter([(owner, Step("rejected", "reward", 0, f"{decision.category}: {reason}"))])
        api.reject(submission.submission_id, reason, decision.category)


def submission_of(there: ProlificStudy, recruiter_id: str) -> Submission:
    """Return the submission of a person, as it is now."""
    theirs = [row for row in there.api.submissions(there.study_id) if row.participant_id == recruiter_id]
    if not theirs:
        raise UnderstudyError(
            f"Prolific knows no submission of {recruiter_id!r} in this study. Give the PROLIFIC_PID of the person's link."
        )
    waiting = next((row for row in theirs if status_of(row) == "waiting"), theirs[-1])
    return there.api.submission(waiting.submission_id)[0]


def require_reason(decision: Decision) -> None:
    """Refuse a decision without the reason that the ledger and the person need."""
    if decision.verdict not in VERDICTS:
        raise UnderstudyError(f"{decision.verdict!r} is not a decision. Choose from: {', '.join(VERDICTS)}.")
    if not decision.reason.strip():
        raise UnderstudyError("Give a reason with --reason; it is kept in the ledger, and the person may read it.")
    if decision.verdict == "reject" and len(decision.reason) < _SHORTEST:
        raise UnderstudyError(
            f"The person reads why they are rejected, in at least {_SHORTEST} characters; the reason has {len(decision.reason)}. "
            "People who tried are paid: excluding them from the data is not a reason to reject them."
        )
    if decision.category not in CATEGORIES:
        raise UnderstudyError(f"{decision.category!r} is not a category. Choose from: {', '.join(CATEGORIES)}.")
