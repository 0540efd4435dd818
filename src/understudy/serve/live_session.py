"""A live session: its state in memory, and how a batch of events is checked before it counts."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from starlette.requests import Request

from understudy.conduct import BlockVisit, Ended, Script, Session, Step, is_derived, resume
from understudy.conduct.script import SeenStimulus
from understudy.conduct.session import told_feedback
from understudy.conduct.timing import Opening
from understudy.record import EncodedEvent, encode_events
from understudy.registry import create, offers
from understudy.roles import RecordsVoice
from understudy.schema import (
    Assignment,
    Event,
    Interacted,
    PaySettled,
    RecordingStored,
    ResponseGiven,
    Screen,
    SessionEnded,
    SessionStarted,
    Trial,
    matches,
)
from understudy.schema.wire import (
    GateState,
    OpeningState,
    PartState,
    ReferenceState,
    RefusalReply,
    SavedEvent,
    ShownFeedback,
    StepState,
)
from understudy.serve.files import Film, film_fault
from understudy.serve.public_study import PublicStudy
from understudy.serve.wire import (
    LARGEST,
    PLAIN,
    PageEvent,
    Refusal,
    WireNames,
    bytes_of,
    conflicting,
    unacceptable,
    written_around,
    written_list,
    wrong_order,
)

# Live: a session in memory, with what its page has sent and what its page must be shown.

_N_AHEAD = 12
"""Trials whose files are fetched before they are needed."""
_NO_FEEDBACK = ShownFeedback()


@cache
def _records_voice(task: str) -> bool:
    return offers("tasks", task, RecordsVoice)


class _VisitView(NamedTuple):
    key: tuple[str, int]
    trial_ids: tuple[str, ...]
    references: tuple[ReferenceState, ...]
    written_references: bytes
    models: tuple[str, ...]
    """Live models of later visits: they are large, so they come while people read."""


class Live:
    """One session, its numbered page events, and the step at hand."""

    def __init__(self, session: Session, page: Sequence[Event], names: WireNames = PLAIN) -> None:
        self.session = session
        self.names = names
        self.page: list[Event] = list(page)
        self.at_hand: Step | Ended = session.next
        self._n_bytes: int | None = None
        self._saved: list[Interacted] = []
        self.is_shown = False
        """Whether the log holds that the trial at hand was shown."""
        self.recorded_blocks: frozenset[str] = frozenset()
        """Where the participant agreed to be recorded; nowhere until they do."""
        self.recordings = [event for event in session.events if isinstance(event, RecordingStored)]
        self.known = Counter[str](event.stream for event in session.events)
        """How many events of each stream the log holds, as far as this process knows."""
        self._view: _VisitView | None = None
        for event in self.page:
            self._note(event)

    @classmethod
    def from_events(
        cls, script: Script, events: Sequence[Event], names: WireNames = PLAIN
    ) -> "tuple[Live, tuple[Event, ...]]":
        """Rebuild a session from its log; the second part still has to be appended."""
        resumed = resume(script, events)
        live = cls(resumed.session, [event for event in events if event.stream == "page"], names)
        live.known = Counter(event.stream for event in events)
        return live, resumed.missing

    def note_stored(self, lines: Iterable[EncodedEvent]) -> None:
        """Count events that the log holds now, and their bytes."""
        for event, body in lines:
            self.known[event.stream] += 1
            if event.stream == "page" and self._n_bytes is not None:
                self._n_bytes += len(body)

    def note_known(self, events: Iterable[Event]) -> None:
        """Count events that the log was found to hold."""
        self.known.update(event.stream for event in events)

    def follow(self, events: Sequence[Event]) -> None:
        """Fold in what another process stored; the session derives its own engine events again."""
        for event in events:
            if not is_derived(event):
                self.take(event)
        self.note_known(events)
        self._n_bytes = None

    @property
    def next_seq(self) -> int:
        """The number of the next page event."""
        return len(self.page) + 1

    @property
    def n_bytes(self) -> int:
        """How much the page has stored, as JSON; ask before further events are taken."""
        if self._n_bytes is None:
            self._n_bytes = sum(len(line.body) for line in encode_events(self.page))
        return self._n_bytes

    @property
    def engine_seq(self) -> int:
        """The number the engine has reached."""
        return max(event.seq for event in self.session.events if event.stream == "engine")

    @property
    def ending(self) -> SessionEnded | None:
        """How the session ended last; None while it runs."""
        return next((event for event in reversed(self.session.events) if isinstance(event, SessionEnded)), None)

    @property
    def pay(self) -> PaySettled | None:
        """What was earned; None when nothing was settled."""
        return next((event for event in reversed(self.session.events) if isinstance(event, PaySettled)), None)

    @property
    def participant_id(self) -> str:
        """The pseudonym of the person."""
        return str(getattr(self.session.events[0], "participant_id", ""))

    def answered_trial(self, question_id: str) -> str:
        """Return the last trial in which a question was answered; empty for what is about the session as a whole."""
        answers = (event for event in reversed(self.page) if isinstance(event, ResponseGiven))
        return next((event.trial_id for event in answers if question_id in event.response), "")

    def read(self, event: PageEvent, received_ms: int | None = None) -> PageEvent:
        """Return an event of the page with the names of the study: it is stored already, or about the step at hand."""
        if event.seq < self.next_seq:
            stored = self.page[event.seq - 1]
            return self.names.read(event, str(getattr(stored, "trial_id", "")), received_ms)
        trial_id = "" if isinstance(self.at_hand, Ended) else self.at_hand.trial.trial_id
        return self.names.read(event, trial_id, received_ms)

    def fault_of(self, event: PageEvent, *, is_shown: bool | None = None) -> str | None:
        """Say what keeps an event from being stored, or None; `is_shown` counts the same batch before it is stored."""
        if event.type == "response_given":
            fault = self.session.fault_of(event)
            if fault is None and not (self.is_shown if is_shown is None else is_shown):
                return f"Step {event.step} was answered before it was shown; send trial_shown first."
            return fault
        now = self.at_hand
        if isinstance(now, Ended):
            return "The session has ended."
        if event.step != now.number or event.trial_id != now.trial.trial_id:
            return f"Step {event.step} with that trial is not the one at hand, which is {now.number}."
        return None

    def take(self, event: Event) -> tuple[Event, ...]:
        """Fold one event into the state and return the engine events it brings about."""
        made = self.session.take(event)
        if event.stream == "page":
            self.page.append(event)
            self._note(event)
        if event.type == "recording_stored":
            self.recordings.append(event)
        elif event.type in ("response_given", "session_ended", "session_excluded"):
            self.at_hand = self.session.next
        return made

    def step(self, public: PublicStudy, *, with_saved: bool = True, since: int | None = None) -> StepState | None:
        """Return the step at hand, None when there is none; for a guest, nothing that was answered before `since`."""
        now = self.at_hand
        if isinstance(now, Ended):
            return None
        visit = self._visit_view(now, public)
        position = self._position(now)
        n_positions = max(len(visit.trial_ids), position + 1)
        # Made of checked parts, thousands of times a second: checking them again would only take time.
        return StepState.model_construct(
            number=now.number,
            trial=public.trials[now.trial.trial_id],
            feedback=self._feedback(now, since),
            references=visit.references,
            purpose=now.visit.block.purpose,
            position=position,
            n_positions=n_positions,
            progress=round(now.progress, 4),
            # Before people agree, the page itself says how long it takes, the same for all conditions.
            minutes_left=None if now.visit.block.purpose == "consent" else round(now.left_s / 60, 2),
            part=None if now.part is None else PartState(**now.part._asdict()),
            opening=None if now.opening is None else opening_state(now.opening),
            gate=None if now.gate is None else GateState(**now.gate._asdict()),
            try_number=now.visit.try_number,
            saved=tuple(map(self._saved_event, self._saved_since(since))) if with_saved else (),
            shown_seq=self.is_shown,
            is_recorded=now.visit.block.block_id in self.recorded_blocks,
        )

    def written_step(self, public: PublicStudy, step: StepState) -> bytes:
        """Write the step at hand around its trial and references, which are written already."""
        references = b"[]" if self._view is None else self._view.written_references
        trial = public.written_trial(step.trial.trial_id, self.names)
        return written_around(step, {"trial": trial, "references": references})

    def preload(self, public: PublicStudy) -> tuple[str, ...]:
        """Return the files this trial and the next ones need, the nearest first, then the live models of later parts."""
        now = self.at_hand
        if isinstance(now, Ended):
            return ()
        visit = self._visit_view(now, public)
        ids = visit.trial_ids
        place = self._position(now)
        wanted = [now.trial.trial_id, *ids[place + 1 : place + 1 + _N_AHEAD]]
        near = (name for trial_id in wanted for name in public.files[trial_id])
        return tuple(dict.fromkeys((*near, *visit.models)))

    def _note(self, event: Event) -> None:
        """Remember what the page needs to come back to where it was."""
        # By their tags, which are quicker to compare than classes of records: moves come by the thousand.
        if event.type == "interacted":
            self._saved.append(event)
        elif event.type == "trial_shown":
            self.is_shown = True
        elif event.type == "response_given":
            self._saved = []
            self.is_shown = False
            self._note_microphone(event)

    def _saved_since(self, since: int | None) -> list[Interacted]:
        """Return what the page saved; of what somebody else did before `since`, only how long the page was there."""
        if since is None:
            return self._saved
        drafts = [event for event in self._saved if event.seq < since and event.action == "draft"]
        times = [event.model_copy(update={"payload": {**event.payload, "answers": {}}}) for event in drafts[-1:]]
        return [*times, *(event for event in self._saved if event.seq >= since)]

    def _saved_event(self, event: Interacted) -> SavedEvent:
        # Only when a page asks: one for every move of a slider would take a tenth of the server's time.
        return SavedEvent.model_construct(
            action=event.action, payload=self.names.written_payload(event), at_ms=event.at_ms
        )

    def _note_microphone(self, event: ResponseGiven) -> None:
        script = self.session.script
        trial = script.trials[event.trial_id]
        if _records_voice(trial.task):
            task: RecordsVoice = create("tasks", script.blocks[trial.block_id].task)
            self.recorded_blocks = frozenset(task.recorded_blocks if task.allows_recording(event.response) else ())

    def _feedback(self, now: Step, since: int | None) -> ShownFeedback:
        if not now.feedback or (since is not None and not self._answered_since(since)):
            return _NO_FEEDBACK
        # Results are about the whole session, and an id alone does not tell whose it is.
        results = self.session.script.study.access.results if since is None else "hidden"
        return ShownFeedback.model_validate(told_feedback(now.feedback, results))

    def _answered_since(self, since: int) -> bool:
        last = next((event for event in reversed(self.page) if isinstance(event, ResponseGiven)), None)
        return last is not None and last.seq >= since

    def _position(self, now: Step) -> int:
        last = self.session.steps[-1] if self.session.steps else None
        is_same_leg = last is not None and (last.block_id, last.levels, last.try_number) == (
            now.visit.block.block_id, now.visit.levels, now.visit.try_number,
        )  # fmt: skip
        return last.position + 1 if last is not None and is_same_leg else 0

    def _visit_view(self, now: Step, public: PublicStudy) -> _VisitView:
        key = (now.visit.visit_id, now.visit.try_number)
        if self._view is None or self._view.key != key:
            ids = self.session.script.trial_ids(now.visit, self.session.assignment, self._met())
            references = self._references(now, public)
            self._view = _VisitView(
                key, ids, references, _written(references, public, self.names), self._models_ahead(public)
            )
        return self._view

    def _models_ahead(self, public: PublicStudy) -> tuple[str, ...]:
        if not public.models:
            return ()
        script, assignment, met = self.session.script, self.session.assignment, self._met()
        first = (script.trial_ids(visit, assignment, met)[:1] for visit in self.session.visits_ahead)
        named = (name for ids in first for trial_id in ids for name in public.files[trial_id])
        return tuple(dict.fromkeys(name for name in named if name in public.models))

    def _met(self) -> dict[str, list[SeenStimulus]]:
        met: dict[str, list[SeenStimulus]] = {}
        for block_id, trial_id, levels in self._answered():
            stimulus_id = self.session.script.trials[trial_id].stimulus_id
            if stimulus_id is not None:
                met.setdefault(block_id, []).append(SeenStimulus(stimulus_id, levels))
        return met

    def _answered(self) -> list[tuple[str, str, dict[str, str]]]:
        return [
            (step.block_id, event.trial_id, step.levels)
            for step in self.session.steps
            for event in step.events
            if isinstance(event, ResponseGiven)
        ]

    def _references(self, now: Step, public: PublicStudy) -> tuple[ReferenceState, ...]:
        return tuple(
            ReferenceState(
                block=reference.block,
                access=reference.access,
                title=title_of(self.session.script.trials[trial_id]),
                trial=public.trials[trial_id],
            )
            for reference in now.references
            for trial_id in self._trials_of(reference.block, now.visit)
        )

    def _trials_of(self, block_id: str, visit: BlockVisit) -> list[str]:
        met = [trial_id for held, trial_id, _ in self._answered() if held == block_id]
        return list(dict.fromkeys(met)) or unmet_trials(self.session.script, block_id, visit, self.session.assignment)


def unmet_trials(script: Script, block_id: str, visit: BlockVisit, assignment: Assignment) -> list[str]:
    """Return what a reference shows of a block that was not met yet: a page that belongs to the session."""
    block = script.blocks[block_id]
    if not isinstance(block, Screen) or not matches(block.when, visit.levels):
        return []
    return list(script.trial_ids(BlockVisit(block, {**visit.levels, **block.levels}), assignment, {}))


def opening_state(opening: Opening) -> OpeningState:
    """Return an announcement as its page gets it."""
    return OpeningState(
        begins_part=opening.begins_part,
        text=opening.text,
        has_break=opening.has_break,
        n_pages=opening.n_pages,
        minutes=round(opening.seconds / 60, 2),
    )


def title_of(trial: Trial) -> str:
    """Return what earlier material is called when it is shown again."""
    title = trial.params.get("title")
    # Never the name of the block, which may tell the condition.
    return title if isinstance(title, str) else ""


def _written(references: tuple[ReferenceState, ...], public: PublicStudy, names: WireNames) -> bytes:
    return written_list(
        [
            written_around(
                reference,
                {
                    "block": b'"%s"' % names.of(reference.block).encode(),
                    "trial": public.written_trial(reference.trial.trial_id, names),
                },
            )
            for reference in references
        ]
    )


def opening(script: Script, started: SessionStarted, names: WireNames = PLAIN) -> Live:
    """Return a session that has just begun."""
    return Live(Session(script, started), (), names)


PageEvents: TypeAlias = Sequence[PageEvent]


def fresh(live: Live, events: PageEvents) -> PageEvents:
    """Leave out what is stored already, and refuse gaps and second versions."""
    expected = live.next_seq
    if events[0].seq > expected:
        raise wrong_order(expected)
    for event in events:
        if event.seq < expected and not _is_resent(live.page[event.seq - 1], live.read(event)):
            raise conflicting(event.seq, expected)
    return events[expected - events[0].seq :]


class Received(NamedTuple):
    """New events of a page, as it sent them."""

    events: PageEvents
    at_ms: int | None
    """When they came by the server's clock; None for simulated people, who run on simulated time."""


def received(live: Live, events: PageEvents, now_ms: int) -> Received:
    """Return the events with the time of their receipt."""
    started = live.session.events[0]
    if not isinstance(started, SessionStarted) or started.participant_kind != "person":
        return Received(events, None)
    last = live.page[-1] if live.page else started
    # A server's clock that is set back must not make honest people look impossibly fast.
    return Received(events, max(now_ms, getattr(last, "received_ms", None) or started.at_ms))


def checked_ahead(live: Live, new: Received) -> list[PageEvent]:
    """Find faults before anything changes, and return the events up to the first answer: they are of the current step."""
    checked: list[PageEvent] = []
    is_shown = live.is_shown
    for sent in new.events:
        event = live.read(sent, new.at_ms)
        fault = live.fault_of(event, is_shown=is_shown)
        if fault is not None:
            raise unacceptable(fault)
        checked.append(event)
        if event.type == "response_given":
            break
        is_shown = is_shown or event.type == "trial_shown"
    return checked


def taken(live: Live, checked: Sequence[PageEvent], new: Received, films: Mapping[str, Film]) -> list[Event]:
    """Apply events to the session, and return them with the engine events that follow."""
    batch: list[Event] = []
    for index, sent in enumerate(new.events):
        if live.session.outcome is not None:
            break  # events after the end belong to no step
        # Later events are about steps that the answers before them lead to, so they cannot be checked any sooner.
        event = checked[index] if index < len(checked) else live.read(sent, new.at_ms)
        fault = None if index < len(checked) else live.fault_of(event)
        if fault is None and event.type == "response_given" and event.trial_id in films:
            fault = film_fault(films[event.trial_id], event, sent_ms=live.session.sent_ms)
        if fault is not None:
            raise unacceptable(fault)
        batch.append(event)
        batch.extend(live.take(event))
    if live.session.outcome == "completed":
        live.session.script.timetable.learn(live.session.steps)
    return batch


def _is_resent(stored: Event, event: PageEvent) -> bool:
    """Tell whether a page sent the stored event again; the time of receipt is not part of what it sent."""
    return stored == event.model_copy(update={"received_ms": getattr(stored, "received_ms", None)})


# Recording: read a chunk of a voice recording strictly, and find its place in the session.

_MEDIA: Mapping[str, Literal["webm", "mp4"]] = {"audio/webm": "webm", "audio/mp4": "mp4"}
_MOST_CHUNKS = 100_000


class AudioChunk(NamedTuple):
    """One chunk as a page sends it."""

    block_id: str
    started_ms: int
    chunk: int
    media: Literal["webm", "mp4"]
    content: bytes


async def audio_chunk_from(request: Request, limit: int) -> AudioChunk:
    """Read a chunk and where it belongs; refuse what is not audio, or too long."""
    # A form on another site can send neither type; it could send others, and the browser would attach our cookie.
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _MEDIA:
        raise Refusal(415, "Send a recording as audio/webm or audio/mp4.")
    asked = request.query_params
    started_ms, chunk = (_count(asked.get(name, ""), name) for name in ("started_ms", "chunk"))
    if not 1 <= chunk <= _MOST_CHUNKS:
        raise unacceptable(f"'chunk' counts from 1 to {_MOST_CHUNKS}.")
    too_long = f"A chunk of a recording holds at most {limit // 1024} kB; send shorter ones."
    content = await bytes_of(request, limit, too_long)
    if not content:
        raise unacceptable("The chunk is empty; send the bytes of the recording as the body.")
    audio = AudioChunk(asked.get("block", ""), started_ms, chunk, _MEDIA[kind], content)
    if chunk == 1 and not _has_header(audio):
        raise unacceptable(f"The first chunk does not begin as {kind} does; send what the recorder made, unchanged.")
    return audio


def recording_event(live: Live, audio: AudioChunk, *, at_ms: int, limit: int) -> RecordingStored | None:
    """Return the event for a chunk, None if it is stored already; refuse a chunk that does not fit."""
    if audio.block_id not in live.recorded_blocks:
        raise Refusal(403, "This session did not agree to be recorded here, so nothing was stored.")
    digest = hashlib.sha256(audio.content).hexdigest()
    earlier = [stored for stored in live.recordings if stored.started_ms == audio.started_ms]
    known = next((stored for stored in earlier if stored.chunk == audio.chunk), None)
    if known is not None and known.sha256 == digest:
        return None
    if known is not None or audio.chunk != len(earlier) + 1:
        raise Refusal(
            409, f"The next chunk of this recording has number {len(earlier) + 1}; nothing stored is ever changed.",
            more=RefusalReply(expected_chunk=len(earlier) + 1),
        )  # fmt: skip
    if any((stored.block_id, stored.media) != (audio.block_id, audio.media) for stored in earlier):
        raise unacceptable("A recording stays in one block and of one type; begin another with its own started_ms.")
    if sum(stored.n_bytes for stored in live.recordings) + len(audio.content) > limit:
        raise Refusal(
            413,
            f"The recordings of this session have reached {limit // 1024**2} MB; the study continues without a recording.",
        )
    part = earlier[0].part if earlier else max((stored.part for stored in live.recordings), default=0) + 1
    return RecordingStored(
        session_id=live.session.session_id, seq=len(live.recordings) + 1, at_ms=at_ms, block_id=audio.block_id,
        part=part, chunk=audio.chunk, started_ms=audio.started_ms, media=audio.media, n_bytes=len(audio.content),
        sha256=digest,
    )  # fmt: skip


def _has_header(audio: AudioChunk) -> bool:
    # A recorder may send its first byte alone, so a short beginning is compared with as much of the header.
    head = audio.content[:8]
    if audio.media == "webm":
        return b"\x1a\x45\xdf\xa3".startswith(head[:4])
    return b"ftyp".startswith(head[4:])


def _count(text: str, name: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 16 and int(text) < LARGEST):
        raise unacceptable(f"{name!r} is a whole number from 0.")
    return int(text)
