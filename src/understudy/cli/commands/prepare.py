"""The options of `understudy prepare`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import EngineOption, StudyArgument
from understudy.cli.commands import work


def prepare(
    study: StudyArgument,
    out: Annotated[Path, typer.Option(help="Folder to write to.")],
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Number of processes that compute explanations. Default: one per core."),
    ] = None,
    engine: EngineOption = "local",
) -> None:
    """Prepare the materials of a study, and its answer key in a separate file.

    Example: understudy prepare my-study.toml --out runs/my-study
    """
    work.prepare.prepare(study, out=out, workers=workers, engine=engine)
