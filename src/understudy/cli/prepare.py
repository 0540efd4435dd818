"""`understudy prepare`: compute everything a study shows before the first participant arrives."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.progress import progress
from understudy.cli.studies import StudyArgument, load_study
from understudy.workflow.parallel_backend import parallel_backend
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
    located = load_study(study)
    require_same_version(located.study, out)
    with parallel_backend(engine), progress("Explaining", None) as advance:
        prepared = located.prepared(explaining_into(out, workers, advance))
    run = written_run(prepared, out)
    materials = run.prepared.materials
    typer.echo(f"Prepared {len(materials.trials)} trials and {len(materials.assets)} files in {out}.")
    typer.echo(f"Next: understudy serve {shlex.quote(str(out))}")
