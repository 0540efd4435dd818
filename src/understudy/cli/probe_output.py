"""Output verdicts to the terminal, as JSON, as pictures, or in a browser."""

import sys
import threading
import webbrowser
from pathlib import Path
from typing import Literal

import typer
from rich.console import Console

from understudy.cli.probe_view import print_verdicts
from understudy.errors import UnderstudyError
from understudy.probe.page_server import serve_page
from understudy.probe.picture import PictureOptions, page, require_ending, write_picture
from understudy.schema import Verdicts


def show(verdicts: Verdicts, paths: list[Path], *, as_json: bool) -> None:
    """Print verdicts as tables, or only as JSON."""
    if as_json:
        typer.echo(verdicts.model_dump_json(indent=2))
        return
    print_verdicts(verdicts, Console(), paths)


def require_names(html: Path | None, svg: Path | None) -> None:
    """Raise an error for picture paths that cannot be written, before any work is done."""
    if html is not None and html.suffix != ".html":
        raise UnderstudyError(f"--html takes a path that ends in .html, not {html.name!r}.")
    if svg is not None:
        require_ending(svg)


def draw(
    verdicts: Verdicts,
    *,
    html: Path | None,
    svg: Path | None,
    layout: Literal["horizontal", "vertical"],
    is_served: bool,
) -> None:
    """Write the requested pictures, and serve the interactive one until interrupted."""
    for path in (html, svg):
        if path is not None:
            write_picture(verdicts, path, PictureOptions(layout=layout))
            sys.stderr.write(f"Wrote {path}.\n")
    if is_served:
        with serve_page(page(verdicts)) as address:
            sys.stderr.write(f"The picture is at {address}. Stop with Ctrl-C.\n")
            webbrowser.open(address)
            _wait()


def _wait() -> None:
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
