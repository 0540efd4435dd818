"""`understudy preregister`: the study as a filled form, and its digest frozen."""

import shlex
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.studies import StudyArgument, found_study
from understudy.prepare import Explaining
from understudy.report import Statements, freeze
from understudy.workflow.check import N_TRIED


def preregister(
    study: StudyArgument,
    out: Annotated[Path, typer.Option(help="Folder for the form and its frozen digest.")] = Path("preregistration"),
    authors: Annotated[str, typer.Option(help="Who runs the study.")] = "",
    recruitment: Annotated[str, typer.Option(help="Where participants come from and who may take part.")] = "",
    data_collected: Annotated[str, typer.Option(help="Whether any data exist already.")] = "",
    power: Annotated[str, typer.Option(help="Why this many participants.")] = "",
) -> None:
    """Write the study as a preregistration form (AsPredicted and OSF questions) and freeze its digest.

    Example: understudy preregister my-study.toml --out preregistration
    """
    located = found_study(study)
    # A form that is frozen cannot be corrected, so the materials are tried before it is written.
    located.prepared(Explaining(n_tried=N_TRIED))
    found = located.study
    said = Statements(authors=authors, data_collected=data_collected, recruitment=recruitment, power=power)
    files = freeze(found, out, on=datetime.now(UTC).date(), version=version("understudy"), statements=said)
    typer.echo(f"Wrote {files.form} and {files.sidecar}.")
    typer.echo(f"Later: understudy report FOLDER --preregistration {shlex.quote(str(files.sidecar))}")
