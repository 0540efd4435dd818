"""Previews: walks of simulated people through each condition, and how a run folder keeps them."""

import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from understudy.actions.casts import default_cast
from understudy.conduct import Ledger, Script, assign
from understudy.schema import Ability, Assignment, Cast, Event, SessionEnded, SessionStarted
from understudy.schema.simulation import PreviewWalk, PreviewWalks
from understudy.simulate.actor import Arrival, play_session
from understudy.simulate.rehearsal import actor_for, ready_cast

WALKS = "preview.json"
"""The file of a run with the walks of its preview; it can be deleted and made again."""


def kept_walks(path: Path, study_digest: str) -> PreviewWalks | None:
    """Return the walks of a file; None where there is none of this version of the study."""
    try:
        walks = PreviewWalks.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        return None
    return walks if walks.study_digest == study_digest else None


# Walk a simulated person through each condition, so that a preview can show every page as it comes.

_TRIES = 12
"""Simulated people are sent until one passes all gates; a study that nobody passes is shown as far as they came."""
_ABLE = 0.98


def preview_walks(script: Script) -> PreviewWalks:
    """Return one session for each condition, by a person who completes the study where anybody can."""
    return PreviewWalks(
        study_digest=script.digest,
        walks=tuple(
            PreviewWalk(condition=assignment.condition, events=tuple(_longest(script, assignment)))
            for assignment in _first_of_each(script)
        ),
    )


def write_walks(script: Script, path: Path) -> None:
    """Write the walks of a study into a file."""
    # Answers of a capable person come close to the answer key.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        stream.write(preview_walks(script).model_dump_json())


def _first_of_each(script: Script) -> Iterator[Assignment]:
    """Return the assignment of the first person in each condition, in the order of the study."""
    ledger = Ledger(script.study)
    first: dict[str, Assignment] = {}
    arrival = 0
    while len(first) < len(script.study.cells) and (assignment := assign(ledger, arrival)) is not None:
        first.setdefault(assignment.condition, assignment)
        ledger.take(
            SessionStarted(
                session_id=f"preview-{arrival}", seq=1, at_ms=0, study_name=script.study.name,
                study_digest=script.digest, participant_id=f"preview-{arrival}", participant_kind="synthetic",
                assignment=assignment,
            )
        )  # fmt: skip
        arrival += 1
    return (first[cell.name] for cell in script.study.cells if cell.name in first)


def _longest(script: Script, assignment: Assignment) -> list[Event]:
    usual = default_cast(script.study)
    # The first kind of the usual cast works on the study's pages; without dropouts and with few mistakes.
    cast = Cast(name="preview", members=usual.members[:1], ability=Ability(accuracy=_ABLE))
    ready = ready_cast(cast)
    longest: list[Event] = []
    for attempt in range(_TRIES):
        actor = actor_for(script, ready, seed=attempt, arrival=assignment.arrival, turn=0)
        arrival = Arrival("preview", "preview", 0, assignment)
        events = play_session(script, actor, arrival)
        if any(isinstance(event, SessionEnded) and event.outcome == "completed" for event in events):
            return events
        longest = max(longest, events, key=len)
    return longest
