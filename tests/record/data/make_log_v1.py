"""Makes log-v1.sqlite, the stored log that every later version must read, and log-v1.json, what it says.

Run once, with version 0001 of the log.
"""

import json
from pathlib import Path

from understudy.record import open_log
from understudy.schema import (
    AnnotationGiven,
    Assignment,
    Event,
    GateDecided,
    Interacted,
    PaySettled,
    ResponseGiven,
    SessionEnded,
    SessionExcluded,
    SessionStarted,
    TrialShown,
)


def story(session_id: str) -> list[Event]:
    """One event of every type."""
    assignment = Assignment(
        arrival=3, condition="aided", levels={"aid": "aided"}, orders={"model": ("b", "a")}, lists={"main": 2}, seed=41
    )
    return [
        SessionStarted(
            session_id=session_id,
            seq=1,
            at_ms=1_700_000_000_000,
            study_name="dials",
            study_digest="0" * 64,
            participant_id=f"pseudonym-{session_id}",
            participant_kind="synthetic",
            cast="careful",
            assignment=assignment,
        ),
        TrialShown(session_id=session_id, seq=1, at_ms=1_700_000_001_000, step=0, trial_id="t1"),
        Interacted(
            session_id=session_id,
            seq=2,
            at_ms=1_700_000_002_000,
            step=0,
            trial_id="t1",
            action="dial_moved",
            payload={"dial": 1, "value": 0.25},
        ),
        ResponseGiven(
            session_id=session_id,
            seq=3,
            at_ms=1_700_000_003_000,
            step=0,
            trial_id="t1",
            response={"sure": 4, "why": "it turned – twice"},
            rt_ms=1834.5,
            active_ms=1800.0,
        ),
        GateDecided(
            session_id=session_id,
            seq=2,
            at_ms=1_700_000_004_000,
            block_id="quiz",
            try_number=1,
            score=0.5,
            is_passed=True,
        ),
        SessionEnded(session_id=session_id, seq=3, at_ms=1_700_000_005_000, outcome="completed"),
        PaySettled(session_id=session_id, seq=4, at_ms=1_700_000_006_000, currency="EUR", base=2.0, bonus=0.5),
        SessionExcluded(session_id=session_id, seq=5, at_ms=1_700_000_007_000, exclusion_id="fast", reason="too fast"),
        AnnotationGiven(
            session_id=session_id,
            seq=1,
            at_ms=1_700_000_008_000,
            trial_id="t1",
            question_id="why",
            annotator="kim",
            code="rotation",
        ),
    ]


if __name__ == "__main__":
    folder = Path(__file__).parent
    kept = [event.model_dump(mode="json") for event in story("kept")]
    (folder / "log-v1.json").write_text(json.dumps(kept, indent=1) + "\n")
    with open_log(folder / "log-v1.sqlite", clock=lambda: 1_700_000_009_000) as log:
        log.append(story("kept"))
        log.append(story("gone"))
        log.erase("gone")
