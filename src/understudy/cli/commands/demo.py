"""The options of `understudy demo`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import PeopleSeedOption


def demo(
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path("runs/demo"),
    people: Annotated[
        int | None,
        typer.Option(
            min=2, max=1_000_000, help="Number of simulated people. By default, they arrive until the study is full."
        ),
    ] = None,
    seed: PeopleSeedOption = 1,
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Port to listen on; the next free one if it is in use.")
    ] = 8000,
    per_second: Annotated[float, typer.Option(min=0.01, max=20.0, help="Simulated people per second.")] = 1.0,
    once: Annotated[
        bool, typer.Option("--once", help="Rehearse, write the report, print a JSON summary as the last line, and end.")
    ] = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open the landing page in the browser.")] = False,
) -> None:
    """Show a ready study on this machine: take part, watch simulated people, and read the report.

    Example: understudy demo --open
    """
    from understudy.cli import demo as work

    work.demo(out=out, people=people, seed=seed, port=port, per_second=per_second, once=once, open_page=open_page)
