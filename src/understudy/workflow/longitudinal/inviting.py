"""Invitations to a later part: a signed personal link for everybody who may come, and when."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from understudy.recruiters import recruiter_id_of
from understudy.schema.follow_up import Standing
from understudy.serve.people.admission import SIGNATURE
from understudy.serve.people.people import People
from understudy.serve.tokens import Keyring
from understudy.workflow.longitudinal.parts import follow_up_of, invited_sessions
from understudy.workflow.runs.run_folder import Run


class Invitation(NamedTuple):
    """One person who may take the later part."""

    recruiter_id: str
    link: str
    opens_ms: int
    closes_ms: int | None
    standing: Standing
    has_come: bool


class Inviting(NamedTuple):
    """The two parts, where the later one is served, and the secret that signs its links."""

    first: Run
    second: Run
    address: str
    keyring: Keyring


def invitations(inviting: Inviting, now_ms: int) -> Iterator[Invitation]:
    """Yield an invitation for each person of the earlier part who may take the later one and has a recruiter's id."""
    first, second = inviting.first, inviting.second
    follows, name = follow_up_of(first, second), second.script.study.name
    fields = _fields_by_person(first)
    with second.open_log() as log:
        came = {summary.participant_id for summary in log.summaries(name)}
    for summary in invited_sessions(first, second):
        given = fields.get(summary.participant_id, {})
        recruiter_id = recruiter_id_of(given)
        if recruiter_id is None:
            continue
        parameter = next(key for key, value in given.items() if value == recruiter_id)
        signature = inviting.keyring.link_signature(name, recruiter_id)
        query = urlencode({parameter: recruiter_id, SIGNATURE: signature})
        opens_ms, closes_ms = follows.window_ms(summary.last_event_ms)
        yield Invitation(
            recruiter_id,
            f"{inviting.address.rstrip('/')}/s/{name}?{query}",
            opens_ms,
            closes_ms,
            follows.standing_at(now_ms, summary.last_event_ms),
            summary.participant_id in came,
        )


def _fields_by_person(run: Run) -> dict[str, dict[str, str]]:
    with run.open_log() as log:
        if log.is_shared:
            return log.people(run.script.study.name)
    path = run.folder / "people.sqlite"
    if not path.exists():
        return {}
    return People(path).all()
