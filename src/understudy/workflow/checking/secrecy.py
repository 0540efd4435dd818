"""Secrecy: what people could learn about the right answers, found by walking and not by reading the study file.

Simulated people who differ only in whether their answers to the task are right are taken through every page and end of a
condition. Whatever the server would tell one and not the other before or at the end is a way to find the answers, for
somebody who may come again.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from pydantic import JsonValue

from understudy.conduct import Ledger, Script, Step, assign
from understudy.participants.answers import effortless_answer, random_answer
from understudy.prepare.prepared import Prepared
from understudy.recruiters import takes_signed_links
from understudy.schema import (
    Assignment,
    Event,
    Question,
    ResponseGiven,
    SessionStarted,
    Stage,
    Study,
    TrialShown,
    blocks_in,
    seed_from,
)
from understudy.serve.sessions.live import opening
from understudy.serve.sessions.states import States
from understudy.serve.wire.public import PublicStudy

_MOST_CONDITIONS = 8
"""Conditions that are walked: pages of further ones differ in what they show, and hardly ever in what they tell."""
_PAGE_MS = 5000
_MOST_PAGES = 1500
_MOST_DRAWN = 20
_DEPTH = 2
_N_NAMED = 3

Skill: TypeAlias = Literal["right", "wrong", "half"]
SKILLS: tuple[Skill, ...] = ("right", "half", "wrong")


class Leak(NamedTuple):
    """A field of a reply that depends on whether answers were right."""

    block_id: str
    """The block whose page, or after which the end, is told; empty for the end of the whole session."""
    field: str
    """Where in the reply, such as `ended.pay.bonus`."""


class Walked(NamedTuple):
    """What was found by walking, and what was not walked."""

    leaks: tuple[Leak, ...]
    unvaried: tuple[str, ...]
    """Blocks of the task whose answers have no listed right one, so that nobody was right or wrong there."""
    n_conditions: int
    n_left_out: int
    is_cut: bool
    """Whether somebody met more pages than are walked, such as in a gate without end."""


def secrecy_sentences(prepared: Prepared) -> list[str]:
    """Return one sentence for each way in which answers can be found out, what prevents it, and what was not walked."""
    study = prepared.study
    walked = walked_study(prepared)
    ways = list(dict.fromkeys(_way(study, leak) for leak in walked.leaks))
    rest = list(_not_walked(walked))
    if not ways:
        return ["No reply tells whether answers are right, so nobody can find them by trying again.", *rest]
    if study.access.links == "open":
        closed = 'Set access.links to "signed" or "listed", or access.results to "hidden".'
        advice = closed if takes_signed_links(study) else 'Set access.results to "hidden".'
        return [*ways, f"Anybody can come back under an invented id and find the answers by trying. {advice}", *rest]
    how = "a signed link" if study.access.links == "signed" else "a listed id"
    if study.access.restart_after_erasing:
        again = (
            f"Each person needs {how}, but can erase, start again and find the answers by trying, round after round. "
            "Set access.restart_after_erasing to false."
        )
        return [*ways, again, *rest]
    return [*ways, f"Nobody can try again under another name: each person needs {how}.", *rest]


def identity_sentence(study: Study) -> str:
    """Say what the links of a study prove about people, and what a stranger could do who knows somebody's id."""
    if study.access.links == "signed":
        return "Links are signed: who knows an id without its link can neither begin nor continue nor see anything."
    named = "Plain links" if study.recruitment is None else f"Links of the recruiter {study.recruitment.recruiter.name}"
    which = "an id that is on the list" if study.access.links == "listed" else "somebody's id"
    resumes = (
        ", and continue with that person's unfinished session without seeing earlier answers (access.resume_by_id)"
        if study.access.resume_by_id
        else ""
    )
    advice = ' To prevent it, write links = "signed" under access.' if takes_signed_links(study) else ""
    return (
        f"{named} carry an id and no proof. A stranger who knows {which} could begin before that person does{resumes}. "
        "The code, answers, results and pay of a finished session, and erasing, need the browser that began or a signed link."
        f"{advice}"
    )


def walked_study(prepared: Prepared) -> Walked:
    """Walk people of each skill through each condition, and compare what the server tells them."""
    script = Script(prepared.study, prepared.materials, prepared.key, prepared.files)
    cells = [cell.name for cell in prepared.study.cells]
    leaks: dict[Leak, None] = {}
    unvaried: dict[str, None] = {}
    is_cut = False
    for number, condition in enumerate(cells[:_MOST_CONDITIONS]):
        assignment = assign(Ledger(prepared.study), number, condition)
        if assignment is None:
            continue
        walks = [_walk(script, assignment, skill) for skill in SKILLS]
        is_cut = is_cut or any(len(events) > 2 * _MOST_PAGES for events in walks)
        seen = {event.trial_id for events in walks for event in events if isinstance(event, TrialShown)}
        trials = {name: trial for name, trial in prepared.materials.trials.items() if name in seen}
        public = PublicStudy(prepared.study, prepared.materials.model_copy(update={"trials": trials}))
        told = [_told(script, public, events) for events in walks]
        for other in told[1:]:
            leaks |= dict.fromkeys(_leaks(told[0], other))
        for trial in trials.values():
            block = script.blocks[trial.block_id]
            if (
                block.purpose == "main"
                and trial.asks
                and not any(_keyed(script, trial.trial_id, q) for q in trial.asks)
            ):
                unvaried[trial.block_id] = None
    n_walked = min(len(cells), _MOST_CONDITIONS)
    return Walked(tuple(leaks), tuple(unvaried), n_walked, len(cells) - n_walked, is_cut)


def _walk(script: Script, assignment: Assignment, skill: Skill) -> list[Event]:
    """Return the events of a person up to the end; everything but the answers to the task is the same for all."""
    started = SessionStarted(
        session_id="walk", seq=1, at_ms=0, study_name=script.study.name, study_digest=script.digest, participant_id="p",
        participant_kind="synthetic", assignment=assignment,
    )  # fmt: skip
    live = opening(script, started)
    events: list[Event] = [started]
    n_main = 0
    while isinstance(step := live.at_hand, Step) and step.number < _MOST_PAGES:
        n_main += step.visit.block.purpose == "main"
        is_right = step.visit.block.purpose != "main" or skill == "right" or (skill == "half" and n_main % 2 == 0)
        place: dict[str, Any] = {"session_id": "walk", "step": step.number, "trial_id": step.trial.trial_id}
        times = (_PAGE_MS * (step.number + 1) - _PAGE_MS, _PAGE_MS * (step.number + 1))
        shown = TrialShown(**place, seq=2 * step.number + 1, at_ms=times[0])
        answers = {
            question.question_id: _answer(script, step, question, is_right=is_right) for question in step.trial.asks
        }
        given = ResponseGiven(
            **place, seq=2 * step.number + 2, at_ms=times[1], response=answers, rt_ms=float(_PAGE_MS)
        )  # fmt: skip
        for event in (shown, given):
            live.take(event)
            events.append(event)
    return events


def _answer(script: Script, step: Step, question: Question, *, is_right: bool) -> JsonValue:
    key = _keyed(script, step.trial.trial_id, question)
    if key is None:
        typical: JsonValue = step.trial.typical.get(question.question_id)
        return effortless_answer(question) if typical is None else typical
    if is_right:
        return key
    rng = np.random.default_rng(seed_from(0, step.trial.trial_id, question.question_id))
    drawn = (random_answer(question, rng) for _ in range(_MOST_DRAWN))
    return next((answer for answer in (effortless_answer(question), *drawn) if answer != key), key)


def _keyed(script: Script, trial_id: str, question: Question) -> JsonValue:
    """Return the right answer to a question that has one and could be answered so; None otherwise."""
    key = script.answers.get(trial_id, {}).get(question.question_id)
    return key if key is not None and question.accepts(key) else None


def _told(script: Script, public: PublicStudy, events: Sequence[Event]) -> list[tuple[str, dict[str, Any]]]:
    """Return what the server answers after each answer of a person, and after which block."""
    started = events[0]
    if not isinstance(started, SessionStarted):
        raise TypeError("a walk begins with session_started")
    live, states = opening(script, started), States()
    told: list[tuple[str, dict[str, Any]]] = []
    for event in events[1:]:
        live.take(event)
        if isinstance(event, ResponseGiven):
            block_id = script.trials[event.trial_id].block_id
            told.append((block_id, json.loads(states.state_of(public, live, with_saved=False))))
    return told


def _leaks(first: Sequence[tuple[str, dict[str, Any]]], second: Sequence[tuple[str, dict[str, Any]]]) -> Iterator[Leak]:
    """Yield the fields that differ, up to where the two are on different pages."""
    for (block_id, state), (_, other) in zip(first, second, strict=False):
        shown = state["step"]["trial"]["block_id"] if state["step"] else ""
        for field in _different(state, other, ""):
            yield Leak(shown if field.startswith("step.feedback") and _is_result_page(state) else block_id, field)
        if (state["step"] is None) != (other["step"] is None):
            return


def _is_result_page(state: dict[str, Any]) -> bool:
    return bool(state["step"]["feedback"].get("results") or state["step"]["purpose"] == "feedback")


def _different(one: Any, other: Any, path: str) -> Iterator[str]:
    """Yield the paths at which two replies differ; the first levels are named, what is below belongs to them."""
    if isinstance(one, dict) and isinstance(other, dict) and path.count(".") < _DEPTH:
        for name in sorted(one.keys() | other.keys()):
            yield from _different(one.get(name), other.get(name), f"{path}.{name}".removeprefix("."))
    elif one != other:
        yield path


def _way(study: Study, leak: Leak) -> str:
    """Say what a field tells, and how to close it."""
    block = next((block for block in blocks_in(study.flow) if block.block_id == leak.block_id), None)
    if leak.field.startswith("step.feedback"):
        if isinstance(block, Stage) and block.feedback in ("per_trial", "after_stage"):
            what = "each answer" if block.feedback == "per_trial" else "the share of right answers"
            return f"Stage {leak.block_id!r} tells {what} while people take part."
        return f"The page {leak.block_id!r} tells results."
    if leak.field.startswith("ended.pay"):
        if leak.field == "ended.pay.base" and study.access.results != "total":
            return (
                "The end tells the base pay (field ended.pay.base), which follows from the answers. Pay the same after an exclusion "
                "that asks for right answers: write pay_share = 1."
            )
        return f"The end tells the {'bonus' if study.access.results == 'shown' else 'whole pay'}, which follows from the answers."
    if leak.field.startswith("ended") or leak.field == "step":
        return (
            f"After block {leak.block_id!r}, the study ends for some people by whether their answers are right (field {leak.field}). "
            'Let such exclusions apply at the end: write applies = "at_close".'
        )
    return (
        f"After block {leak.block_id!r}, the field {leak.field} of the reply depends on whether answers are right. Leave out the gate, "
        "stop or exclusion there that asks for right answers."
    )


def _not_walked(walked: Walked) -> Iterator[str]:
    if walked.unvaried:
        yield (
            f"Not walked: answers without a listed right one, in {', '.join(map(repr, walked.unvaried[:_N_NAMED]))}"
            f"{', …' if len(walked.unvaried) > _N_NAMED else ''}."
        )
    if walked.n_left_out:
        yield f"Not walked: {walked.n_left_out} of {walked.n_conditions + walked.n_left_out} conditions."
    if walked.is_cut:
        yield f"Not walked: pages after the first {_MOST_PAGES}."
