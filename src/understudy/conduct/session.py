"""Session: a pure state machine in which materials and past events decide the next trial, its feedback, or the end.

`take` updates the state with one event and returns the engine events that follow from it (a gate decision, an
exclusion, the end, the pay). They depend only on the log, so a session rebuilt from its log derives the same ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pydantic import JsonValue

from understudy.conduct.pay import base_after, pay_event
from understudy.conduct.scoring import Score, StepEvents
from understudy.conduct.script import Script, SeenStimulus
from understudy.conduct.timing import CurrentPart, Opening, Pacing, PlannedVisit, TimeBudget, current_part, opening_of
from understudy.conduct.visits import BlockVisit, GateState, gate_state, missed_questions, references_at, visits_for
from understudy.errors import LogError
from understudy.roles import AnsweredTrial
from understudy.schema import (
    Assignment,
    Ending,
    Event,
    Exclusion,
    Gate,
    GateDecided,
    Json,
    Rating,
    Reference,
    ResponseGiven,
    Screen,
    SessionEnded,
    SessionExcluded,
    SessionFlagged,
    SessionStarted,
    Stage,
    Stop,
    Trial,
    json_from_record,
    matches,
    seed_from,
)
from understudy.schema.events import seen_ms

# Feedback: what people are told about their answers, where a study tells them anything.


def trial_feedback(script: Script, event: ResponseGiven) -> Json:
    """Return whether an answer was right, the right answers, and why they are right; empty if there is no key."""
    key = script.answers.get(event.trial_id)
    if key is None:
        return {}
    # In the order in which they were asked; the key is stored alphabetically.
    asked = (question.question_id for question in script.trials[event.trial_id].asks)
    ordered = {name: key[name] for name in asked if name in key}
    told: Json = {
        "answers": in_words(script.trials[event.trial_id], ordered),
        "is_correct": all(event.response.get(name) == right for name, right in key.items()),
    }
    reason = script.reasons.get(event.trial_id)
    return {**told, "reason": reason} if reason else told


def told_feedback(feedback: Json, results: str) -> Json:
    """Return what a page is told of its feedback: the names of results, but not the results, where a study does not show them."""
    if not feedback or results == "shown":
        return feedback
    measures = feedback.get("measures")
    hidden: Json = {
        "measures": dict.fromkeys(measures) if isinstance(measures, dict) else {},
        "counted": {},
        "results": [],
    }
    return {**feedback, **{name: value for name, value in hidden.items() if name in feedback}}


def in_words(trial: Trial, answers: Json) -> Json:
    """Return answers as the page of a trial calls them: words for points of a scale, names for values."""
    labels = _labels(trial)
    names = trial.params.get("value_names")
    named = names if isinstance(names, dict) else {}

    def told(name: str, value: JsonValue) -> JsonValue:
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= len(labels.get(name, ())):
            return labels[name][value - 1]
        return named.get(value, value) if isinstance(value, str) else value

    return {name: told(name, value) for name, value in answers.items()}


def _labels(trial: Trial) -> dict[str, tuple[str, ...]]:
    return {question.question_id: question.labels for question in trial.asks if isinstance(question, Rating)}


def stage_feedback(script: Script, steps: Sequence[StepEvents]) -> Json:
    """Return how many answers of a stage were right."""
    judged = [step for step in steps if script.scorer.block_score(None, [step]) is not None]
    return {"share_correct": script.scorer.block_score(None, steps), "n_judged": len(judged)}


def answered_trials(script: Script, steps: Sequence[StepEvents]) -> list[AnsweredTrial]:
    """Return the answers of the last try of each block, for pages that tell results."""
    last_try = {step.block_id: step.try_number for step in steps}
    return [
        AnsweredTrial(
            step.block_id,
            event.response,
            script.answers.get(event.trial_id, {}),
            script.truth.get(event.trial_id, {}),
            _labels(script.trials[event.trial_id]),
        )
        for step in steps
        if step.try_number == last_try[step.block_id]
        for event in step.events
        if isinstance(event, ResponseGiven)
    ]


_ON_PAGE = frozenset({"trial_shown", "interacted", "response_given"})


class Step(NamedTuple):
    """The next trial of a participant."""

    number: int
    trial: Trial
    visit: BlockVisit
    feedback: Json
    """Feedback that the study shows now; usually empty."""
    references: tuple[Reference, ...]
    position: int = 0
    """Position among the trials of its visit, counted from 0."""
    progress: float = 0.0
    """Share of the session that is done, by time."""
    left_s: float = 0.0
    """How much longer the session is expected to take."""
    part: CurrentPart | None = None
    opening: Opening | None = None
    """What is announced before the trial."""
    gate: GateState | None = None
    """What a person has to know about the gate of the block."""


class Ended(NamedTuple):
    """The session is over."""

    outcome: Ending


@dataclass
class _CurrentVisit:
    """The current visit, and how far the session has come in it."""

    visit: BlockVisit
    trial_ids: tuple[str, ...]
    index: int = 0
    started_ms: int | None = None
    first_step: int = 0


class Session:
    """The state of one session: build it from `session_started`, then pass it every further event."""

    def __init__(self, script: Script, started: SessionStarted) -> None:
        if started.study_digest != script.digest:
            raise LogError(
                f"Session {started.session_id} belongs to another version of {started.study_name!r} "
                f"({started.study_digest[:12]}) than the current one ({script.digest[:12]})."
            )
        self.script = script
        self.session_id = started.session_id
        self.assignment: Assignment = started.assignment
        self.events: list[Event] = [started]
        self.steps: list[StepEvents] = []
        self.outcome: Ending | None = None
        self.excluded_by: str | None = None
        self.flags: list[SessionFlagged] = []
        self._engine_seq = started.seq
        self._budget = TimeBudget(started.at_ms)
        self._seen: dict[str, list[SeenStimulus]] = {}
        self._n_seen: dict[str, int] = {}
        self._missed: dict[str, tuple[str, ...]] = {}
        self._agenda = visits_for(script.study.flow, started.assignment)
        announced = script.study.pay.expected_minutes if script.study.pay is not None else None
        self._pacing = Pacing(None if announced is None else 60 * announced, n_learned=script.timetable.n_learned)
        self._ahead: list[PlannedVisit] = []
        self._next_visit = 0
        self._feedback: Json = {}
        self._of_this_step: list[Event] = []
        self._current: _CurrentVisit | None = None
        self._enter_next_visit()
        self._look_ahead()

    @property
    def next(self) -> Step | Ended:
        """The next trial, or the outcome if the session is over."""
        if self.outcome is not None or self._current is None:
            return Ended(self.outcome or "completed")
        trial = self.script.trials[self._current.trial_ids[self._current.index]]
        visit_index = self._next_visit - 1
        return Step(
            len(self.steps),
            trial,
            self._current.visit,
            self._shown_feedback(),
            references_at(self._current.visit, self.script.blocks),
            self._current.index,
            self._pacing.progress,
            self._pacing.left_s,
            current_part(self._agenda, visit_index),
            opening_of(self._agenda, visit_index, self._ahead, self._pacing) if self._current.index == 0 else None,
            gate_state(self._current.visit, self._missed),
        )

    @property
    def sent_ms(self) -> int:
        """When the server sent the step at hand, by its own clock."""
        return self._budget.sent_ms

    @property
    def visits_ahead(self) -> tuple[BlockVisit, ...]:
        """The visits after the current one, as far as is known current."""
        return tuple(self._agenda[self._next_visit :])

    def n_seen(self, task: str) -> int:
        """Return how many trials of a task have been answered."""
        return self._n_seen.get(task, 0)

    def fault_of(self, event: ResponseGiven) -> str | None:
        """Return what is wrong with an answer, or None; the server checks this before it stores one."""
        if self.outcome is not None or self._current is None:
            return "The session has ended."
        expected = self._current.trial_ids[self._current.index]
        if event.step != len(self.steps) or event.trial_id != expected:
            # Trials are not named here: their names tell the condition, and this sentence reaches the page.
            return f"Step {event.step} with that trial is not the current step, which is {len(self.steps)}."
        for question in self.script.trials[expected].asks:
            value = event.response.get(question.question_id)
            if value is None:
                if question.is_required:
                    return f"{question.question_id!r} is not answered."
            elif not question.accepts(value):
                return f"{value!r} is not a possible answer to {question.question_id!r}."
        # Unasked answers are rejected too, so that nothing unplanned gets into the log.
        unasked = event.response.keys() - {question.question_id for question in self.script.trials[expected].asks}
        return f"{min(unasked)!r} was not asked." if unasked else None

    def take(self, event: Event) -> tuple[Event, ...]:
        """Update the state with one event and return the engine events that follow."""
        self.events.append(event)
        # By their tags, which are quicker to compare than classes of records: moves come by the thousand.
        if event.type in _ON_PAGE:
            self._of_this_step.append(event)
        if event.type == "trial_shown" and self._current is not None and self._current.started_ms is None:
            self._current.started_ms = seen_ms(event)
        elif event.type == "response_given" and self.outcome is None and self._current is not None:
            return tuple(self._answered(self._current, event))
        elif event.type == "session_ended":
            self.outcome = event.outcome
        elif event.type == "session_excluded":
            self.excluded_by = event.exclusion_id
        return ()

    def _answered(self, current: _CurrentVisit, event: ResponseGiven) -> list[Event]:
        visit = current.visit
        credited = self._budget.credit(self._of_this_step)
        flagged = self._flag_times(event) if credited.is_excessive else []
        self.steps.append(
            StepEvents(visit.block.block_id, credited.events, visit.levels, visit.try_number, current.index)
        )
        self._of_this_step = []
        trial = self.script.trials[event.trial_id]
        self._n_seen[trial.task] = self._n_seen.get(trial.task, 0) + 1
        if trial.stimulus_id is not None:
            self._seen.setdefault(visit.block.block_id, []).append(SeenStimulus(trial.stimulus_id, visit.levels))
        current.index += 1
        planned = self.script.timetable.plan(visit)
        answer = self.steps[-1].events[-1]
        spent_s = answer.rt_ms / 1000 if isinstance(answer, ResponseGiven) else 0.0
        self._pacing.answered(planned.task, expected_s=planned.page_s, spent_s=spent_s)
        self._feedback = trial_feedback(self.script, event) if visit.block.feedback == "per_trial" else {}
        is_last = current.index >= len(current.trial_ids) or _is_over(current, seen_ms(event))
        following = self._visit_ended(current, event) if is_last else []
        self._look_ahead()
        return flagged + following

    def _look_ahead(self) -> None:
        """Work out what is left; visits that were shortened meanwhile count with what remains of them."""
        current, plan = self._current, self.script.timetable.plan
        self._ahead = [plan(visit) for visit in self._agenda[self._next_visit :]]
        if current is not None:
            planned = plan(current.visit)
            n_left = len(current.trial_ids) - current.index
            self._ahead.insert(0, planned._replace(n_pages=n_left, seconds=planned.page_s * n_left))
        self._pacing.look_ahead(self._ahead)

    def _flag_times(self, event: ResponseGiven) -> list[Event]:
        """Say once that the page claims more time than the server saw."""
        if self.flags:
            return []
        flagged = SessionFlagged(
            session_id=self.session_id, seq=self._seq(), at_ms=seen_ms(event), flag="impossible_times",
            reason="The page claims more time than passed on the server; such times count only as far as they can be true.",
        )  # fmt: skip
        self.flags.append(flagged)
        self.events.append(flagged)
        return [flagged]

    def _visit_ended(self, current: _CurrentVisit, event: ResponseGiven) -> list[Event]:
        block = current.visit.block
        at_ms = seen_ms(event)
        events: list[Event] = []
        # Stop rules come first: a person who declined consent is not judged by a gate.
        for stop, holds in self.script.stop_rules.get(block.block_id, ()):
            if holds(self._visit_answers(current)):
                return self._end(at_ms, stop.outcome, reason=stop.reason, base=self._base_after(stop))
        if isinstance(block, Stage) and block.feedback == "after_stage":
            self._feedback = stage_feedback(self.script, self.steps[current.first_step :])
        if block.gate is not None:
            score = self.script.scorer.block_score(block.gate.measure, self.steps[current.first_step :])
            is_passed = score is not None and score >= block.gate.at_least
            events.append(
                GateDecided(
                    session_id=self.session_id, seq=self._seq(), at_ms=at_ms, block_id=block.block_id,
                    try_number=current.visit.try_number, score=score, is_passed=is_passed,
                )
            )  # fmt: skip
            self.events.append(events[-1])
            if not is_passed:
                gate = block.gate
                self._missed[block.block_id] = missed_questions(self.steps[current.first_step :], self.script.answers)
                if gate.tries == "unlimited" or current.visit.try_number < gate.tries:
                    self._repeat_visit(current.visit, gate.restudy)
                elif gate.on_fail == "screen_out":
                    base = self._base_after(gate)
                    return events + self._end(at_ms, "screened_out", reason=gate.reason, base=base)
        return events + self._continue(at_ms)

    def _continue(self, at_ms: int) -> list[Event]:
        # Live exclusions are checked after every block, so that nobody works on for nothing.
        broken = self._broken_rule("live")
        if broken is not None:
            events = self._exclude(at_ms, broken)
            return events + self._end(
                at_ms,
                "excluded",
                reason=broken.reason,
                base=self._share_of_base(broken.pay_share),
                has_bonus=broken.keeps_bonus,
            )
        if self._next_visit < len(self._agenda):
            self._enter_next_visit()
            if self._current is not None:
                return []
        broken = self._broken_rule("at_close")
        events = self._exclude(at_ms, broken) if broken is not None else []
        base = self._share_of_base(broken.pay_share if broken else 1.0)
        return events + self._end(at_ms, "completed", base=base, has_bonus=broken is None or broken.keeps_bonus)

    def _repeat_visit(self, visit: BlockVisit, restudy: tuple[str, ...]) -> None:
        levels = {name: level for name, level in visit.levels.items() if name not in visit.block.levels}
        blocks = [self.script.blocks[block_id] for block_id in restudy]
        again = [
            BlockVisit(block, {**levels, **block.levels}, visit.try_number + 1)
            for block in blocks
            if matches(block.when, levels)
        ]
        again.append(BlockVisit(visit.block, visit.levels, visit.try_number + 1))
        # Inserted before the rest of the agenda, so the same gate follows right after.
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

    def _broken_rule(self, applies: str) -> Exclusion | None:
        rules = self.script.exclusion_rules[applies]
        if not rules:
            return None
        scores = self.scores()
        return next((exclusion for exclusion, holds in rules if holds(scores)), None)

    def scores(self) -> dict[str, Score]:
        """Return the session measures of all events so far."""
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
        self, at_ms: int, outcome: Ending, *, base: float, reason: str = "", has_bonus: bool | None = None
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
        paid = pay_event(self.script.study.pay, ended, base, self.scores() if earns_bonus else {})
        self._engine_seq = paid.seq
        self.events.append(paid)
        return [ended, paid]

    def _base_after(self, rule: Gate | Stop) -> float:
        return base_after(self.script.study.pay, rule)

    def _share_of_base(self, share: float) -> float:
        pay = self.script.study.pay
        return pay.base * share if pay is not None else 0.0

    def _seq(self) -> int:
        self._engine_seq += 1
        return self._engine_seq

    def _visit_answers(self, current: _CurrentVisit) -> dict[str, object]:
        answers: dict[str, object] = {}
        for step in self.steps[current.first_step :]:
            for event in step.events:
                if isinstance(event, ResponseGiven):
                    answers.update(event.response)
        asked = (q.question_id for trial_id in current.trial_ids for q in self.script.trials[trial_id].asks)
        return {**dict.fromkeys(asked), **answers}

    def _shown_feedback(self) -> Json:
        if self._current is None:
            return self._feedback
        block = self._current.visit.block
        shown = {**self._feedback, **self._results(block)}
        if block.purpose == "feedback":
            names = self.script.trials[self._current.trial_ids[self._current.index]].params.get("measures") or ()
            scores, counted = self.scores(), self.script.scorer.counted(self.steps)
            shown["measures"] = {str(name): scores.get(str(name)) for name in names}  # type: ignore[union-attr]
            shown["counted"] = {str(name): counted[str(name)] for name in names if str(name) in counted}  # type: ignore[union-attr]
        return shown

    def _results(self, block: Screen | Stage) -> Json:
        """Return what a page tells about earlier answers; nothing for tasks that tell nothing."""
        task = self.script.disclosing.get(block.block_id)
        if task is None:
            return {}
        # The seed is stored with the start of the session, so that ties can be filled the same way again.
        rng = np.random.default_rng(seed_from(self.assignment.seed, "results"))
        return {
            "results": [
                json_from_record(result) for result in task.results(answered_trials(self.script, self.steps), rng)
            ]
        }


def _is_over(current: _CurrentVisit, at_ms: int) -> bool:
    minutes = current.visit.block.minutes if isinstance(current.visit.block, Stage) else None
    return minutes is not None and current.started_ms is not None and at_ms - current.started_ms >= minutes * 60_000


# Rebuild a session from its log, with the engine events that a crash prevented from being stored.

ENDED_FROM_OUTSIDE = ("withdrew", "abandoned")


class Resumed(NamedTuple):
    """The rebuilt session, and the engine events that still have to be appended."""

    session: Session
    missing: tuple[Event, ...]


def is_derived(event: Event) -> bool:
    """Tell whether a session derives an event from others by itself; endings that came from outside it cannot."""
    return event.stream == "engine" and not (isinstance(event, SessionEnded) and event.outcome in ENDED_FROM_OUTSIDE)


def resume(script: Script, events: Sequence[Event]) -> Resumed:
    """Replay the events of a session, in the order in which they were stored."""
    if not events or not isinstance(events[0], SessionStarted):
        raise LogError("A session's log begins with session_started; this one does not.")
    session = Session(script, events[0])
    derived: list[Event] = []
    stored = {event.seq for event in events if event.stream == "engine"}
    for event in events[1:]:
        if not is_derived(event):
            derived.extend(session.take(event))
    return Resumed(session, tuple(event for event in derived if event.seq not in stored))
