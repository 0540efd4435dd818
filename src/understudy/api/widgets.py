"""Widgets of a notebook: a study in a cell, with its server in memory instead of at a port."""

import asyncio
import json
import secrets
import threading
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from understudy.actions.casts import cast_from
from understudy.actions.run_folder import written_run
from understudy.actions.serve import PACKAGE, built_front_end, served_from_folder
from understudy.conduct import Script
from understudy.deferred.pandas import pd
from understudy.errors import MaterialsError, StudyError, UnderstudyError, UnknownName, nearest, optional
from understudy.prepare import Prepared
from understudy.record.log import now_ms
from understudy.schema import Event, Explanation, Interacted, Json, ResponseGiven, SessionStarted, TrialShown, blocks_in
from understudy.schema.readable import table_html, titled_html
from understudy.serve import TOKEN_HEADER, Settings, close_app, create_app
from understudy.simulate import Arrival, actor_for, play_session, ready_cast

_PATIENCE_S = 60.0


class Asked(NamedTuple):
    """A request of a page."""

    method: str
    path: str
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Reply(NamedTuple):
    """What the server answers."""

    status: int
    type: str
    content: bytes


class MemoryServer:
    """Serves one prepared study as a rehearsal, from a thread with a loop of its own.

    A kernel runs cells in a loop already, and a page's request arrives between two cells: it is answered elsewhere.
    """

    def __init__(self, folder: Path) -> None:
        """Open a prepared folder, which then holds the events of the rehearsal."""
        self._served = served_from_folder(folder)
        self._admin_token = secrets.token_urlsafe(24)
        self._app = create_app(
            [self._served],
            secret=secrets.token_bytes(32),
            admin_token=self._admin_token,
            clock=now_ms,
            settings=Settings(web=built_front_end(), is_rehearsal=True),
        )
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(self._app), base_url="http://notebook")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    @property
    def study_name(self) -> str:
        """The name in links."""
        return self._served.name

    def ask(self, asked: Asked) -> Reply:
        """Answer one request."""
        request = self._client.request(asked.method, asked.path, headers=dict(asked.headers), content=asked.body)
        response = asyncio.run_coroutine_threadsafe(request, self._loop).result(_PATIENCE_S)
        return Reply(response.status_code, response.headers.get("content-type", ""), response.content)

    def as_admin(self) -> dict[str, str]:
        """Return the headers that let in a simulated person."""
        return {TOKEN_HEADER: self._admin_token}

    def events(self, session_id: str) -> tuple[Event, ...]:
        """Return what a session has produced so far."""
        return self._served.log.session(session_id)

    def close(self) -> None:
        """Stop serving; the folder can be removed."""
        if not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(self._client.aclose(), self._loop).result(_PATIENCE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        close_app(self._app)
        self._served.log.close()


# Seat: one session of a study that is only tried out, in a folder that disappears with it.

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


# Widgets for Jupyter and marimo: the page that participants see, in a cell.

if TYPE_CHECKING:
    import traitlets
    from anywidget import AnyWidget
else:
    AnyWidget = optional("anywidget", extra="notebook").AnyWidget
    traitlets = optional("traitlets", extra="notebook")

_WEB = PACKAGE / "_web"


def _module() -> str:
    path = built_front_end() / "notebook_widget.js"
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        raise MaterialsError(f"The widget of notebooks is not built ({path} is missing). Run: make web") from None


class PageWidget(AnyWidget):
    """A page in a frame; `fallback` is what static copies of a notebook show."""

    _esm = _module()
    shown = traitlets.Dict().tag(sync=True)
    language = traitlets.Unicode("en").tag(sync=True)
    label = traitlets.Unicode("").tag(sync=True)
    files = traitlets.Dict().tag(sync=True)

    @property
    def script(self) -> str:
        """The module that draws the widget."""
        return str(self._esm)

    def _fallback(self) -> str:
        raise NotImplementedError

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        shown = bundle[0] if isinstance(bundle, tuple) else bundle
        if isinstance(shown, dict):
            # Places without a kernel, such as code hosts and exported pages, show this.
            shown["text/html"] = self._fallback()
            shown["text/plain"] = repr(self)
        return bundle


class ExplanationWidget(PageWidget):
    """Explanations, drawn as participants see them."""

    def __init__(
        self,
        explanations: Sequence[Explanation],
        files: Mapping[str, bytes],
        *,
        drawing: Json | None = None,
        language: str = "en",
    ) -> None:
        """Show explanations with the pictures that they name."""
        self._explanations = tuple(explanations)
        kinds = ", ".join(dict.fromkeys(explanation.kind for explanation in explanations))
        super().__init__(
            shown={
                "kind": "explanation",
                "explanations": [explanation.model_dump(mode="json") for explanation in explanations],
                "drawing": drawing or {},
            },
            files=dict(files),
            language=language,
            label=f"Explanation: {kinds}",
        )

    def __repr__(self) -> str:
        """Say what is shown."""
        return "\n".join(str(explanation) for explanation in self._explanations)

    def _fallback(self) -> str:
        return "".join(explanation._repr_html_() for explanation in self._explanations)


class PlayWidget(PageWidget):
    """A study to take part in, in a cell: a rehearsal that nothing is kept of."""

    def __init__(self, seat: Seat, language: str = "en") -> None:
        """Show the session of a seat."""
        self._seat = seat
        runtime = next((path.name for path in sorted((_WEB / "assets").glob("ort-wasm*.wasm"))), "")
        super().__init__(
            shown={"kind": "session", "study": seat.study_name, "token": seat.token, "runtime": runtime},
            language=language,
            label=f"Rehearsal of {seat.study_name}",
        )
        self.on_msg(self._asked)

    @property
    def answers(self) -> list[Json]:
        """What was answered so far: page, task, item, answers and seconds."""
        return self._seat.answers()

    @property
    def condition(self) -> str:
        """The condition that is played."""
        return self._seat.condition

    def table(self) -> pd.DataFrame:
        """Return the answers as a table, a column for each question."""
        whole = [(answer, _plain(answer["answers"])) for answer in self.answers]
        rows = [{**{name: answer[name] for name in answer if name != "answers"}, **given} for answer, given in whole]
        return pd.DataFrame(rows)

    def close(self) -> None:
        """Forget the session, and take the page away."""
        self._seat.close()
        super().close()

    def __repr__(self) -> str:
        """Say what is played, and how far it has got."""
        return f"Rehearsal of {self._seat.study_name} in the condition {self.condition}: {len(self.answers)} answers."

    def _fallback(self) -> str:
        rows = [(answer["page"], answer["item"], str(answer["answers"])) for answer in self.answers]
        told = "<p>Run the notebook to take part here.</p>"
        return titled_html(repr(self), told, table_html(("page", "item", "answers"), rows) if rows else "")

    def reply_to(self, request: Mapping[str, Any]) -> Reply:
        """Answer what the page asks, as the study's own server does."""
        return self._seat.server.ask(
            Asked(request["method"], request["path"], request["headers"], request["body"].encode())
        )

    def _asked(self, _widget: object, request: Mapping[str, Any], _buffers: object) -> None:
        reply = self.reply_to(request)
        self.send({"id": request["id"], "status": reply.status, "type": reply.type}, [reply.content])


def _plain(answers: Any) -> Json:
    return dict(answers) if isinstance(answers, Mapping) else {}
