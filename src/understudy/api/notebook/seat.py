"""Seat: one session of a study that is only tried out, in a folder that disappears with it."""

import json
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from understudy.api.notebook.memory_server import Asked, MemoryServer, Reply
from understudy.conduct import Script
from understudy.errors import StudyError, UnderstudyError, UnknownName, nearest
from understudy.prepare import Prepared
from understudy.schema import Event, Interacted, Json, ResponseGiven, SessionStarted, TrialShown, blocks_in
from understudy.simulate import Arrival, actor_for, play_session, ready_cast
from understudy.workflow.casting import cast_from
from understudy.workflow.runs.run_folder import written_run

PAGE_EVENTS = TrialShown | Interacted | ResponseGiven
"""What a page sends; the server derives the rest."""
N_ARRIVALS = 200
"""Sessions that are started at most until one is in the wanted condition."""


class Seat:
    """A place in a rehearsal that a researcher takes, in a condition and from a page on."""

    def __init__(self, prepared: Prepared, condition: str | None, page: str | None) -> None:
        """Serve a prepared study in memory, and bring a session to the page where somebody takes over."""
        study = prepared.study
        _require("condition", condition, [cell.name for cell in study.cells])
        _require("page", page, [block.block_id for block in blocks_in(study.flow)])
        self._folder = TemporaryDirectory(prefix=f"{study.name}-")
        self._script = written_run(prepared, Path(self._folder.name)).script
        self.server = MemoryServer(Path(self._folder.name))
        try:
            self.token = self._arrived(condition)
            if page is not None:
                self._go_on_to(page)
        except UnderstudyError:
            self.close()
            raise

    @property
    def study_name(self) -> str:
        """The name of the study in links."""
        return self.server.study_name

    @property
    def folder(self) -> Path:
        """Where the rehearsal is until it is closed."""
        return Path(self._folder.name)

    @property
    def condition(self) -> str:
        """The condition of the session."""
        return _start_of(self._events()).assignment.condition

    def answers(self) -> list[Json]:
        """Return what was answered on each page, in order; the last one may be a draft that is not sent yet."""
        events = self._events()
        given = [
            self._answer(event.trial_id, event.response, event.rt_ms)
            for event in events
            if isinstance(event, ResponseGiven)
        ]
        last = next((event for event in reversed(events) if isinstance(event, ResponseGiven | Interacted)), None)
        if isinstance(last, Interacted):
            draft = _last_draft(events, last.step)
            given += [{**self._answer(last.trial_id, draft), "is_sent": False}] if draft else []
        return given

    def close(self) -> None:
        """Forget the session."""
        self.server.close()
        self._folder.cleanup()

    def _answer(self, trial_id: str, answers: Json, rt_ms: float | None = None) -> Json:
        trial = self._script.trials[trial_id]
        return {
            "page": trial.block_id,
            "task": trial.task,
            "item": trial.stimulus_id,
            "answers": answers,
            "seconds": None if rt_ms is None else round(rt_ms / 1000, 1),
            "is_sent": True,
        }

    def _events(self) -> tuple[Event, ...]:
        return self.server.events(self.token.partition(".")[0])

    def _arrived(self, condition: str | None) -> str:
        """Return the token of a new session; the study's own assignment decides, so others may have to come first."""
        for _ in range(N_ARRIVALS):
            reply = self._post("start", {"synthetic": True}, self.server.as_admin())
            token = str(json.loads(reply.content).get("token", ""))
            if not token:
                break
            events = self.server.events(token.partition(".")[0])
            if condition is None or _start_of(events).assignment.condition == condition:
                return token
        raise StudyError([f"Nobody was assigned to the condition {condition!r}; its quota may be 0."])

    def _go_on_to(self, page: str) -> None:
        """Let simulated people answer everything before a page; the first of them who gets there makes way."""
        started = _start_of(self._events())
        for number in range(N_ARRIVALS):
            steps = _steps_until(self._script, started, page, number)
            if steps is None:
                continue
            for events in steps:
                self._post("events", {"events": [*events]}, {"Authorization": f"Bearer {self.token}"})
            return
        raise StudyError([f"No simulated person got to the page {page!r}; start at the beginning or at another page."])

    def _post(self, route: str, body: Json, headers: dict[str, str]) -> Reply:
        path = f"/api/s/{self.study_name}/{route}"
        reply = self.server.ask(
            Asked("POST", path, {**headers, "Content-Type": "application/json"}, json.dumps(body).encode())
        )
        if reply.status >= 400:
            raise StudyError([f"The rehearsal could not go on: {reply.content.decode()}"])
        return reply


def _steps_until(script: Script, started: SessionStarted, page: str, number: int) -> list[list[Json]] | None:
    """Return what a simulated person sends, step by step, before a page; None if they never get there."""
    actor = actor_for(script, ready_cast(cast_from(None, script.study)), seed=1, arrival=number)
    arrival = Arrival(started.session_id, started.participant_id, started.at_ms, started.assignment)
    sent: list[list[Json]] = []
    for _, events in groupby(
        (event for event in play_session(script, actor, arrival) if isinstance(event, PAGE_EVENTS)),
        key=lambda event: event.step,
    ):
        step = list(events)
        if script.trials[step[0].trial_id].block_id == page:
            return sent
        sent.append([event.model_dump(mode="json", exclude={"session_id", "stream"}) for event in step])
    return None


def _last_draft(events: tuple[Event, ...], step: int) -> Json | None:
    """Return what the page at a step has kept of answers that are not sent yet."""
    drafts = [
        event.payload["answers"]
        for event in events
        if isinstance(event, Interacted) and event.step == step and event.action == "draft"
    ]
    return drafts[-1] if drafts and isinstance(drafts[-1], dict) else None


def _start_of(events: tuple[Event, ...]) -> SessionStarted:
    first = events[0]
    if not isinstance(first, SessionStarted):
        raise StudyError([f"Session {first.session_id} does not begin with its start."])
    return first


def _require(kind: str, name: str | None, known: list[str]) -> None:
    if name is not None and name not in known:
        raise UnknownName(f"There is no {kind} {name!r}.{nearest(name, known)} Choose from: {', '.join(known)}.")
