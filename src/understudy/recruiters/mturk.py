"""Mechanical Turk: names people by workerId, and takes the end of a session as a submitted assignment."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlencode, urlsplit
from xml.sax.saxutils import escape

from understudy.errors import NoAnswer, RecruiterError, UnderstudyError, optional
from understudy.recruiters.platform import BonusOrder, PaidSubmission, SubmissionStatus, listed_title, platform_needs
from understudy.registry import register
from understudy.schema import Record, Study
from understudy.schema.study import SentBack

_HOSTS = frozenset({"www.mturk.com", "workersandbox.mturk.com"})
"""Where assignments may be submitted: the address comes with the link, and a link can be forged."""
_LONGEST_TITLE = 128


@register("recruiters", "mturk")
class MechanicalTurk(Record):
    """Sends workers of Amazon Mechanical Turk, which takes no new customers since 2026-07-30."""

    id_parameters: ClassVar[tuple[str, ...]] = ("workerId",)
    has_fixed_codes: ClassVar[bool] = True
    region: str = "us-east-1"
    is_sandbox: bool = False
    """Whether to use the sandbox, where nobody is paid."""

    def missing_from(self, study: Study) -> tuple[str, ...]:
        """Return what Mechanical Turk needs and the study file does not say."""
        return tuple(platform_needs(study, "Mechanical Turk", currencies=("USD",), longest_title=_LONGEST_TITLE))

    def way_back(self, ending: SentBack, code: str, fields: Mapping[str, str]) -> str | None:
        """Return the address that submits the assignment with the code of the ending."""
        assignment_id, submit_to = fields.get("assignmentId", ""), fields.get("turkSubmitTo", "")
        if not assignment_id or urlsplit(submit_to).hostname not in _HOSTS:
            return None
        query = urlencode({"assignmentId": assignment_id, "code": code})
        return f"https://{urlsplit(submit_to).hostname}/mturk/externalSubmit?{query}"


# Mechanical Turk as a pay desk, through botocore: every order carries a token by which a repeated call does nothing.

_SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
_STATUS: dict[str, SubmissionStatus] = {"Submitted": "waiting", "Approved": "approved", "Rejected": "rejected"}
_QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">'
    "<ExternalURL>{url}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>"
)
_WEEK_S = 7 * 24 * 3600
_LONGEST_TOKEN = 64
_PATIENCE = 3
"""How many times the expected minutes an assignment may take."""


def mturk_client(recruiter: MechanicalTurk) -> Any:
    """Return a client with the credentials that AWS's own tools would use."""
    session = optional("botocore.session", extra="mturk").get_session()
    address = _SANDBOX if recruiter.is_sandbox else None
    return session.create_client("mturk", region_name=recruiter.region, endpoint_url=address)


class MTurkDesk:
    """Creates and pays the one HIT of a study."""

    def __init__(self, client: Any, hit_id: str, reward_cents: int) -> None:
        self._client, self._hit_id, self._reward_cents = client, hit_id, reward_cents

    @property
    def most_bonuses(self) -> int:
        """Bonuses are sent one by one, and one that is refused says nothing about the others."""
        return 1

    def submissions(self) -> Sequence[PaidSubmission]:
        """Return every submitted assignment, without bonuses."""
        pages = _pages(self._client.list_assignments_for_hit, HITId=self._hit_id)
        return [self._paid(row) for page in pages for row in page["Assignments"]]

    def submission(self, submission_id: str) -> PaidSubmission:
        """Return one assignment with its bonuses."""
        found = _answer(self._client.get_assignment, AssignmentId=submission_id)
        pages = _pages(self._client.list_bonus_payments, AssignmentId=submission_id)
        bonuses = [round(float(row["BonusAmount"]) * 100) for page in pages for row in page["BonusPayments"]]
        return self._paid(found["Assignment"])._replace(bonus_cents=sum(bonuses))

    def approve(self, submission_id: str) -> None:
        """Approve an assignment, unless it is approved already: a second approval would be an error."""
        if self.submission(submission_id).status != "approved":
            _answer(self._client.approve_assignment, AssignmentId=submission_id)

    def prepare_bonuses(self, orders: Sequence[BonusOrder]) -> str:
        """Return the token of an order; nothing is sent yet."""
        return secrets.token_hex(8)

    def pay_bonuses(self, order_id: str, orders: Sequence[BonusOrder]) -> None:
        """Send the bonuses one by one."""
        for order in orders:
            found = _answer(self._client.get_assignment, AssignmentId=order.submission_id)
            _answer(
                self._client.send_bonus,
                WorkerId=found["Assignment"]["WorkerId"],
                AssignmentId=order.submission_id,
                BonusAmount=f"{order.cents // 100}.{order.cents % 100:02d}",
                Reason=order.reason or "Bonus",
                UniqueRequestToken=f"{order_id}-{order.submission_id}"[:_LONGEST_TOKEN],
            )

    def _paid(self, row: dict[str, Any]) -> PaidSubmission:
        return PaidSubmission(
            row["AssignmentId"], row["WorkerId"], _STATUS[row["AssignmentStatus"]], self._reward_cents
        )


def create_hit(client: Any, study: Study, address: str) -> str:
    """Create the HIT of a checked study, and return its id; the study's version makes sure that there is only one."""
    pay, recruitment = study.pay, study.recruitment
    if pay is None or recruitment is None or pay.expected_minutes is None:
        raise UnderstudyError(f"{study.name} does not say what Mechanical Turk needs; run: understudy check")
    try:
        made = _answer(
            client.create_hit,
            Title=listed_title(study),
            Description=recruitment.description,
            Reward=f"{pay.base:.2f}",
            MaxAssignments=study.n_places,
            LifetimeInSeconds=_WEEK_S,
            AssignmentDurationInSeconds=round(pay.expected_minutes * 60 * _PATIENCE),
            Question=_QUESTION.format(url=escape(f"{address.rstrip('/')}/s/{study.name}")),
            UniqueRequestToken=study.digest[:_LONGEST_TOKEN],
        )
    except RecruiterError as error:
        raise RecruiterError(f"{error} If the HIT exists already, it has not been created again.") from None
    return str(made["HIT"]["HITId"])


def _pages(call: Any, **words: Any) -> Iterator[dict[str, Any]]:
    token: str | None = None
    while True:
        page = _answer(call, **words, **({"NextToken": token} if token else {}))
        yield page
        token = page.get("NextToken")
        if not token:
            return


def _answer(call: Any, **words: Any) -> dict[str, Any]:
    exceptions = optional("botocore.exceptions", extra="mturk")
    try:
        found: dict[str, Any] = call(**words)
    except exceptions.ClientError as error:
        told = error.response.get("Error", {})
        raise RecruiterError(
            f"Mechanical Turk rejected the request: {told.get('Message') or told.get('Code') or error}"
        ) from None
    except exceptions.NoCredentialsError:
        raise RecruiterError(
            "No AWS credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run: aws configure"
        ) from None
    except exceptions.BotoCoreError as error:
        raise NoAnswer(
            f"Mechanical Turk did not answer ({type(error).__name__}); the request may still have been carried out."
        ) from None
    return found
