"""Session: the pure state machine. Materials and the events so far decide the next trial, or the end.

`take` folds one event into the state and returns the engine's own events that follow from it (a gate's decision,
an exclusion, the end, the pay). They depend on nothing but the log, so a session rebuilt from any point of its
log derives the very same ones.
"""

from dataclasses import dataclass
from typing import NamedTuple

from understudy.conduct.block_visits import BlockVisit, visits_for
from understudy.conduct.pay import pay_event
from understudy.conduct.scoring import Score, StepEvents
from understudy.conduct.script import Script, SeenStimulus
from understudy.errors import LogError
from understudy.schema import (
    Assignment,
    Ending,
    Event,
    Exclusion,
    GateDecided,
    Interacted,
    Json,
    Reference,
    ResponseGiven,
    SessionEnded,
    SessionExcluded,
    SessionStarted,
    Stage,
    Trial,
    TrialShown,
    matches,
)


class Step(NamedTuple):
    """What the participant meets next."""

    number: int
    trial: Trial
    visit: BlockVisit
    feedback: Json
    """What the feedback policy lets them know now; empty most of the time."""
    references: tuple[Reference, ...]
    n_visits_done: int
    n_visits: int
    position: int = 0
    """Place among the trials of its visit, counted from 0."""


class Ended(NamedTuple):
    """There is no next trial."""

    outcome: Ending


@dataclass
class _CurrentVisit:
    """Where the session stands inside a visit."""

    visit: BlockVisit
    trial_ids: tuple[str, ...]
    place: int = 0
    started_ms: int | None = None
    first_step: int = 0


class Session:
    """One session's state. Build it from its `session_started` event, then give it every further event."""

    def __init__(self, script: Script, started: SessionStarted) -> None:
        if started.study_digest != script.digest:
            raise LogError(
                f"Session {started.session_id} belongs to another version of {started.study_name!r} "
                f"({started.study_digest[:12]}) than the one at hand ({script.digest[:12]})."
            )
        self.script = script
        self.session_id = started.session_id
        self.assignment: Assignment = started.assignment
        self.events: list[Event] = [started]
        self.steps: list[StepEvents] = []
        self.outcome: Ending | None = None
        self.excluded_by: str | None = None
        self._engine_seq = started.seq
        self._seen: dict[str, list[SeenStimulus]] = {}
        self._n_seen: dict[str, int] = {}
        self._agenda = visits_for(script.study.flow, started.assignment)
        self._next_visit = 0
        self._feedback: Json = {}
        self._of_this_step: list[Event] = []
        self._current: _CurrentVisit | None = None
        self._enter_next_visit()

    @property
    def next(self) -> Step | Ended:
        """The next trial, or the end."""
        if self.outcome is not None or self._current is None:
            return Ended(self.outcome or "completed")
        trial = self.script.trials[self._current.trial_ids[self._current.place]]
        block = self._current.visit.block
        return Step(
            len(self.steps),
            trial,
            self._current.visit,
            self._shown_feedback(),
            block.references,
            self._next_visit - 1,
            len(self._agenda),
            self._current.place,
        )

    @property
    def visits_ahead(self) -> tuple[BlockVisit, ...]:
        """The visits that follow the one at hand, as things stand."""
        return tuple(self._agenda[self._next_visit :])

    def n_seen(self, task: str) -> int:
        """Return how many trials of a task have been answered."""
        return self._n_seen.get(task, 0)

    def fault_of(self, event: ResponseGiven) -> str | None:
        """Say what is wrong with an answer, or None: the server asks before it stores one."""
        if self.outcome is not None or self._current is None:
            return "The session has ended."
        expected = self._current.trial_ids[self._current.place]
        if event.step != len(self.steps) or event.trial_id != expected:
            return (
                f"Step {event.step} ({event.trial_id}) is not the one at hand, which is {len(self.steps)} ({expected})."
            )
        for question in self.script.trials[expected].asks:
            value = event.response.get(question.question_id)
            if value is None:
                if question.is_required:
                    return f"{question.question_id!r} is not answered."
            elif not question.accepts(value):
                return f"{value!r} is not a possible answer to {question.question_id!r}."
        unasked = event.response.keys() - {question.question_id for question in self.script.trials[expected].asks}
        return f"{min(unasked)!r} was not asked." if unasked else None

    def take(self, event: Event) -> tuple[Event, ...]:
        """Fold one event into the state and return the engine events it brings about."""
        self.events.append(event)
        if isinstance(event, TrialShown | Interacted | ResponseGiven):
            self._of_this_step.append(event)
        match event:
            case TrialShown() if self._current is not None and self._current.started_ms is None:
                self._current.started_ms = event.at_ms
            case ResponseGiven() if self.outcome is None and self._current is not None:
                return tuple(self._answered(self._current, event))
            case SessionEnded():
                self.outcome = event.outcome
            case SessionExcluded():
                self.excluded_by = event.exclusion_id
        return ()

    def _answered(self, now: _CurrentVisit, event: ResponseGiven) -> list[Event]:
        visit = now.visit
        self.steps.append(
            StepEvents(visit.block.block_id, self._of_this_step, visit.levels, visit.try_number, now.place)
        )
        self._of_this_step = []
        trial = self.script.trials[event.trial_id]
        self._n_seen[trial.task] = self._n_seen.get(trial.task, 0) + 1
        if trial.stimulus_id is not None:
            self._seen.setdefault(visit.block.block_id, []).append(SeenStimulus(trial.stimulus_id, visit.levels))
        now.place += 1
        self._feedback = self._trial_feedback(now, event)
        if now.place < len(now.trial_ids) and not _is_over(now, event.at_ms):
            return []
        return self._visit_ended(now, event)

    def _visit_ended(self, now: _CurrentVisit, event: ResponseGiven) -> list[Event]:
        block = now.visit.block
        events: list[Event] = []
        for stop, holds in self.script.stop_rules.get(block.block_id, ()):
            if holds(self._visit_answers(now)):
                return self._end(event.at_ms, stop.outcome, reason=stop.reason, pay_share=stop.pay_share)
        if isinstance(block, Stage) and block.feedback == "after_stage":
            score = self.script.scorer.block_score(None, self.steps[now.first_step :])
            self._feedback = {"share_correct": score}
        if block.gate is not None:
            score = self.script.scorer.block_score(block.gate.measure, self.steps[now.first_step :])
            is_passed = score is not None and score >= block.gate.at_least
            events.append(
                GateDecided(
                    session_id=self.session_id, seq=self._seq(), at_ms=event.at_ms, block_id=block.block_id,
                    try_number=now.visit.try_number, score=score, is_passed=is_passed,
                )
            )  # fmt: skip
            self.events.append(events[-1])
            if not is_passed:
                gate = block.gate
                if gate.tries == "unlimited" or now.visit.try_number < gate.tries:
                    self._repeat_visit(now.visit, gate.restudy)
                elif gate.on_fail == "screen_out":
                    return events + self._end(event.at_ms, "screened_out", reason=gate.reason, pay_share=gate.pay_share)
        return events + self._continue(event.at_ms)

    def _continue(self, at_ms: int) -> list[Event]:
        broken = self._broken("live")
        if broken is not None:
            events = self._exclude(at_ms, broken)
            return events + self._end(
                at_ms, "excluded", reason=broken.reason, pay_share=broken.pay_share, has_bonus=broken.keeps_bonus
            )
        if self._next_visit < len(self._agenda):
            self._enter_next_visit()
            if self._current is not None:
                return []
        broken = self._broken("at_close")
        events = self._exclude(at_ms, broken) if broken is not None else []
        share = broken.pay_share if broken else 1.0
        return events + self._end(at_ms, "completed", pay_share=share, has_bonus=broken is None or broken.keeps_bonus)

    def _repeat_visit(self, visit: BlockVisit, restudy: tuple[str, ...]) -> None:
        levels = {name: level for name, level in visit.levels.items() if name not in visit.block.levels}
        blocks = [self.script.blocks[block_id] for block_id in restudy]
        again = [
            BlockVisit(block, {**levels, **block.levels}, visit.try_number + 1)
            for block in blocks
            if matches(block.when, levels)
        ]
        again.append(BlockVisit(visit.block, visit.levels, visit.try_number + 1))
        self._agenda[self._next_visit : self._next_visit] = again

    def _enter_next_visit(self) -> None:
        self._current = None
        while self._next_visit < len(self._agenda):
            visit = self._agenda[self._next_visit]
            self._next_visit += 1
            trial_ids = self.script.trial_ids(visit, self.assignment, self._seen)
            if trial_ids:
                self._current = _CurrentVisit(visit, trial_ids, first_step=len(self.steps))
                return

    def _broken(self, applies: str) -> Exclusion | None:
        rules = self.script.exclusion_rules[applies]
        if not rules:
            return None
        scores = self.scores()
        return next((exclusion for exclusion, holds in rules if holds(scores)), None)

    def scores(self) -> dict[str, Score]:
        """Return the session measures of what has happened so far."""
        return self.script.scorer.session_scores(self.steps, self.events)

    def _exclude(self, at_ms: int, exclusion: Exclusion) -> list[Event]:
        self.excluded_by = exclusion.exclusion_id
        excluded = SessionExcluded(
            session_id=self.session_id, seq=self._seq(), at_ms=at_ms,
            exclusion_id=exclusion.exclusion_id, reason=exclusion.reason,
        )  # fmt: skip
        self.events.append(excluded)
        return [excluded]

    def _end(
        self, at_ms: int, outcome: Ending, *, pay_share: float, reason: str = "", has_bonus: bool | None = None
    ) -> list[Event]:
        self.outcome = outcome
        block_id = self._current.visit.block.block_id if self._current and outcome != "completed" else None
        ended = SessionEnded(
            session_id=self.session_id, seq=self._seq(), at_ms=at_ms, outcome=outcome, reason=reason, block_id=block_id
        )
        self.events.append(ended)
        if self.script.study.pay is None:
            return [ended]
        earns_bonus = outcome == "completed" if has_bonus is None else has_bonus
        paid = pay_event(self.script.study.pay, ended, pay_share, self.scores() if earns_bonus else {})
        self._engine_seq = paid.seq
        self.events.append(paid)
        return [ended, paid]

    def _seq(self) -> int:
        self._engine_seq += 1
        return self._engine_seq

    def _visit_answers(self, now: _CurrentVisit) -> dict[str, object]:
        answers: dict[str, object] = {}
        for step in self.steps[now.first_step :]:
            for event in step.events:
                if isinstance(event, ResponseGiven):
                    answers.update(event.response)
        asked = (q.question_id for trial_id in now.trial_ids for q in self.script.trials[trial_id].asks)
        return {**dict.fromkeys(asked), **answers}

    def _trial_feedback(self, now: _CurrentVisit, event: ResponseGiven) -> Json:
        if not isinstance(now.visit.block, Stage) or now.visit.block.feedback != "per_trial":
            return {}
        key = self.script.answers.get(event.trial_id)
        if key is None:
            return {}
        return {"answers": key, "is_correct": all(event.response.get(name) == right for name, right in key.items())}

    def _shown_feedback(self) -> Json:
        if self._current is not None and self._current.visit.block.purpose == "feedback":
            names = self.script.trials[self._current.trial_ids[self._current.place]].params.get("measures") or ()
            scores = self.scores()
            return {**self._feedback, "measures": {str(name): scores.get(str(name)) for name in names}}  # type: ignore[union-attr]
        return self._feedback


def _is_over(now: _CurrentVisit, at_ms: int) -> bool:
    minutes = now.visit.block.minutes if isinstance(now.visit.block, Stage) else None
    return minutes is not None and now.started_ms is not None and at_ms - now.started_ms >= minutes * 60_000
