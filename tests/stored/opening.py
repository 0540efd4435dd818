"""Stored runs as the current version opens them; the only place here that names modules of understudy."""

import json
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.applications import Starlette

from tests.serve.stage_door import GENEROUS, SECRET, server
from understudy.actions.run_folder import existing_run
from understudy.actions.study_files import read_study
from understudy.conduct import Script, resume
from understudy.schema import Event, Json, canonical_json, json_from_record
from understudy.serve.access import Keyring

HERE = Path(__file__).parent
NAMES = tuple(sorted(path.name.removesuffix(".run.zip") for path in HERE.glob("*.run.zip")))


def unpacked(name: str, folder: Path) -> Path:
    """Unpack a stored file into a folder and return it."""
    with zipfile.ZipFile(HERE / name) as packed:
        packed.extractall(folder)
    return folder


def stored(name: str) -> Any:
    """Read a stored JSON file."""
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def digest_in(path: Path) -> str:
    """Return the digest of the study in a file."""
    return read_study(path).digest


class Opened:
    """A run folder: its sessions, and how they come out when they are rebuilt."""

    def __init__(self, folder: Path) -> None:
        run = existing_run(folder)
        self.study = run.script.study.name
        self._script: Script = run.script
        with run.open_log() as log:
            self.sessions: list[Sequence[Event]] = list(log.sessions(self.study))
            self.damage = log.damage()

    def rebuilt(self, events: Sequence[Event]) -> list[str]:
        """Rebuild a session from the first half of its log, play the rest of it, and return everything it then holds."""
        half = len(events) // 2
        found = resume(self._script, events[:half])
        made = [*events[:half], *found.missing]
        for event in events[half:]:
            if event.stream != "engine" or _comes_from_outside(event):
                made += [event, *found.session.take(event)]
        return texts_of(made)


def texts_of(events: Sequence[Event]) -> list[str]:
    """Return events as text in one form, in the order of their streams."""
    ordered = sorted(events, key=lambda event: (event.stream, event.seq))
    return [canonical_json(_without_news(json_from_record(event))) for event in ordered]


def _without_news(event: Json) -> Json:
    """Leave out what the version that stored the runs did not say yet: which rule earned what."""
    return {name: value for name, value in event.items() if name != "earned"}


def _comes_from_outside(event: Event) -> bool:
    return getattr(event, "outcome", None) in ("withdrew", "abandoned")


def token_of(session_id: str) -> str:
    """Return the token of a session under the secret of the test server."""
    return Keyring(SECRET).token_of(session_id)


def session_of(folder: Path, study: str, recruiter_id: str) -> str | None:
    """Return the session of somebody whom a recruiter sent."""
    with existing_run(folder).open_log() as log:
        return log.session_of(study, Keyring(SECRET).participant_id(recruiter_id))


@contextmanager
def served(folder: Path, *, is_rehearsal: bool = False) -> Iterator[Starlette]:
    """Serve a run folder, of people or of simulated people."""
    with server(folder, settings=replace(GENEROUS, is_rehearsal=is_rehearsal)) as app:
        yield app
