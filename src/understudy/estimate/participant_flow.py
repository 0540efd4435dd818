"""The participant flow: who left at which step, in each group, and which answers are missing."""

from collections import Counter
from collections.abc import Collection, Iterator

import pandas as pd

from understudy.conduct import LEFT_EARLY, Script, SessionStatus, session_status, visits_for
from understudy.conduct.script import SeenStimulus
from understudy.estimate.tables import Frames, StoredTables
from understudy.schema import (
    Assignment,
    Condition,
    FlowStep,
    MissingAnswers,
    PartialSessions,
    ParticipantFlow,
    Stage,
    Study,
)


def missing_answers(script: Script, frames: Frames | StoredTables) -> tuple[MissingAnswers, ...]:
    """Count the answers of everyone who completed or left and was not excluded; empty if nobody left."""
    sessions = frames.sessions
    counted = sessions[sessions["outcome"].isin(["completed", *LEFT_EARLY]) & sessions["excluded_by"].isna()]
    has_left = counted["outcome"].isin(LEFT_EARLY)
    if not has_left.any():
        return ()
    n_given = _given(frames, set(counted["session"].astype(str)))
    n_people = Counter(counted["condition"].astype(str))
    n_left = Counter(counted[has_left]["condition"].astype(str))
    return tuple(
        MissingAnswers(
            condition=cell.name,
            block_id=block_id,
            n_people=n_people[cell.name],
            n_left=n_left[cell.name],
            n_reached=len(n_given.get((cell.name, block_id), {})),
            n_expected=None if n is None else n * n_people[cell.name],
            n_given=sum(n_given.get((cell.name, block_id), {}).values()),
        )
        for cell in script.study.cells
        if n_people[cell.name]
        for block_id, n in expected_answers(script, cell).items()
    )


def expected_answers(script: Script, cell: Condition) -> dict[str, int | None]:
    """Return how many answers a person in a condition gives in each main stage.

    None where the number is not fixed: a timed stage, a stage that repeats one, or a stage whose number of items
    depends on the levels or the list that a person was assigned.
    """
    counts = [Counter(_walked(script, assignment)) for assignment in _deals(script.study, cell)]
    n_expected: dict[str, int | None] = {}
    for block_id in dict.fromkeys(block_id for count in counts for block_id in count):
        numbers = {count[block_id] for count in counts}
        is_fixed = len(numbers) == 1 and not _is_timed(script, block_id)
        n_expected[block_id] = numbers.pop() if is_fixed else None
    return n_expected


def _walked(script: Script, assignment: Assignment) -> Iterator[str]:
    """Yield the main stage of each trial of a session in which every gate is passed at the first try."""
    seen: dict[str, list[SeenStimulus]] = {}
    for visit in visits_for(script.study.flow, assignment):
        for trial_id in script.trial_ids(visit, assignment, seen):
            stimulus_id = script.trials[trial_id].stimulus_id
            if stimulus_id is not None:
                seen.setdefault(visit.block.block_id, []).append(SeenStimulus(stimulus_id, visit.levels))
            if visit.block.purpose == "main":
                yield visit.block.block_id


def _deals(study: Study, cell: Condition) -> Iterator[Assignment]:
    """Yield assignments in which each level of a within-factor comes first once, and each list occurs."""
    within = [factor for factor in study.factors if factor.scope == "within"]
    rotated = {
        item_set.name: len(study.factor(item_set.rotates_over).levels)
        for item_set in study.item_sets
        if item_set.rotates_over
    }
    for turn in range(max([1, *(len(factor.levels) for factor in within)])):
        yield Assignment(
            arrival=0,
            condition=cell.name,
            levels=cell.levels,
            orders={factor.name: _turned(factor.levels, turn)[: factor.n_drawn] for factor in within},
            lists={name: turn % n_lists for name, n_lists in rotated.items()},
            seed=0,
        )


def _turned(levels: tuple[str, ...], turn: int) -> tuple[str, ...]:
    shift = turn % len(levels)
    return levels[shift:] + levels[:shift]


def _is_timed(script: Script, block_id: str) -> bool:
    block = script.blocks[block_id]
    if not isinstance(block, Stage):
        return False
    return block.minutes is not None or (block.repeats is not None and _is_timed(script, block.repeats))


def _given(frames: Frames | StoredTables, counted: set[str]) -> dict[tuple[str, str], dict[str, int]]:
    """Return the number of answers of each person by condition and block, counting the first try of a block only."""
    n_given: dict[tuple[str, str], dict[str, int]] = {}
    for part in frames.trial_parts({"session", "condition", "block", "try"}):
        rows = part[part["session"].astype(str).isin(counted) & (part["try"] == 1)]
        sizes = rows.groupby(["condition", "block", "session"], observed=True).size().rename("n").reset_index()
        for condition, block, session, n in sizes.itertuples(index=False, name=None):
            n_given.setdefault((str(condition), str(block)), {})[str(session)] = int(n)
    return n_given


# Participant flow: from everyone recruited to everyone analysed, with the reason for each loss.

_ENDINGS: dict[SessionStatus, str] = {
    "declined": "Did not consent",
    "screened_out": "Screened out",
    "withdrew": "Withdrew",
    "abandoned": "Left without finishing",
    "active": "Still under way",
}


def analysed_sessions(
    sessions: pd.DataFrame, partial: PartialSessions = "left_out", *, keeps: Collection[str] = ()
) -> pd.DataFrame:
    """Return the sessions that were completed and not excluded, except by the exclusions in `keeps`.

    If partial sessions are kept, sessions that ended early also count if they have an answer in a main stage.
    """
    is_counted = sessions["outcome"] == "completed"
    if partial == "kept":
        is_counted |= sessions["outcome"].isin(LEFT_EARLY) & (sessions["n_answers"] > 0)
    is_kept = sessions["excluded_by"].isna() | sessions["excluded_by"].isin(list(keeps))
    return sessions[is_counted & is_kept]


def participant_flow(study: Study, sessions: pd.DataFrame, *, n_erased: int = 0) -> ParticipantFlow:
    """Return how many people left at each step; erased sessions count as withdrawn."""
    steps: list[FlowStep] = []
    remaining = sessions.assign(stop=_stops(study, sessions))
    keeps_partial = study.plan.partial_sessions == "kept"
    if n_erased:
        steps.append(_step("Withdrew, data erased", "", n_erased, remaining))
    for stop, label in _ENDINGS.items():
        leaving = remaining["stop"] == stop
        reason = ""
        if keeps_partial and stop in LEFT_EARLY:
            leaving &= remaining["n_answers"] == 0
            reason = "Before the first answer in a main stage"
        if leaving.any():
            remaining = remaining[~leaving]
            steps.append(_step(label, reason, int(leaving.sum()), remaining))
    for exclusion in study.exclusions:
        leaving = remaining["excluded_by"] == exclusion.exclusion_id
        remaining = remaining[~leaving]
        steps.append(_step(f"Excluded: {exclusion.exclusion_id}", exclusion.reason, int(leaving.sum()), remaining))
    by_hand = remaining["excluded_by"].notna()
    if by_hand.any():
        remaining = remaining[~by_hand]
        steps.append(_step("Excluded by a researcher", "Not a declared rule", int(by_hand.sum()), remaining))
    n_recruited = len(sessions) + n_erased
    # A flow that does not add up must never reach a report.
    if sum(step.n_left for step in steps) + len(remaining) != n_recruited:
        raise AssertionError("the participant flow does not add up")
    n_partial = int(remaining["stop"].isin(LEFT_EARLY).sum())
    return ParticipantFlow(
        n_recruited=n_recruited,
        steps=tuple(steps),
        n_analysed=len(remaining),
        n_partial=n_partial,
        by_condition=_by_condition(remaining),
    )


def _stops(study: Study, sessions: pd.DataFrame) -> list[SessionStatus]:
    rules = {exclusion.exclusion_id for exclusion in study.exclusions}
    return [
        session_status(
            None if outcome == "unfinished" else outcome, None if pd.isna(excluded_by) else excluded_by, rules
        )
        for outcome, excluded_by in zip(sessions["outcome"], sessions["excluded_by"], strict=True)
    ]


def _step(label: str, reason: str, n_left: int, remaining: pd.DataFrame) -> FlowStep:
    return FlowStep(
        label=label, reason=reason, n_left=n_left, n_remaining=len(remaining), by_condition=_by_condition(remaining)
    )


def _by_condition(remaining: pd.DataFrame) -> dict[str, int]:
    counts = remaining["condition"].astype(str).value_counts().sort_index()
    return {str(name): int(n) for name, n in counts.items()}
