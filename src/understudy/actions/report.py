"""Reports of a run: findings, scales, figures and what else a page or an archive is written from."""

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd

from understudy.actions.annotate import coded_run, coding_summaries
from understudy.actions.coding_files import codes_csv
from understudy.actions.pay import FEWEST
from understudy.actions.preregister import recorded_looks, registration_record
from understudy.actions.run_folder import OnProgress, Progress, Run, keep, report_state, require_unblinded
from understudy.actions.run_tables import tables_of
from understudy.actions.study_files import yaml_from_study
from understudy.conduct.pay import accounts_from
from understudy.errors import LogError
from understudy.estimate.codebook import answer_columns, session_columns, trial_columns
from understudy.estimate.dial_names import dial_names_of
from understudy.estimate.participant_flow import analysed_sessions
from understudy.estimate.software import running_version
from understudy.estimate.study_findings import StudyResults, sensitivity_analyses, study_results
from understudy.estimate.tables import StoredTables, items_table
from understudy.measures.answer import ScaleScore, last_answer
from understudy.record import RecordedPart, parts_in
from understudy.registry import create
from understudy.report import (
    ArchiveContents,
    ArchiveTable,
    LedgerTotals,
    PaidTime,
    read_freeze,
    write_archive,
    write_report,
)
from understudy.schema import CodebookEntry, SessionEnded, SessionExcluded
from understudy.schema.scales import ScaleSummary
from understudy.statistics.describe import cronbach_alpha


def scale_summaries(run: Run) -> tuple[ScaleSummary, ...]:
    """Return the score and the reliability of each scale, from the last answers of people who completed the study.

    Excluded people do not count, and nobody who left an item out does.
    """
    study = run.script.study
    scales: dict[str, ScaleScore] = {
        use.name: create("measures", use.measure) for use in study.measures if use.measure.name == "scale_score"
    }
    if not scales:
        return ()
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in scales}
    with run.open_log() as log:
        for events in log.sessions(study.name):
            is_completed = any(isinstance(event, SessionEnded) and event.outcome == "completed" for event in events)
            if is_completed and not any(isinstance(event, SessionExcluded) for event in events):
                for name, scale in scales.items():
                    points = scale.item_points(last_answer(events, scale.question))
                    if points:
                        rows[name].append(points)
    return tuple(_summary(name, scales[name], found) for name, found in rows.items())


def _summary(name: str, scale: ScaleScore, rows: list[dict[str, float]]) -> ScaleSummary:
    items = list(dict.fromkeys(item for row in rows for item in row))
    whole = [row for row in rows if len(row) == len(items)]
    points = np.array([[row[item] for item in items] for row in whole], dtype=np.float64).reshape(len(whole), -1)
    scores = points.sum(axis=1) / (max(len(items), 1) if scale.summary == "mean" else 1)
    return ScaleSummary(
        measure=name,
        n_items=len(items),
        n_people=len(whole),
        points=scale.points,
        score=scale.summary,
        source=scale.source,
        mean=float(scores.mean()) if whole else None,
        sd=float(scores.std(ddof=1)) if len(whole) > 1 else None,
        alpha=cronbach_alpha(points),
    )


def with_reliability(columns: Sequence[CodebookEntry], summaries: Sequence[ScaleSummary]) -> tuple[CodebookEntry, ...]:
    """Return a codebook that says how reliable each scale was."""
    known = {summary.measure: summary.sentence for summary in summaries}
    return tuple(
        column.model_copy(update={"description": f"{column.description}. {known[column.variable]}"})
        if column.variable in known
        else column
        for column in columns
    )


# Write the report page and the archive of a run.


def report_of(
    run: Run, page: Path, *, preregistration: Path | None = None, on_progress: OnProgress = lambda _: None
) -> StudyResults:
    """Write the report page of a run and return its results."""
    require_unblinded(run)
    # Taken first: what arrives while the report is made must count as a change.
    state = state_of(run, preregistration)
    study = run.script.study
    with run.open_log() as log:
        on_session = _counted("Reading sessions", log.count_sessions(study.name), on_progress)
    frames = _filled_tables(run, on_session)
    n_tests = len(study.plan.hypotheses) * (1 + len(sensitivity_analyses(study, frames.sessions)))
    on_tested = _counted("Testing hypotheses", n_tests, on_progress)
    results = _results(run, frames, preregistration, on_tested, opened_by="a report")
    write_report(
        results.findings,
        page,
        study=study,
        points=results.points,
        paid=_paid(run, frames.sessions),
        commands=(shlex.join(["understudy", "report", str(run.folder), *_frozen(preregistration)]),),
        names=dial_names_of(study, frames),
        scales=scale_summaries(run),
        coding=coding_summaries(run),
        on_figure=_counted("Drawing figures", len(results.findings.findings), on_progress),
    )
    keep(page, state)
    return results


def state_of(run: Run, preregistration: Path | None = None) -> str:
    """Return the state that a report of a run follows from."""
    with run.open_log() as log:
        return report_state(log, run.script.study.name, run.script.digest, preregistration)


def _counted(stage: str, n: int, on_progress: OnProgress) -> Callable[[], None]:
    """Return a function to call after each piece of a stage."""
    n_done = 0

    def on_each() -> None:
        nonlocal n_done
        n_done += 1
        on_progress(Progress(stage, n_done, n))

    return on_each


def _frozen(preregistration: Path | None) -> tuple[str, ...]:
    return () if preregistration is None else ("--preregistration", str(preregistration))


def archive_of(run: Run, path: Path, *, preregistration: Path | None = None, audio: bool = False) -> Path:
    """Write the archive of a run: data, events, codebook, study, plan, digests and findings.

    Voice recordings are included only with `audio`, and each is checked against the log first.
    """
    require_unblinded(run)
    frames = _filled_tables(run)
    results = _results(run, frames, preregistration, opened_by="an archive")
    study_file = yaml_from_study(run.script.study).encode()
    scales = scale_summaries(run)
    voices = {
        f"data/recordings/{part.session_id}/{part.name}": partial(run.recordings.read, part)
        for part in parts_of(run)
        if audio
    }
    with run.open_log() as log:
        return write_archive(
            path,
            ArchiveContents(
                study=run.script.study,
                trials=ArchiveTable(
                    run.folder / "tables" / "trials.parquet", with_reliability(trial_columns(run.script), scales)
                ),
                sessions=ArchiveTable(
                    run.folder / "tables" / "sessions.parquet", with_reliability(session_columns(run.script), scales)
                ),
                answers=_answers(run),
                items=ArchiveTable(*items_table(run.script, run.prepared.materials)),
                is_synthetic=results.findings.provenance.is_synthetic,
                version=running_version(),
                events=log.sessions(run.script.study.name),
                findings=results.findings,
                materials=run.prepared.materials,
                attachments={"materials/study.yaml": study_file, **_modules(run), **voices, **_codes(run)},
            ),
        )


def _answers(run: Run) -> ArchiveTable | None:
    columns = answer_columns(run.script)
    return ArchiveTable(run.folder / "tables" / "answers.parquet", columns) if columns else None


def _codes(run: Run) -> dict[str, Callable[[], bytes]]:
    """Return what annotators said about texts, one row for each annotator of each text."""
    if not run.script.study.annotation:
        return {}

    def written() -> bytes:
        with coded_run(run) as coded:
            return codes_csv(coded.states()).encode()

    return {"data/codes.csv": written}


def _modules(run: Run) -> dict[str, Callable[[], bytes]]:
    """Return what draws the tasks and explanations of other packages, which another lab may not have."""
    modules = run.prepared.materials.modules
    addresses = {*modules.tasks.values(), *modules.kinds.values()}
    return {f"materials/modules/{address}": partial(_content, run, address) for address in sorted(addresses)}


def _content(run: Run, address: str) -> bytes:
    file = run.prepared.files[address]
    return file if isinstance(file, bytes) else file.read_bytes()


def parts_of(run: Run) -> tuple[RecordedPart, ...]:
    """Return the recordings that the log of a run names."""
    with run.open_log() as log:
        events = log.recorded(run.script.study.name)
    by_session = groupby(events, key=attrgetter("session_id"))
    return tuple(part for _, of_session in by_session for part in parts_in(of_session))


def _filled_tables(run: Run, on_session: Callable[[], None] = lambda: None) -> StoredTables:
    frames = tables_of(run, on_session)
    if not len(frames.sessions):
        raise LogError(
            f"{run.folder} has no sessions yet. Rehearse the study: understudy rehearse STUDY --out {shlex.quote(str(run.folder))}"
        )
    return frames


def _results(
    run: Run,
    frames: StoredTables,
    preregistration: Path | None,
    on_tested: Callable[[], None] = lambda: None,
    *,
    opened_by: str,
) -> StudyResults:
    frozen = read_freeze(preregistration) if preregistration else None
    with run.open_log() as log:
        n_erased = sum(1 for _ in log.tombstones(run.script.study.name))
    # Entered before anything is tested, so that this report lists that somebody looked.
    looks = recorded_looks(run, frames.sessions, opened_by=opened_by)
    registration = registration_record(run, frozen)
    return study_results(
        run.script, frames, n_erased=n_erased, registration=registration, recorded=looks, on_tested=on_tested
    )


def _paid(run: Run, sessions: pd.DataFrame) -> PaidTime | None:
    paid = sessions[sessions["base_pay"].notna() & (sessions["base_pay"] + sessions["bonus"] > 0)]
    if not len(paid):
        return None
    total = paid["base_pay"] + paid["bonus"]
    plan = run.script.study.plan
    n_analysed = len(analysed_sessions(sessions, plan.partial_sessions))
    # Bonuses and times tell conditions apart, which nobody should before the last look.
    is_blind = plan.sequential is not None and plan.sequential.is_blind(n_analysed)
    return PaidTime(
        n_paid=len(paid),
        mean_pay=float(total.mean()),
        median_minutes=float(paid["minutes"].median()),
        hourly=() if is_blind else _hourly(paid.assign(total=total)),
        ledger=_ledger_totals(run, float(total.sum())),
    )


def _hourly(paid: pd.DataFrame) -> tuple[tuple[str, float], ...]:
    # The pay per hour of one or two people says nothing about a condition.
    groups = ((str(name), group) for name, group in paid.groupby("condition") if len(group) >= FEWEST)
    medians = ((name, group["total"].median(), group["minutes"].median()) for name, group in groups)
    return tuple((name, float(pay / minutes * 60)) for name, pay, minutes in medians if minutes > 0)


def _ledger_totals(run: Run, owed: float) -> LedgerTotals | None:
    with run.open_log() as log:
        accounts = accounts_from(log.payments(run.script.study.name)).values()
    if not accounts:
        return None
    confirmed = sum(account.paid_cents for account in accounts)
    on_its_way = sum(entry.cents for account in accounts for entry in account.open)
    return LedgerTotals(owed, confirmed / 100, on_its_way / 100)
