"""Session facts: what the dashboard tells of one session beyond its summary, folded event by event.

A fold needs nothing but the session's events in order, so that it can be continued where it stopped.
"""

import contextlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock

from understudy.conduct import Script
from understudy.conduct.block_visits import blocks_by_condition
from understudy.conduct.copies import Copies
from understudy.errors import LogError
from understudy.record import Log, SessionSummary
from understudy.schema import Event, Interacted, ResponseGiven, SessionFlagged, TrialShown
from understudy.schema.events import seen_ms

FAST_MS = 1000
"""Nobody reads a question and answers it in less."""
N_FAST, N_HIDDEN, N_SAME = 3, 5, 8
"""From how many quick answers, hidden pages and equal answers on researchers are told."""
_N_KEPT = 20_000


@dataclass
class _Answers:
    """The answers to one question: how many, and whether they were all the same."""

    first: int
    n: int = 1
    is_same: bool = True


@dataclass
class SessionFacts:
    """Where somebody is, when they were last heard of, and what looks unusual."""

    step: int | None = None
    trial_id: str = ""
    last_seen_ms: int | None = None
    n_fast: int = 0
    n_hidden: int = 0
    n_pasted: int = 0
    _answers: dict[str, _Answers] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Fold one event in; events of the engine and the desk change nothing."""
        if not isinstance(event, TrialShown | Interacted | ResponseGiven):
            return
        self.last_seen_ms = max(self.last_seen_ms or 0, seen_ms(event))
        if isinstance(event, TrialShown):
            self.step, self.trial_id = event.step, event.trial_id
        elif isinstance(event, Interacted):
            self.n_hidden += event.action == "page_hidden"
            self.n_pasted += event.action == "pasted"
        else:
            self._answer(event)

    def _answer(self, event: ResponseGiven) -> None:
        if event.response:
            self.n_fast += event.rt_ms < FAST_MS
        for question_id, answer in event.response.items():
            # A hash and not the answer itself: nothing of a person is kept when their session is erased.
            mark = hash(json.dumps(answer, sort_keys=True))
            known = self._answers.get(question_id)
            if known is None:
                self._answers[question_id] = _Answers(mark)
            else:
                known.n += 1
                known.is_same = known.is_same and mark == known.first

    def warnings(self) -> tuple[str, ...]:
        """Say in one sentence each what researchers should look at; nothing of it excludes anybody."""
        said = []
        if self.n_fast >= N_FAST:
            said.append(f"Too fast: {self.n_fast} answers in less than a second.")
        if self.n_hidden >= N_HIDDEN:
            said.append(f"Left the page {self.n_hidden} times.")
        if self.n_pasted:
            said.append(f"Pasted text {'once' if self.n_pasted == 1 else f'{self.n_pasted} times'}.")
        said += [
            f"Same answers: {answers.n} times the same to {question_id}."
            for question_id, answers in self._answers.items()
            if answers.is_same and answers.n >= N_SAME
        ]
        return tuple(said)


def warnings_in(events: Iterable[Event]) -> tuple[str, ...]:
    """Return all that was noticed about a session, by the engine and here."""
    facts, flagged = SessionFacts(), []
    for event in events:
        facts.take(event)
        if isinstance(event, SessionFlagged):
            flagged.append(event.reason)
    return (*flagged, *facts.warnings())


class FactsCache:
    """The facts of recently listed sessions, folded again only when their summary has changed."""

    def __init__(self, log: Log, script: Script) -> None:
        self._log = log
        self._script = script
        self._kept: OrderedDict[str, tuple[int, SessionFacts]] = OrderedDict()
        self._copies = Copies()
        self._lock = Lock()

    def copies_of(self, summaries: Sequence[SessionSummary]) -> dict[str, tuple[str, ...]]:
        """Say which people's ended sessions are copies of one another; called in a thread, it reads each of them once."""
        for summary in summaries:
            if summary.outcome is None or summary.participant_kind != "person" or self._copies.has(summary.session_id):
                continue
            # Erased or damaged meanwhile: then there is nothing to compare.
            with contextlib.suppress(LogError):
                events = self._log.session(summary.session_id)
                with self._lock:
                    self._copies.note(summary.session_id, events)
        with self._lock:
            return dict(self._copies.found())

    def of(self, summary: SessionSummary) -> SessionFacts:
        """Return the facts of a session; called in a thread."""
        with self._lock:
            kept = self._kept.get(summary.session_id)
        if kept is not None and kept[0] == summary.last_event_ms:
            return kept[1]
        facts = SessionFacts()
        for event in self._log.session(summary.session_id):
            facts.take(event)
        with self._lock:
            self._kept[summary.session_id] = (summary.last_event_ms, facts)
            if len(self._kept) > _N_KEPT:
                self._kept.popitem(last=False)
        return facts

    def forget(self, session_id: str) -> None:
        """Drop what is known of an erased session."""
        with self._lock:
            self._kept.pop(session_id, None)
            self._copies.forget(session_id)

    def step_of(self, facts: SessionFacts, *, is_blind: bool = False) -> str | None:
        """Return where somebody is, in words for researchers.

        Where conditions are hidden, that is the last block that all conditions have: the number of a step and the pages of
        one condition would tell which one somebody is in.
        """
        if facts.step is None:
            return None
        trial = self._script.trials.get(facts.trial_id)
        if is_blind:
            return None if trial is None else self._shared_block(trial.block_id)
        return f"{facts.step + 1}" if trial is None else f"{facts.step + 1} · {_words(trial.block_id)}"

    def _shared_block(self, block_id: str) -> str | None:
        shared = frozenset.intersection(*blocks_by_condition(self._script.study).values())
        names = list(self._script.blocks)
        passed = [name for name in names[: names.index(block_id) + 1] if name in shared]
        return _words(passed[-1]) if passed else None


def _words(block_id: str) -> str:
    return block_id.replace("_", " ")
