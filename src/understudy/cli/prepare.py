"""`understudy prepare`: everything a study shows, computed before the first participant arrives."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.studies import StudyArgument, found_study
from understudy.workflow.run_folder import new_run


def prepare(
    study: StudyArgument,
    out: Annotated[Path, typer.Option(help="Folder to write to; its public/ part may be served.")],
) -> None:
    """Prepare a study's materials and, apart from them, its answer key.

    Example: understudy prepare my-study.toml --out runs/my-study
    """
    found = found_study(study)
    run = new_run(found.study, found.root, out)
    materials = run.prepared.materials
    typer.echo(f"Prepared {len(materials.trials)} trials and {len(materials.assets)} files in {out}.")
    typer.echo(f"Next: understudy rehearse {study} --out {out}")
