"""The options of `understudy export`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import BackgroundOption, PreregistrationOption, RunArgument
from understudy.cli.commands import work


def export(
    folder: RunArgument,
    out: Annotated[Path | None, typer.Option(help="The archive to write. Default: NAME.zip in the folder.")] = None,
    preregistration: PreregistrationOption = None,
    audio: Annotated[
        bool, typer.Option("--audio", help="Include voice recordings in the archive. A voice can identify a person.")
    ] = False,
    static: Annotated[
        Path | None, typer.Option(help="Instead of an archive, write a folder that runs the study from any web host.")
    ] = None,
    sessions: Annotated[
        int | None,
        typer.Option(
            min=1, max=1_000_000, help="With --static: number of sessions to draw. Default: as many as the study needs."
        ),
    ] = None,
    post: Annotated[
        str | None,
        typer.Option(help="With --static: address that pages send their data to. By default, people save a file."),
    ] = None,
    reveal_answers: Annotated[
        bool,
        typer.Option(
            "--reveal-answers", help="With --static: allow right answers in the folder, where anyone can read them."
        ),
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
