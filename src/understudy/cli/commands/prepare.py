"""The options of `understudy prepare`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import EngineOption, StudyArgument
from understudy.cli.commands import work


def prepare(
    study: StudyArgument,
    out: Annotated[Path, typer.Option(help="Folder to write to; its public/ part may be served.")],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that compute explanations; all cores when absent.")
    ] = None,
    engine: EngineOption = "local",
) -> None:
    """Prepare a study's materials and, apart from them, its answer key.

    Example: understudy prepare my-study.toml --out runs/my-study
    """
    work.prepare.prepare(study, out=out, workers=workers, engine=engine)
