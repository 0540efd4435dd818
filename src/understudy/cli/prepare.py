"""`understudy prepare`: everything a study shows, computed before the first participant arrives."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.progress import progress
from understudy.cli.studies import StudyArgument, found_study
from understudy.workflow.engines import on_engine
from understudy.workflow.run_folder import explaining_into, require_same_version, written_run


def prepare(
    study: StudyArgument,
    out: Annotated[Path, typer.Option(help="Folder to write to; its public/ part may be served.")],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that compute explanations; all cores when absent.")
    ] = None,
    engine: Annotated[str, typer.Option(help="local, or a Dask scheduler as dask://host:port.")] = "local",
) -> None:
    """Prepare a study's materials and, apart from them, its answer key.

    Example: understudy prepare my-study.toml --out runs/my-study
    """
    found = found_study(study)
    require_same_version(found.study, out)
    with on_engine(engine), progress("Explaining", None) as advance:
        made = found.prepared(explaining_into(out, workers, advance))
    run = written_run(made, out)
    materials = run.prepared.materials
    typer.echo(f"Prepared {len(materials.trials)} trials and {len(materials.assets)} files in {out}.")
    typer.echo(f"Next: understudy rehearse {shlex.quote(study)} --out {shlex.quote(str(out))}")
