"""`understudy preregister`: write the preregistration form of a study and freeze its digest."""

import base64
import shlex
from datetime import UTC, datetime
from pathlib import Path

import typer

from understudy.actions.preregister import register
from understudy.actions.run_folder import existing_run
from understudy.check.study_check import N_TRIED
from understudy.cli.studies import load_study
from understudy.errors import UnderstudyError
from understudy.estimate.software import running_version
from understudy.prepare import Explaining
from understudy.report import Statements, Witness, add_witness, freeze
from understudy.schema import Registration


def preregister(
    study: str,
    *,
    out: Path,
    authors: str,
    recruitment: str,
    data_collected: str,
    power: str,
    run: Path | None,
    registry_link: str,
    timestamp_token: Path | None,
) -> None:
    """Write the study as a preregistration form (AsPredicted and OSF questions), and freeze its digest."""
    located = load_study(study)
    # A frozen form cannot be corrected, so everything else is tried before it is written.
    located.prepared(Explaining(n_tried=N_TRIED))
    prepared = None if run is None else existing_run(run)
    witness = Witness(registry_link, _token_in(timestamp_token))
    statements = Statements(authors=authors, data_collected=data_collected, recruitment=recruitment, power=power)
    files = freeze(located.study, out, at=datetime.now(UTC), version=running_version(), statements=statements)
    frozen = add_witness(files.sidecar, witness)
    typer.echo(f"Wrote {files.form} and {files.sidecar}.")
    if prepared is None:
        typer.echo(
            "To register it before the first participant: understudy preregister "
            f"{shlex.quote(study)} --out {shlex.quote(str(out))} --run FOLDER"
        )
    else:
        _print_entry(register(prepared, frozen), prepared.folder)
    typer.echo(f"Later: understudy report FOLDER --preregistration {shlex.quote(str(files.sidecar))}")


def _token_in(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return base64.b64encode(path.read_bytes()).decode()
    except OSError as error:
        raise UnderstudyError(f"The timestamp token {path} cannot be read: {error.strerror}.") from None


def _print_entry(entry: Registration, run: Path) -> None:
    typer.echo(f"Recorded the freeze of {entry.frozen_at:%Y-%m-%d %H:%M:%S} UTC in the log of {run}.")
    if entry.n_sessions_before:
        typer.echo(
            f"{entry.n_sessions_before} {'person' if entry.n_sessions_before == 1 else 'people'} had already started, so the findings will not count as registered.",
            err=True,
        )
