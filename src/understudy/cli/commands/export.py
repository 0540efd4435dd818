"""The options of `understudy export` and `understudy collect`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import BackgroundOption, PreregistrationOption, RunArgument

# The options of `understudy collect`.


def collect(
    folder: RunArgument,
    files: Annotated[list[Path] | None, typer.Argument(help="Result files that participants saved or sent.")] = None,
    decide: Annotated[bool, typer.Option("--decide", help="List the deposits that were set aside, and why.")] = False,
    take: Annotated[list[str] | None, typer.Option(help="Import a deposit that was set aside, by its name.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Delete a deposit that was set aside, by its name.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON only.")] = False,
) -> None:
    """Import result files of a static export into the run, with the checks that a server makes.

    Files that the run already has are skipped. Invalid files are listed, and the others are imported. A file whose word is
    not enough is set aside: its clock was wrong, its person has another session or erased one, or it is a copy.

    Example: understudy collect runs/my-study results/understudy-my-study-1.json
    Example: understudy collect runs/my-study --decide
    """
    from understudy.cli import export as work

    decided = (tuple(take or ()), tuple(drop or ()))
    work.collect(folder, files or [], decided=decided, decides=decide, as_json=as_json)


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
    from understudy.cli import export as work

    work.export(
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
