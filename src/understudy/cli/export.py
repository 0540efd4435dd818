"""`understudy export`: one archive with everything another lab needs."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.runs import RunArgument
from understudy.workflow.reporting import archive_of
from understudy.workflow.run_folder import existing_run


def export(
    folder: RunArgument,
    out: Annotated[Path | None, typer.Option(help="The archive; NAME.zip in the folder when absent.")] = None,
    preregistration: Annotated[
        Path | None, typer.Option(help="The .preregistration.json the findings are held against.")
    ] = None,
) -> None:
    """Export a run as one archive in the Psych-DS layout: tables, events, codebook, study, plan and digests.

    Example: understudy export runs/loan-demo --out loan-demo.zip
    """
    run = existing_run(folder)
    path = archive_of(run, out or folder / f"{run.script.study.name}.zip", preregistration=preregistration)
    typer.echo(f"Wrote {path} ({path.stat().st_size / 1e6:.1f} MB).")
