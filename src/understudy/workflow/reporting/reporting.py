"""Write the report page and the archive of a run."""

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from understudy.conduct.pay_ledger import accounts_from
from understudy.errors import LogError
from understudy.record import RecordedPart, parts_in
from understudy.report import (
    ArchiveContents,
    ArchiveTable,
    LedgerTotals,
    PaidTime,
    read_freeze,
    write_archive,
    write_report,
)
from understudy.tabulate import StoredTables, analysed_sessions, answer_columns, session_columns, trial_columns
from understudy.workflow.annotation.coded_run import coded_run
from understudy.workflow.annotation.csv_codes import codes_csv
from understudy.workflow.annotation.summary import coding_summaries
from understudy.workflow.paying.pay_book import FEWEST
from understudy.workflow.reporting.dial_naming import dial_names_of
from understudy.workflow.reporting.kept_report import OnProgress, Progress, keep, report_state
from understudy.workflow.reporting.reliability import scale_summaries, with_reliability
from understudy.workflow.reporting.software import running_version
from understudy.workflow.reporting.study_findings import StudyResults, sensitivity_analyses, study_results
from understudy.workflow.runs.blinded import require_unblinded
from understudy.workflow.runs.registering import recorded_looks, registration_record
from understudy.workflow.runs.run_folder import Run
from understudy.workflow.runs.run_tables import tables_of
from understudy.workflow.studies.study_file import yaml_from_study


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
        return tuple(part for events in log.sessions(run.script.study.name) for part in parts_in(events))


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
