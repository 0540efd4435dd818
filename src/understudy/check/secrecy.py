"""Secrecy: what people could learn about the right answers, found by walking and not by reading the study file.

Simulated people who give the same answers are taken through every page and end of a condition, in worlds that differ only in
which of these answers are right. Whatever one of them is told and another is not is a way to find the answers, for somebody
who may come again. Anybody who is excluded by it frees a place, which tells the next person who comes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from pydantic import JsonValue

from understudy.conduct import Ended, Ledger, Script, Session, Step, assign
from understudy.conduct.pay import told_pay
from understudy.conduct.session import told_feedback
from understudy.participants.people import effortless_answer, random_answer
from understudy.prepare.prepared import Prepared
from understudy.recruiters import takes_signed_links
from understudy.schema import (
    Assignment,
    Json,
    PaySettled,
    Question,
    ResponseGiven,
    SessionEnded,
    SessionStarted,
    Stage,
    Study,
    Trial,
    TrialShown,
    blocks_in,
    json_from_record,
    seed_from,
)
from understudy.schema.expression import names_in

_MOST_CONDITIONS = 8
"""Conditions that are walked: pages of further ones differ in what they show, and hardly ever in what they tell."""
_PAGE_MS = 5000
_MOST_PAGES = 1500
_MOST_DRAWN = 20
_N_NAMED = 3
_PLACES = "places"
"""What the next person who comes is told, rather than a field of a reply."""


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


class _Told(NamedTuple):
    """What a person is told after an answer."""

    block_id: str
    """The block that was answered."""
    next_block_id: str
    """The block whose page comes next; empty at the end."""
    is_result_page: bool
    fields: dict[str, Any]


class _Walk(NamedTuple):
    told: list[_Told]
    trial_ids: frozenset[str]
    excluded_by: str | None
    outcome: str | None
    scores: Mapping[str, Any]
    is_cut: bool


def secrecy_sentences(prepared: Prepared) -> list[str]:
    """Return one sentence for each way in which answers can be found out, what prevents it, and what was not walked."""
    study = prepared.study
    walked = walked_study(prepared)
    ways = list(dict.fromkeys(_way(study, leak) for leak in walked.leaks))
    rest = list(_not_walked(walked))
    if not ways:
        return ["No reply tells whether answers are right, so nobody can find them by trying again.", *rest]
    if study.access.links == "open":
        closing = ['access.links to "signed" or "listed"'] if takes_signed_links(study) else []
        if study.access.results != "hidden" and any(
            leak.field.startswith(("step.feedback", "ended.pay")) for leak in walked.leaks
        ):
            closing.append('access.results to "hidden"')
        advice = f" Set {', or '.join(closing)}." if closing else ""
        return [*ways, f"Anybody can come back under an invented id and find the answers by trying.{advice}", *rest]
    how = "a signed link" if study.access.links == "signed" else "a listed id"
    if study.access.restart_after_erasing:
        again = (
            f"Each person needs {how}, but can erase, start again and find the answers by trying, round after round. "
            "Set access.restart_after_erasing to false."
        )
        return [*ways, again, *rest]
    guess = " that others cannot guess" if study.access.links == "listed" else ""
    return [*ways, f"Nobody can try again under another name: each person needs {how}{guess}.", *rest]


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
    """Walk each condition in worlds with different right answers, and compare what people are told."""
    study, key = prepared.study, prepared.key
    script = Script(study, prepared.materials, key, prepared.files)
    keyed = [
        trial for trial in prepared.materials.trials.values() if _is_judged(script, trial) and _keys(script, trial)
    ]
    worlds = [
        Script(study, prepared.materials, key.model_copy(update={"answers": {**key.answers, **_other_answers(script, chosen)}}))
        for chosen in (keyed, keyed[::2])
        if chosen
    ]  # fmt: skip
    cells = [cell.name for cell in study.cells]
    leaks: dict[Leak, None] = {}
    unvaried: dict[str, None] = {}
    is_cut = False
    for number, condition in enumerate(cells[:_MOST_CONDITIONS]):
        assignment = assign(Ledger(study), number, condition)
        if assignment is None:
            continue
        first = _walk(script, script, assignment)
        # One condition in which half is right is enough for measures that take all wrong for all right.
        others = [_walk(world, script, assignment) for world in worlds[: 2 if number == 0 else 1]]
        for other in others:
            leaks |= dict.fromkeys(_leaks(first, other))
            leaks |= dict.fromkeys(_rule_leaks(study, first, other))
        blind = {script.trials[name].block_id for name in first.trial_ids if _is_blind(script, script.trials[name])}
        if blind:
            varied = _walk(script, script, assignment, is_varied=True)
            found = list(_leaks(first, varied))
            leaks |= dict.fromkeys(found)
            unvaried |= {} if found else dict.fromkeys(sorted(blind))
        is_cut = is_cut or first.is_cut or any(other.is_cut for other in others)
    if any(leak.field == "ended" and leak.block_id for leak in leaks):
        leaks.pop(Leak("", "ended"), None)  # where it happens was found
    n_walked = min(len(cells), _MOST_CONDITIONS)
    return Walked(tuple(leaks), tuple(unvaried), n_walked, len(cells) - n_walked, is_cut)


def _is_judged(script: Script, trial: Trial) -> bool:
    return script.blocks[trial.block_id].purpose == "main"


def _is_blind(script: Script, trial: Trial) -> bool:
    """Tell whether a trial of the task asks for something of which no right answer is listed."""
    return _is_judged(script, trial) and bool(trial.asks) and not _keys(script, trial)


def _keys(script: Script, trial: Trial) -> Json:
    """Return the right answers to the questions of a trial that have one and could be answered so."""
    key = script.answers.get(trial.trial_id, {})
    listed = {question.question_id: key.get(question.question_id) for question in trial.asks}
    return {
        question.question_id: listed[question.question_id]
        for question in trial.asks
        if listed[question.question_id] is not None and question.accepts(listed[question.question_id])
    }


def _other_answers(script: Script, trials: Sequence[Trial]) -> dict[str, Json]:
    """Return the keys of trials in a world where something else is right."""
    changed: dict[str, Json] = {}
    for trial in trials:
        key = _keys(script, trial)
        other = {
            q.question_id: _other(q, key[q.question_id], trial.trial_id) for q in trial.asks if q.question_id in key
        }
        changed[trial.trial_id] = {**script.answers[trial.trial_id], **other}
    return changed


def _other(question: Question, key: JsonValue, trial_id: str) -> JsonValue:
    rng = np.random.default_rng(seed_from(0, trial_id, question.question_id))
    drawn = (random_answer(question, rng) for _ in range(_MOST_DRAWN))
    return next((answer for answer in (effortless_answer(question), *drawn) if answer != key), key)


def _walk(world: Script, script: Script, assignment: Assignment, *, is_varied: bool = False) -> _Walk:
    """Take a person who gives the answers that `script` calls right through `world`, and note what they are told.

    `is_varied` gives other answers where none is listed as right.
    """
    session = Session(
        world,
        SessionStarted(
            session_id="walk", seq=1, at_ms=0, study_name=script.study.name, study_digest=script.digest, participant_id="p",
            participant_kind="synthetic", assignment=assignment,
        ),
    )  # fmt: skip
    told: list[_Told] = []
    trial_ids: set[str] = set()
    step = session.next
    while isinstance(step, Step) and step.number < _MOST_PAGES:
        trial = step.trial
        trial_ids.add(trial.trial_id)
        place: dict[str, Any] = {"session_id": "walk", "step": step.number, "trial_id": trial.trial_id}
        end_ms = _PAGE_MS * (step.number + 1)
        session.take(TrialShown(**place, seq=2 * step.number + 1, at_ms=end_ms - _PAGE_MS))
        given = {**_typical(trial), **_keys(script, trial)}
        if is_varied and _is_blind(script, trial):
            given |= {q.question_id: _other(q, given[q.question_id], trial.trial_id) for q in trial.asks}
        made = session.take(
            ResponseGiven(**place, seq=2 * step.number + 2, at_ms=end_ms, response=given, rt_ms=float(_PAGE_MS))
        )
        step = session.next
        told.append(_told(world.study, trial.block_id, step, [*made]))
    return _Walk(
        told, frozenset(trial_ids), session.excluded_by, session.outcome, session.scores(), is_cut=isinstance(step, Step)
    )  # fmt: skip


def _typical(trial: Trial) -> Json:
    typical = {q.question_id: trial.typical.get(q.question_id) for q in trial.asks}
    return {
        q.question_id: effortless_answer(q) if typical[q.question_id] is None else typical[q.question_id]
        for q in trial.asks
    }


def _told(study: Study, block_id: str, step: Step | Ended, made: Sequence[Any]) -> _Told:
    """Return the fields of the server's reply that may depend on earlier answers."""
    if isinstance(step, Ended):
        fields: dict[str, Any] = {"ended.outcome": step.outcome}
        for event in made:
            if isinstance(event, SessionEnded):
                fields["ended.reason"] = event.reason
            if isinstance(event, PaySettled):
                base, bonus = told_pay(event, study.access.results)
                fields |= {"ended.pay.base": base, "ended.pay.bonus": bonus}
        return _Told(block_id, "", is_result_page=False, fields=fields)
    feedback = told_feedback(step.feedback, study.access.results)
    fields = {
        "step.trial": step.trial.trial_id,
        "step.try_number": step.visit.try_number,
        "step.gate": step.gate,
        "step.references": [json_from_record(reference) for reference in step.references],
        "step.opening": step.opening,
        "step.part": step.part,
        **{f"step.feedback.{name}": value for name, value in feedback.items()},
    }
    is_result_page = bool(feedback.get("results")) or step.visit.block.purpose == "feedback"
    return _Told(block_id, step.trial.block_id, is_result_page, fields)


def _leaks(first: _Walk, second: _Walk) -> Iterator[Leak]:
    """Yield the fields that differ, up to where the two are on different pages."""
    for told, other in zip(first.told, second.told, strict=False):
        if (told.next_block_id == "") != (other.next_block_id == ""):
            yield Leak(told.block_id, "ended")
            return
        if told.fields.get("step.trial") != other.fields.get("step.trial"):
            yield Leak(told.block_id, "step.trial")
            return
        for field in sorted(told.fields.keys() | other.fields.keys()):
            if told.fields.get(field) != other.fields.get(field):
                is_of_page = field.startswith("step.feedback") and told.is_result_page
                yield Leak(told.next_block_id if is_of_page else told.block_id, field)


def _rule_leaks(study: Study, first: _Walk, second: _Walk) -> Iterator[Leak]:
    """Yield what exclusions tell whose rule reads a measure that knows right answers.

    The few people who are walked need not be those whom a rule tells apart, such as `n_right == 5`.
    """
    differing = {name for name in first.scores if first.scores[name] != second.scores.get(name)}
    is_repeatable = study.access.links == "open" or study.access.restart_after_erasing
    for exclusion in study.exclusions:
        if (
            exclusion.applies == "annotators"
            or exclusion.rule is None
            or differing.isdisjoint(names_in(exclusion.rule))
        ):
            continue
        if exclusion.applies == "live":
            yield Leak("", "ended")
        elif study.pay is not None and exclusion.pay_share < 1:
            yield Leak("", "ended.pay.base")
        elif (
            study.pay is not None
            and study.pay.bonuses
            and not exclusion.keeps_bonus
            and study.access.results != "hidden"
        ):
            yield Leak("", "ended.pay.bonus")
        if is_repeatable:
            yield Leak(exclusion.exclusion_id, _PLACES)


def _way(study: Study, leak: Leak) -> str:
    """Say what a field tells, and how to close it."""
    block = next((block for block in blocks_in(study.flow) if block.block_id == leak.block_id), None)
    if leak.field == _PLACES:
        return (
            f"The exclusion {leak.block_id!r} depends on whether answers are right, and frees a place: whether the next person is let "
            "in, and to which condition, tells it. Leave it out, or give people signed links."
        )
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
        where = f"After block {leak.block_id!r}, the study" if leak.block_id else "The study"
        return (
            f"{where} ends for some people by whether their answers are right (field {leak.field}). "
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
