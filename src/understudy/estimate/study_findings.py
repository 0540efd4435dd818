"""Findings of a study on its own sessions, and what each kind of simulated person did."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from understudy.conduct import Script
from understudy.estimate import (
    Collected,
    EarlierTest,
    Looked,
    OutcomeRows,
    Results,
    StreamedTables,
    Variables,
    findings_from_tables,
    look_rows,
    points_from_outcomes,
    trial_columns_of,
    untested,
    variables_from_study,
)
from understudy.estimate.participant_flow import analysed_sessions, missing_answers, participant_flow
from understudy.estimate.software import software_versions
from understudy.estimate.tables import Frames, StoredTables
from understudy.record import RecordedLook, look_mark
from understudy.schema import (
    AnalysisPlan,
    Findings,
    KindFigure,
    KindRow,
    Outcome,
    PartialSessions,
    Provenance,
    Registration,
    Sensitivity,
    SensitivityResults,
    Sequential,
    Study,
    Verdict,
    seed_from,
)

_Group: TypeAlias = tuple[str, str]
"""A condition and a kind."""
_Levels: TypeAlias = tuple[tuple[str, str], ...]
_Figures: TypeAlias = dict[_Group, dict[_Levels, dict[str, KindFigure]]]


def person_kind_rows(
    plan: AnalysisPlan, outcomes: Mapping[str, OutcomeRows], sessions: pd.DataFrame
) -> tuple[KindRow, ...]:
    """Return one row for each condition, kind and combination of levels, for simulated people only."""
    synthetic = sessions[sessions["is_synthetic"].astype(bool)]
    n_came = Counter(_cells(synthetic))
    n_analysed = Counter(_cells(analysed_sessions(synthetic, plan.partial_sessions)))
    figures = _figures(plan, outcomes, synthetic)
    return tuple(
        KindRow(
            condition=cell[0],
            kind=cell[1],
            levels=dict(levels),
            n_came=n,
            n_analysed=n_analysed[cell],
            outcomes=figures_of,
        )
        for cell, n in sorted(n_came.items())
        for levels, figures_of in (figures.get(cell) or {(): {}}).items()
    )


def _cells(sessions: pd.DataFrame) -> list[_Group]:
    return list(zip(sessions["condition"].astype(str), sessions["cast"].astype(str), strict=True))


def _figures(plan: AnalysisPlan, outcomes: Mapping[str, OutcomeRows], sessions: pd.DataFrame) -> _Figures:
    cell_of = dict(zip(sessions["participant"].astype(str), _cells(sessions), strict=True))
    figures: _Figures = defaultdict(lambda: defaultdict(dict))
    for outcome in plan.outcomes:
        rows = outcomes[outcome.name].rows
        if not pd.api.types.is_numeric_dtype(rows["value"]):
            continue
        for (cell, levels), values in _grouped(outcome, rows, cell_of).items():
            column = pd.Series(values)
            sd = float(column.std(ddof=1)) if len(values) > 1 else None
            figures[cell][levels][outcome.name] = KindFigure(n=len(values), mean=float(column.mean()), sd=sd)
    return figures


def _grouped(
    outcome: Outcome, rows: pd.DataFrame, cell_of: Mapping[str, _Group]
) -> dict[tuple[_Group, _Levels], list[float]]:
    values: dict[tuple[_Group, _Levels], list[float]] = defaultdict(list)
    levels = [rows[name].astype(str) for name in outcome.by]
    for participant, value, *row_levels in zip(rows["participant"].astype(str), rows["value"], *levels, strict=True):
        if participant in cell_of:
            values[cell_of[participant], tuple(zip(outcome.by, row_levels, strict=True))].append(float(value))
    return values


# Compute the findings of a study from its tables by its own plan.

NO_ENTRY: Final = "It is not registered: no freeze of this study was recorded in the log."


class RegistrationRecord(NamedTuple):
    """What the log and a freeze say about the registration of a study."""

    registrations: tuple[Registration, ...] = ()
    preregistered_digest: str | None = None
    gap: str = NO_ENTRY
    """Why the study does not count as registered; empty if it does."""
    deviations: tuple[str, ...] = ()
    steering: tuple[str, ...] = ()
    """Who paused or resumed recruitment, or asked for the names of conditions, and why."""


_UNREGISTERED: Final = RegistrationRecord()


class StudyResults(NamedTuple):
    """The findings and their raw points."""

    findings: Findings
    points: pd.DataFrame


def study_results(
    script: Script,
    frames: Frames | StoredTables,
    *,
    n_erased: int = 0,
    registration: RegistrationRecord = _UNREGISTERED,
    recorded: Sequence[RecordedLook] = (),
    on_tested: Callable[[], None] = lambda: None,
) -> StudyResults:
    """Run the study's plan on all sessions whose answers count; `on_tested` is called after each hypothesis.

    `recorded` are the looks of a sequential study that the log has.
    """
    study = script.study
    variables = variables_from_study(study)
    tables = analysed_tables(frames, trial_columns_of(study.plan, variables), partial=study.plan.partial_sessions)
    collected = Collected(
        study_digest=script.digest,
        session_digests=frozenset({script.digest}) if len(tables.sessions) else frozenset(),
        preregistered_digest=registration.preregistered_digest,
        registration_gap=registration.gap,
        is_synthetic=bool(frames.sessions["is_synthetic"].any()),
    )
    looks = look_members(study.plan, frames.sessions, recorded)
    testing = Testing(study, frames, collected, seed_from(study.seed, "estimate"), on_tested, looks=looks)
    results = planned_results(study.plan, testing)
    findings = Findings(
        title=study.title,
        provenance=Provenance(
            study_name=study.name,
            study_digest=script.digest,
            data_digest=data_digest(frames),
            seed=study.seed,
            software=software_versions(),
            is_synthetic=bool(frames.sessions["is_synthetic"].any()),
            deviations=(*registration.deviations, *_deviations(script, frames, tables, n_looks=len(looks))),
            preregistered_digest=registration.preregistered_digest,
            registrations=registration.registrations,
            steering=registration.steering,
            is_pilot=study.pilot_of is not None,
        ),
        flow=participant_flow(study, frames.sessions, n_erased=n_erased),
        findings=results.findings,
        descriptions=results.descriptions,
        missing=missing_answers(script, frames),
        sensitivity=_sensitivity(testing, variables),
        looks=look_rows(study.plan, n_reached=len(looks)),
        kinds=person_kind_rows(study.plan, results.outcomes, frames.sessions) if results.outcomes else (),
    )
    # Before the first look of a sequential study there are no outcomes, and so no points to draw.
    drawn = study.plan if results.outcomes else study.plan.model_copy(update={"hypotheses": ()})
    return StudyResults(findings, points_from_outcomes(drawn, results.outcomes))


@dataclass(frozen=True)
class Testing:
    """What a plan is tested on."""

    study: Study
    frames: Frames | StoredTables
    collected: Collected
    seed: int
    on_tested: Callable[[], None] = lambda: None
    checks_assumptions: bool = True
    looks: tuple[frozenset[str], ...] = ()
    """The sessions of each look that was reached, of a sequential study."""

    def results(
        self, plan: AnalysisPlan, *, looked: Looked | None = None, members: frozenset[str] | None = None
    ) -> Results:
        """Run a plan on the sessions that count, or on those of a look."""
        variables = variables_from_study(self.study)
        tables = analysed_tables(
            self.frames, trial_columns_of(plan, variables), partial=plan.partial_sessions, members=members
        )
        return findings_from_tables(
            plan,
            tables,
            variables,
            collected=replace(self.collected, looked=looked),
            rng=np.random.default_rng(self.seed),
            on_tested=self.on_tested,
            checks_assumptions=self.checks_assumptions,
        )


def planned_results(plan: AnalysisPlan, testing: Testing) -> Results:
    """Run a plan on everybody, or a sequential plan at the last look that was reached, with the looks before it."""
    if plan.sequential is None:
        return testing.results(plan)
    if not testing.looks:
        n_analysed = len(analysed_sessions(testing.frames.sessions, plan.partial_sessions))
        return Results(untested(plan, plan.sequential, n_analysed), (), {})
    looked = _looked(plan, plan.sequential, testing)
    return testing.results(looked.at(plan), looked=looked, members=testing.looks[-1])


def _looked(plan: AnalysisPlan, sequential: Sequential, testing: Testing) -> Looked:
    """Return the look that was reached, with what was found at those before it."""
    earlier: dict[str, list[EarlierTest]] = {claim.hypothesis_id: [] for claim in plan.hypotheses}
    silent = replace(testing, on_tested=lambda: None, checks_assumptions=False)
    for members in testing.looks[:-1]:
        for finding in silent.results(plan.at_earlier_look(), members=members).findings:
            found = finding.estimate
            test = EarlierTest(found.p_value, found.tested_side) if found else EarlierTest()
            earlier[finding.hypothesis_id].append(test)
    return Looked(sequential, len(testing.looks), earlier)


def look_members(
    plan: AnalysisPlan, sessions: pd.DataFrame, recorded: Sequence[RecordedLook] = ()
) -> tuple[frozenset[str], ...]:
    """Return the sessions of each look that was reached.

    Those that the log has recorded stay what they were when people finish or are excluded later; only erased sessions are
    gone. Otherwise a look takes the people of the look before it and then, by arrival, the first of those who count.
    """
    if plan.sequential is None:
        return ()
    counted = [*analysed_sessions(sessions, plan.partial_sessions)["session"].astype(str)]
    marks = {look.number: look.marks for look in recorded}
    looks: list[frozenset[str]] = []
    for number, n in enumerate(plan.sequential.looks, start=1):
        if number in marks:
            known = sessions["session"].astype(str)
            looks.append(frozenset(name for name in known if look_mark(name) in marks[number]))
        elif len(counted) >= n:
            before = looks[-1] if looks else frozenset[str]()
            looks.append(frozenset(sorted(counted, key=lambda name: name not in before)[:n]))
        else:
            break
    return tuple(looks)


def _sensitivity(testing: Testing, variables: Variables) -> tuple[SensitivityResults, ...]:
    """Run the hypotheses again for each declared sensitivity analysis, and without each exclusion that took people out."""
    study, frames, collected, on_tested = testing.study, testing.frames, testing.collected, testing.on_tested
    if study.plan.sequential is not None and not testing.looks:
        return ()
    members = testing.looks[-1] if testing.looks else None
    plan = study.plan.repeated()
    if study.plan.sequential is not None:
        looked = _looked(study.plan, study.plan.sequential, testing)
        # The same look with the same correction: without it, every rule would seem to change the verdict.
        plan, collected = looked.at(plan), replace(collected, looked=looked)
    every = tuple(exclusion.exclusion_id for exclusion in study.exclusions)
    made = []
    for analysis in sensitivity_analyses(study, frames.sessions):
        keeps = analysis.keeps or every
        columns = trial_columns_of(plan, variables)
        tables = analysed_tables(frames, columns, partial=plan.partial_sessions, keeps=keeps, members=members)
        rng = np.random.default_rng(seed_from(study.seed, "sensitivity", analysis.name))
        results = findings_from_tables(plan, tables, variables, collected=collected, rng=rng, on_tested=on_tested)
        counts = tables.sessions["condition"].astype(str).value_counts()
        made.append(
            SensitivityResults(
                name=analysis.name,
                keeps=keeps,
                n_analysed=len(tables.sessions),
                n_by_condition={cell.name: int(counts.get(cell.name, 0)) for cell in study.cells},
                findings=results.findings,
                is_declared=analysis in study.plan.sensitivity,
            )
        )
    return tuple(made)


def sensitivity_analyses(study: Study, sessions: pd.DataFrame) -> tuple[Sensitivity, ...]:
    """Return the declared analyses, and one more for each exclusion that made a difference and is not declared alone."""
    every = tuple(exclusion.exclusion_id for exclusion in study.exclusions)
    declared = study.plan.sensitivity
    covered = {frozenset(analysis.keeps or every) for analysis in declared}
    n_usual = len(analysed_sessions(sessions, study.plan.partial_sessions))
    # Sessions that a rule ended early have no answers to count, with or without it.
    effective = [
        name for name in every if len(analysed_sessions(sessions, study.plan.partial_sessions, keeps=(name,))) > n_usual
    ]
    sets: dict[str, tuple[str, ...]] = {name: (name,) for name in effective}
    if len(effective) > 1 and frozenset(every) not in covered:
        sets["all_exclusions"] = tuple(effective)
    automatic = (Sensitivity(name=name, keeps=keeps) for name, keeps in sets.items() if frozenset(keeps) not in covered)
    return (*declared, *automatic)


def study_verdicts(script: Script, frames: Frames, *, seed: int) -> dict[str, Verdict]:
    """Return only the verdict of each planned hypothesis, which is all that a power simulation needs."""
    collected = Collected(study_digest=script.digest, session_digests=frozenset({script.digest}))
    plan = script.study.plan.promised()
    testing = Testing(
        script.study,
        frames,
        collected,
        seed_from(seed, "estimate"),
        checks_assumptions=False,
        looks=look_members(plan, frames.sessions),
    )
    results = planned_results(plan, testing)
    return {finding.hypothesis_id: finding.verdict for finding in results.findings}


def analysed_tables(
    frames: Frames | StoredTables,
    columns: frozenset[str],
    *,
    partial: PartialSessions = "left_out",
    keeps: Collection[str] = (),
    members: frozenset[str] | None = None,
) -> StreamedTables:
    """Return the sessions whose answers count, and the given columns of their trials.

    Sessions that an exclusion in `keeps` took out count too. Of a sequential study, only the `members` of a look count,
    with those who were taken out and came before the last of them.
    """
    sessions = analysed_sessions(frames.sessions, partial, keeps=keeps)
    if members is not None:
        is_member = frames.sessions["session"].astype(str).isin(members)
        usual = analysed_sessions(frames.sessions, partial)
        came = is_member[::-1].cummax()[::-1]
        is_kept = frames.sessions.index.isin(sessions.index) & ~frames.sessions.index.isin(usual.index)
        sessions = frames.sessions[is_member | (is_kept & came)]
    session_ids = pd.Index(sessions["session"].astype(str))

    def kept(parts: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for part in parts:
            session = part["session"].cat
            # One look-up per session instead of per row; the index keeps its hash table from part to part.
            is_kept = session_ids.get_indexer(session.categories) >= 0
            yield part[is_kept[session.codes.to_numpy()]]

    left = sessions["participant"][sessions["outcome"] != "completed"]
    needed = columns | {"session"}
    return StreamedTables(
        lambda: kept(frames.trial_parts(needed)),
        sessions,
        frozenset(left.astype(str)),
        lambda: kept(frames.answer_parts(needed)),
    )


def data_digest(frames: Frames | StoredTables) -> str:
    """Return a digest of both tables that depends only on their values."""
    # Hashed part by part, because the trials may not fit into memory.
    digest = hashlib.sha256()
    for parts in (frames.trial_parts(), iter((frames.sessions,))):
        headings: list[str] = []
        for part in parts:
            if not headings:
                headings = [str(name) for name in part.columns]
                digest.update(",".join(headings).encode())
            digest.update(pd.util.hash_pandas_object(part, index=False).to_numpy().tobytes())
    return digest.hexdigest()


def _deviations(
    script: Script, frames: Frames | StoredTables, tables: StreamedTables, *, n_looks: int
) -> tuple[str, ...]:
    notes: list[str] = []
    study = script.study
    if frames.n_other_versions:
        notes.append(f"{frames.n_other_versions} sessions ran under another version of the study and are left out.")
    notes.extend(
        f"Session {session_id} does not fit the materials of the study, as if its events were changed, and is left out."
        for session_id in frames.unreadable
    )
    # Quotas count completed sessions, even if the plan also analyses partial ones.
    completed = tables.sessions[tables.sessions["outcome"] == "completed"]
    counts = completed["condition"].astype(str).value_counts()
    people = "participants who completed" if len(completed) < len(tables.sessions) else "analysed participants"
    sequential = study.plan.sequential
    has_looks_to_come = sequential is not None and n_looks < len(sequential.looks)
    for cell in study.cells:
        n, quota = int(counts.get(cell.name, 0)), study.quota_of(cell)
        # Conditions are not full yet where looks are still to come.
        if n != quota and not has_looks_to_come:
            notes.append(f"Condition {cell.name!r} has {n} {people}; the study wants {quota}.")
    declared = {exclusion.exclusion_id for exclusion in study.exclusions}
    excluded = frames.sessions["excluded_by"].dropna().astype(str)
    by_hand = int((~excluded.isin(declared)).sum())
    if by_hand:
        notes.append(f"{by_hand} sessions were excluded by a researcher outside the declared rules.")
    # Tables that were made by an earlier version have no such column.
    flagged = int(frames.sessions["flags"].notna().sum()) if "flags" in frames.sessions else 0
    if flagged:
        notes.append(
            f"{'1 session claims' if flagged == 1 else f'{flagged} sessions claim'} more time than passed on the server (flags in the table of sessions). "
            "Their times count only as far as they can be true; look at them before you pay."
        )
    return tuple(notes)
