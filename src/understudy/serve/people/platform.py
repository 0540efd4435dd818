"""Platform: what the server asks the place that a study's people come from."""

from typing import NamedTuple, Protocol

from understudy.recruiters.pay_desk import SubmissionStatus


class PlatformPerson(NamedTuple):
    """Somebody's part in a study, as the platform has it now."""

    recruiter_id: str
    status: SubmissionStatus


class Platform(Protocol):
    """The platform that a study's people come from; its methods wait for the network."""

    @property
    def webhook_secret(self) -> str:
        """What signs its messages; empty where it sends none."""

    def person(self, submission_id: str) -> PlatformPerson | None:
        """Return who a submission belongs to; None for one of another study."""

    def people(self) -> list[PlatformPerson]:
        """Return everybody's status."""

    def pause(self) -> None:
        """Let nobody new start there; do nothing where nobody can."""
