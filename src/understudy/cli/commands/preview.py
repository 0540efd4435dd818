"""The options of `understudy preview`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import studies_from


def preview(
    study: Annotated[
        str,
        typer.Argument(
            help="A study file, the name of a ready study, or a folder made by understudy prepare.",
            autocompletion=studies_from,
        ),
    ],
    condition: Annotated[str | None, typer.Option(help="Open this condition. Default: the contents page.")] = None,
    page: Annotated[int | None, typer.Option(min=1, help="Open this page of the condition, counted from 1.")] = None,
    trial: Annotated[str | None, typer.Option(help="Open the page of this trial.")] = None,
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Port on this machine; the next free one if it is in use.")
    ] = 8010,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address without opening a browser.")] = False,
    walks: Annotated[Path | None, typer.Option(hidden=True, help="Write what the preview shows, and stop.")] = None,
) -> None:
    """Show every page of a study, in any condition and with any item; nothing is stored.

    Example: understudy preview loan-demo --condition shown --page 3
    """
    from understudy.cli import preview as work

    work.preview(study, at=work.Place(condition, page, trial), port=port, open_page=not no_open, walks=walks)
