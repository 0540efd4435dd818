"""The options of `understudy export`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import BackgroundOption, PreregistrationOption, RunArgument
from understudy.cli.commands import work


def export(
    folder: RunArgument,
    out: Annotated[Path | None, typer.Option(help="The archive; NAME.zip in the folder when absent.")] = None,
    preregistration: PreregistrationOption = None,
    audio: Annotated[
        bool, typer.Option("--audio", help="Put recorded voices into the archive; they can tell who somebody is.")
    ] = False,
    static: Annotated[
        Path | None, typer.Option(help="Write a folder that runs the study from any web host, in place of an archive.")
    ] = None,
    sessions: Annotated[
        int | None, typer.Option(min=1, help="With --static: sessions to draw; as many as are wanted when absent.")
    ] = None,
    post: Annotated[
        str | None, typer.Option(help="With --static: where pages send their data; a file to save when absent.")
    ] = None,
    reveal_answers: Annotated[
        bool,
        typer.Option("--reveal-answers", help="With --static: the folder may hold right answers, for all to read."),
    ] = False,
    background: BackgroundOption = None,
) -> None:
    """Export a run as one archive in the Psych-DS layout, or as a folder that runs the study without a server.

    Example: understudy export runs/loan-demo --out loan-demo.zip
    """
    work.export.export(
        folder,
        out=out,
        preregistration=preregistration,
        audio=audio,
        static=static,
        sessions=sessions,
        post=post,
        reveal_answers=reveal_answers,
        background=background,
    )
