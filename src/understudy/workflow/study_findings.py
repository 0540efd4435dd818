"""Compute the findings of a study from its tables by its own plan."""

import hashlib
from collections.abc import Callable, Collection, Iterator
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from understudy.conduct import Script
from understudy.estimate import (
    Collected,
    StreamedTables,
    findings_from_tables,
    points_from_outcomes,
    trial_columns_of,
    variables_from_study,
)
from understudy.schema import (
    Findings,
    PartialSessions,
    Provenance,
    Registration,
    Sensitivity,
    SensitivityResults,
    Study,
    Verdict,
    seed_from,
)
from understudy.tabulate import Frames, StoredTables, analysed_sessions, missing_answers, participant_flow
from understudy.workflow.person_kinds import person_kind_rows
from understudy.workflow.software import software_versions

NO_ENTRY: Final = "It is not registered: no freeze of this study was entered in the log."


class RegistrationRecord(NamedTuple):
    """What the log and a freeze say about the registration of a study."""

    registrations: tuple[Registration, ...] = ()
    preregistered_digest: str | None = None
    gap: str = NO_ENTRY
    """Why the study does not count as registered; empty if it does."""
    deviations: tuple[str, ...] = ()


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
    on_tested: Callable[[], None] = lambda: None,
) -> StudyResults:
    """Run the study's plan on all sessions whose answers count; `on_tested` is called after each hypothesis."""
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
    results = findings_from_tables(
        study.plan,
        tables,
        variables,
        collected=collected,
        rng=np.random.default_rng(seed_from(study.seed, "estimate")),
        on_tested=on_tested,
    )
    findings = Findings(
        title=study.title,
        provenance=Provenance(
            study_name=study.name,
            study_digest=script.digest,
            data_digest=data_digest(frames),
            seed=study.seed,
            software=software_versions(),
            is_synthetic=bool(frames.sessions["is_synthetic"].any()),
            deviations=(*registration.deviations, *_deviations(script, frames, tables)),
            preregistered_digest=registration.preregistered_digest,
            registrations=registration.registrations,
        ),
        flow=participant_flow(study, frames.sessions, n_erased=n_erased),
        findings=results.findings,
        descriptions=results.descriptions,
        missing=missing_answers(script, frames),
        sensitivity=_sensitivity(script, frames, collected, on_tested),
        kinds=person_kind_rows(study.plan, results.outcomes, frames.sessions),
    )
    return StudyResults(findings, points_from_outcomes(study.plan, results.outcomes))


def _sensitivity(
    script: Script, frames: Frames | StoredTables, collected: Collected, on_tested: Callable[[], None]
) -> tuple[SensitivityResults, ...]:
    """Run the hypotheses again for each declared sensitivity analysis, and without each exclusion that took people out."""
    study, variables = script.study, variables_from_study(script.study)
    plan = study.plan.repeated()
    every = tuple(exclusion.exclusion_id for exclusion in study.exclusions)
    made = []
    for analysis in sensitivity_analyses(study, frames.sessions):
        keeps = analysis.keeps or every
        tables = analysed_tables(frames, trial_columns_of(plan, variables), partial=plan.partial_sessions, keeps=keeps)
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
    sets = {name: (name,) for name in effective}
    if len(effective) > 1 and frozenset(every) not in covered:
        sets["all_exclusions"] = tuple(effective)
    automatic = (Sensitivity(name=name, keeps=keeps) for name, keeps in sets.items() if frozenset(keeps) not in covered)
    return (*declared, *automatic)


def study_verdicts(script: Script, frames: Frames, *, seed: int) -> dict[str, Verdict]:
    """Return only the verdict of each planned hypothesis, which is all that a power simulation needs."""
    plan, variables = script.study.plan.promised(), variables_from_study(script.study)
    results = findings_from_tables(
        plan,
        analysed_tables(frames, trial_columns_of(plan, variables), partial=plan.partial_sessions),
        variables,
        collected=Collected(study_digest=script.digest, session_digests=frozenset({script.digest})),
        rng=np.random.default_rng(seed_from(seed, "estimate")),
        checks_assumptions=False,
    )
    return {finding.hypothesis_id: finding.verdict for finding in results.findings}


def analysed_tables(
    frames: Frames | StoredTables,
    columns: frozenset[str],
    *,
    partial: PartialSessions = "left_out",
    keeps: Collection[str] = (),
) -> StreamedTables:
    """Return the sessions whose answers count, and the given columns of their trials.

    Sessions that an exclusion in `keeps` took out count too.
    """
    sessions = analysed_sessions(frames.sessions, partial, keeps=keeps)
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


def _deviations(script: Script, frames: Frames | StoredTables, tables: StreamedTables) -> tuple[str, ...]:
    notes: list[str] = []
    study = script.study
    if frames.n_other_versions:
        notes.append(f"{frames.n_other_versions} sessions ran under another version of the study and are left out.")
    # Quotas count completed sessions, even if the plan also analyses partial ones.
    completed = tables.sessions[tables.sessions["outcome"] == "completed"]
    counts = completed["condition"].astype(str).value_counts()
    people = "participants who completed" if len(completed) < len(tables.sessions) else "analysed participants"
    for cell in study.cells:
        n, quota = int(counts.get(cell.name, 0)), study.quota_of(cell)
        if n != quota:
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
