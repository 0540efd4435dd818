"""What a server is given: studies already loaded, and its settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from understudy.conduct import Script
from understudy.record import Log
from understudy.schema import Materials


def _nothing() -> None:
    """Do nothing."""


class Demo(NamedTuple):
    """The doors of the landing page."""

    people: str
    """The name under which visitors take part."""
    simulated: str
    """The name under which simulated people take part."""
    lead: str
    """What somebody who takes part will do."""


@dataclass(frozen=True)
class ServedStudy:
    """One prepared study with its log, its public files and what can be made of it."""

    script: Script
    materials: Materials
    assets: Path
    """The folder of the public files, each under its content address."""
    log: Log
    people: Path
    """The file that keeps what recruiters call people, apart from their events."""
    recordings: Path
    """The folder of what was recorded of people; nothing in it is served."""
    report: Callable[[], bytes] | None = None
    """Makes the report page; called in a thread."""
    export: Callable[[], bytes] | None = None
    """Makes the archive; called in a thread."""
    forget_copies: Callable[[], None] = _nothing
    """Removes tables, reports and archives made before somebody was erased."""
    address: str = ""
    """The name in links when it is not the study's own: one study may be rehearsed beside its real run."""
    is_rehearsal: bool = False
    """Whether simulated people alone may enter, by their own door."""
    clock: Callable[[], int] | None = None
    """The time here in milliseconds, where it is not the server's; simulated time may run faster."""

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
    """What the landing page at `/` leads to; there is none when absent."""
    recruiters: tuple[str, ...] = ()
    """Origins that may show a study in a frame."""
    completion_urls: Mapping[str, str] = field(default_factory=dict)
    """Study name -> where participants go at the end; {code} and {outcome} are filled in."""
    is_rehearsal: bool = False
    """Whether everybody who comes to any study is simulated."""
    once: str | None = None
    """The word of the one-time link to the dashboard."""
    body_limit: int = 256 * 1024
    batch_limit: int = 500
    chunk_limit: int = 1024**2
    recording_limit: int = 500 * 1024**2
    """Bytes recorded of one session; an hour of speech takes about 15 MB."""
    session_rate: float = 50.0
    session_burst: float = 100.0
    door_rate: float = 50.0
    """Arrivals a second from one address; a classroom shares one."""
    door_burst: float = 500.0
    n_cached: int = 2000
    """Sessions kept in memory; others are rebuilt from the log when they come back."""
    sweep_s: float = 30.0
    """How often silent sessions are looked for."""
