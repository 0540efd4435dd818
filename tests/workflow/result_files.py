"""Result files as a page without a server writes them, made without a browser."""

import json
from collections.abc import Callable
from pathlib import Path
from secrets import token_bytes
from typing import Any

from tests.small_studies import two_group_plain
from understudy.actions.run_folder import Run, new_run
from understudy.actions.static_site import StaticOptions, places_of, static_folder
from understudy.conduct import Ended
from understudy.participants.people import effortless_answer
from understudy.schema import SessionStarted, Study, event_from_json
from understudy.serve.live_session import Live, opening

START_MS = 1_700_000_000_000


def small_study(**changes: Any) -> Study:
    """Two groups and twelve cases, without anything a page could not do."""
    return Study.model_validate(two_group_plain(name="small", **changes))


def built_web(folder: Path) -> Path:
    """A front end that stands for the built one."""
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    (folder / "NOTICES.txt").write_text("jspsych (MIT)")
    (folder / "player.html").write_text(
        '<title>Study</title><script src="/static/a.js"></script><div id="player"></div>'
    )
    (folder / "assets" / "a.js").write_text("1")
    return folder


def exported_run(
    tmp_path: Path, study: Study | None = None, token: Callable[[int], bytes] = token_bytes, **options: Any
) -> Run:
    """A run with an export beside it, in `site`."""
    run = new_run(study or small_study(), tmp_path, tmp_path / "run")
    static_folder(
        run,
        tmp_path / "site",
        web=built_web(tmp_path / "web"),
        options=StaticOptions(**options),
        clock=lambda: START_MS - 1000,
        token=token,
    )
    return run


def result_of(run: Run, *, place: int = 0, letter: str = "a", n_answers: int = 99, **changes: Any) -> dict[str, Any]:
    """What the page of a place hands in after so many answers."""
    name, assignment = list(places_of(run).places.items())[place]
    session_id, began_ms = letter * 22, places_of(run).made_ms[name] + 1000
    started = SessionStarted(
        session_id=session_id, seq=1, at_ms=began_ms, study_name=run.script.study.name, study_digest=run.script.digest,
        participant_id="p", participant_kind="person", assignment=assignment,
    )  # fmt: skip
    live = opening(run.script, started)
    while not isinstance(live.at_hand, Ended) and len(live.session.steps) < n_answers:
        _answer(live, 900.0 + ord(letter), began_ms)
    names = places_of(run).names_of(name, run.script.blocks)
    events = [event.model_dump(mode="json", exclude={"session_id", "stream"}) for event in live.page]
    events = [{**event, "trial_id": names.of(event["trial_id"])} for event in events]
    return {
        "format": 1, "study_name": run.script.study.name, "study_digest": run.script.digest, "place": name,
        "session_id": session_id, "started_ms": began_ms, "recruiter": {}, "withdrew_ms": None, "events": events,
        **changes,
    }  # fmt: skip


def _answer(live: Live, pace_ms: float, began_ms: int) -> None:
    step = live.at_hand
    if isinstance(step, Ended):
        return
    easy = {question.question_id: effortless_answer(question) for question in step.trial.asks}
    at: dict[str, Any] = {"session_id": live.session.session_id, "step": step.number, "trial_id": step.trial.trial_id}
    shown: dict[str, Any] = {"type": "trial_shown", "seq": live.next_seq, "at_ms": began_ms + 1000 * live.next_seq}
    live.take(event_from_json({**at, **shown}))
    given: dict[str, Any] = {"type": "response_given", "seq": live.next_seq, "at_ms": began_ms + 1000 * live.next_seq}
    live.take(
        event_from_json({**at, **given, "response": {**easy, **step.trial.typical}, "rt_ms": pace_ms + live.next_seq})
    )


def written(result: Any, path: Path) -> Path:
    """The file on disk."""
    path.write_text(json.dumps(result))
    return path
