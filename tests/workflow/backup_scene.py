"""A run that is backed up: people in it, its copy, and what the copy holds."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

from tests.serve.stage_door import SECRET, Person, played, server
from tests.shell import understudy
from understudy.actions.backup import back_up
from understudy.actions.run_folder import existing_run
from understudy.serve.access import Keyring

STUDY = "two-groups"


def backed_up(folder: Path, target: Path) -> Any:
    return back_up(existing_run(folder), target, lambda: 1_700_000_000_000)


def one_step(*names: str) -> Callable[[httpx.AsyncClient], Any]:
    async def play(client: httpx.AsyncClient) -> None:
        for name in names:
            person = Person(client, STUDY, PROLIFIC_PID=name)
            # People who began before have nothing but their id here, and say that they go on.
            await person.start(go_on=True)
            await person.answer()

    return play


def filled(folder: Path, *names: str) -> Path:
    """Let people begin in a served folder."""
    with server(folder) as app:
        played(app, one_step(*names))
    return folder


def token_in(folder: Path, name: str) -> str:
    """Return what the browser holds in which somebody began."""
    keyring = Keyring(SECRET)
    with existing_run(folder).open_log() as log:
        session_id = log.session_of(STUDY, keyring.participant_id(name))
    assert session_id is not None
    return keyring.token_of(session_id)


def stored_of(folder: Path) -> dict[str, int]:
    """Count the page events of every session."""
    with existing_run(folder).open_log() as log:
        sessions = {events[0].session_id: events for events in log.sessions(STUDY)}
    return {name: sum(event.stream == "page" for event in events) for name, events in sessions.items()}


def damaged(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "events.sqlite", isolation_level=None)) as log:
        log.execute("DELETE FROM events WHERE stream = 'page' AND seq = 2")


def refused(*words: Any) -> str:
    shown = understudy(*words)
    assert shown.code == 2
    return shown.err
