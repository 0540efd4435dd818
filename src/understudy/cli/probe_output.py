"""Output verdicts to the terminal, as JSON, as pictures, or in a browser."""

import sys
import threading
import webbrowser
from pathlib import Path

import typer
from rich.console import Console

from understudy.cli.commands.probe_options import Output
from understudy.cli.probe_view import print_verdicts
from understudy.errors import UnderstudyError
from understudy.probe.page_server import serve_page
from understudy.probe.picture import PictureOptions, page, require_ending, write_picture
from understudy.schema import Verdicts


def require_names(output: Output) -> None:
    """Raise an error for picture paths that cannot be written, before any work is done."""
    if output.html is not None and output.html.suffix != ".html":
        raise UnderstudyError(f"--html takes a path that ends in .html, not {output.html.name!r}.")
    if output.svg is not None:
        require_ending(output.svg)


def show(verdicts: Verdicts, paths: list[Path], output: Output) -> None:
    """Print verdicts as tables or as JSON, write the requested pictures, and serve the page until interrupted."""
    if output.as_json:
        typer.echo(verdicts.model_dump_json(indent=2))
    else:
        print_verdicts(verdicts, Console(), paths)
    for path in (output.html, output.svg):
        if path is not None:
            write_picture(verdicts, path, PictureOptions(layout=output.layout))
            sys.stderr.write(f"Wrote {path}.\n")
    if output.serve:
        with serve_page(page(verdicts)) as address:
            sys.stderr.write(f"The picture is at {address}. Stop with Ctrl-C.\n")
            webbrowser.open(address)
            _wait()


def _wait() -> None:
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
