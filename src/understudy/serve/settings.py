"""What a server is given: studies, files, and settings."""

import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from understudy.conduct import Script
from understudy.record import Log, SessionSummary
from understudy.recruiters.platform import SubmissionStatus
from understudy.schema import Materials
from understudy.schema.simulation import PreviewWalks
from understudy.schema.wire import Deposit
from understudy.serve.access import Keyring
from understudy.serve.alert_channels import Channel
from understudy.serve.alerts import LOW_DISK_GB

# What is worth an alert, and who gets it.


def free_bytes_at(folder: Path) -> int:
    """Return the free space of the disk that a folder is on."""
    return shutil.disk_usage(folder).free


@dataclass(frozen=True)
class AlertSettings:
    """Who is told, and from when on."""

    channels: tuple[Channel, ...] = ()
    low_disk_gb: float = LOW_DISK_GB
    error_share: float = 0.05
    """Share of requests that the server could not answer, since the last look."""
    n_requests: int = 20
    """Fewer requests than this say nothing about a share."""
    n_recent: int = 20
    """How many people who ended last are compared with everybody before them."""
    dropout_jump: float = 0.25
    """By how much the share of people who leave must rise."""
    usual_dropout: float = 0.1
    """What the share is taken to be before there is anybody to compare with."""
    every_s: float = 60.0
    pauses_s: tuple[float, ...] = (5.0, 60.0, 600.0)
    """How long to wait before each further try to deliver."""
    free_bytes: Callable[[Path], int] = free_bytes_at


# Platform: what the server asks the place that a study's people come from.


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


def _nothing() -> None:
    """Do nothing."""


def _nothing_of(_: Collection[str]) -> None:
    """Do nothing."""


def nobody(_: str) -> bool:
    """Know nobody."""
    return False


class Deposits(Protocol):
    """Result files of static exports that were set aside; called in a thread."""

    def count(self) -> int:
        """Count the deposits that wait."""

    def waiting(self, keyring: Keyring) -> tuple[Deposit, ...]:
        """Return the deposits that wait and what speaks against each."""

    def decide(self, keyring: Keyring, name: str, *, is_taken: bool) -> None:
        """Take or delete a deposit."""


class Demo(NamedTuple):
    """What the landing page of the demo links to."""

    people: str
    """The name under which visitors take part."""
    simulated: str
    """The name under which simulated people take part."""
    lead: str
    """What participants will do, in one sentence."""


@dataclass(frozen=True)
class ServedStudy:
    """One prepared study with its log, its public files and what can be made of it."""

    script: Script
    materials: Materials
    assets: Path
    """The folder of the public files, each under its content address."""
    log: Log
    people: Path
    """The file of the recruiters' ids, apart from the events."""
    recordings: Path
    """The folder of voice recordings; only annotators are sent anything of it."""
    listed_ids: Path = Path("allowed_ids.txt")
    """The file of ids that may take part, where the study asks for one."""
    report: Callable[[], bytes] | None = None
    """Makes the report page; called in a thread."""
    kept_report: Callable[[], bytes | None] = _nothing
    """Returns the report page if nothing has changed since it was made; called in a thread."""
    report_progress: Callable[[], str | None] = _nothing
    """Says how far the report has got, in one sentence; called in a thread."""
    export: Callable[[], bytes] | None = None
    """Makes the archive; called in a thread."""
    took_part_before: Callable[[str], bool] = nobody
    """Tells whether a participant is in an earlier run whose people may not come again; called in a thread."""
    earlier_part: Callable[[str], SessionSummary | None] | None = None
    """Finds somebody's session in the earlier part of a longitudinal study; called in a thread."""
    walks: Callable[[], PreviewWalks] | None = None
    """Walks simulated people through the study for its preview; called in a thread."""
    deposits: Deposits | None = None
    """Result files of static exports that wait for a decision; None for a run that collects none."""
    forget_copies: Callable[[Collection[str]], object] = _nothing_of
    """Removes tables, reports and archives made before somebody was erased, and lines of lists with one of the words."""
    platform: Platform | None = None
    """The recruiting platform that tells who returned the study or ran out of time there."""
    address: str = ""
    """The name in links, if it is not the study's: a study may be rehearsed while its real run is served."""
    is_rehearsal: bool = False
    """Whether only simulated people may take part, by their own route."""
    clock: Callable[[], int] | None = None
    """The time in milliseconds, if it is not the server's; simulated time may run faster."""

    @property
    def name(self) -> str:
        """The name in links."""
        return self.address or self.script.study.name


@dataclass(frozen=True)
class Settings:
    """How a server behaves."""

    web: Path | None = None
    """The built front end."""
    demo: Demo | None = None
    """What the landing page at `/` links to; without it, there is no landing page."""
    is_preview: bool = False
    """Whether the server shows previews to its own machine, and nothing else."""
    recruiters: tuple[str, ...] = ()
    """Origins that may show a study in a frame."""
    completion_urls: Mapping[str, str] = field(default_factory=dict)
    """Study name -> where participants go at the end; {code} and {outcome} are filled in."""
    is_rehearsal: bool = False
    """Whether all participants of all studies are simulated."""
    researchers: Path | None = None
    """The file of accounts of researchers and of who is signed in, unless a shared database has them; in memory without it."""
    once: str | None = None
    """The secret in the one-time link to the dashboard."""
    body_limit: int = 256 * 1024
    body_s: float = 30.0
    """How long the body of a request may take to arrive."""
    batch_limit: int = 500
    session_events: int = 100_000
    session_bytes: int = 16 * 1024**2
    """Stored of one page: beyond either, only answers are taken, and beyond four times as much nothing. An hour with
    dials takes about 2 MB."""
    chunk_limit: int = 1024**2
    recording_limit: int = 500 * 1024**2
    """Bytes recorded of one session; an hour of speech takes about 15 MB."""
    session_rate: float = 50.0
    session_burst: float = 100.0
    arrival_rate: float = 100.0
    """Arrivals a second from one address; a whole campus may share one."""
    arrival_burst: float = 3000.0
    n_cached: int = 2000
    """Sessions kept in memory; others are rebuilt from the log when needed."""
    sweep_s: float = 30.0
    """How often silent sessions are looked for."""
    losses: tuple[str, ...] = ()
    """What the logs had lost when the server started, and researchers accepted, in words."""
    alerts: AlertSettings = field(default_factory=AlertSettings)
    """What researchers are told at once, and how; nobody is told without channels."""
    poll_s: float = 300.0
    """How often a recruiting platform is asked about everybody."""
    follow_s: float = 1.0
    """How often a process looks at what others on the same database have stored."""
