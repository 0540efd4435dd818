"""The command line: one module per command, and one place that prints user errors as sentences."""

import os
import sys
import warnings
from collections.abc import Sequence
from errno import ENOSPC
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Any, NoReturn

import typer

from understudy.cli.plain_commands import PlainGroup, made_plain
from understudy.errors import UnderstudyError

COMMANDS = (
    "demo", "new", "check", "prepare", "preview", "rehearse", "power", "preregister", "serve", "researchers", "annotate", "links", "recruit", "invite", "pay", "doctor", "backup", "restore", "collect", "person", "status", "monitor",
    "report", "export", "join", "analyze", "probe", "worlds", "train", "data", "tune", "calibrate",
)  # fmt: skip
"""Each is a function or group in the module of the same name in `commands`; help lists them in this order."""
KEPT_IN = {
    "restore": "backup", "collect": "export", "invite": "links", "join": "links", "prepare": "rehearse",
    "monitor": "status", "data": "train", "tune": "train",
}  # fmt: skip
"""Commands that are in the module of another one, because people read them together."""


def app_of(names: Sequence[str] = COMMANDS) -> typer.Typer:
    """Return the command line with the given commands, importing only their options to start fast."""
    app = typer.Typer(name="understudy", cls=PlainGroup, no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(understudy)
    for name in names:
        command = getattr(import_module(f"understudy.cli.commands.{KEPT_IN.get(name, name)}"), name)
        if isinstance(command, typer.Typer):
            app.add_typer(command)
        else:
            app.command()(command)
    return made_plain(app)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(version("understudy"))
        raise typer.Exit


def understudy(
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Measure whether people understand a model, a representation or an explanation."""


def run() -> None:
    """Run the command line; a user error prints its sentences and exits with status 2."""
    _spell_for_the_terminal()
    # For the processes that this one starts: they run no Python files of the working folder.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    # pydantic would read the entry points of all installed packages, and stop with a traceback at one that is damaged.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _print_warning
            # Only the module of the chosen command is imported, which makes the command line start fast.
            app_of([argument for argument in sys.argv[1:2] if argument in COMMANDS] or COMMANDS)()
    except UnderstudyError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    except (Exception, SystemExit) as error:
        _end_with(error)


def _end_with(error: Exception | SystemExit) -> NoReturn:
    """Say in a sentence what ended a command, where a sentence is enough; raise the error again where it is not."""
    if "understudy.registry" in sys.modules and (
        failure := sys.modules["understudy.registry"].failure_of_another(error)
    ):
        sys.stderr.write(f"{failure}\n")
        sys.exit(2)
    if (
        isinstance(error, OSError)
        and error.strerror is not None
        and (error.filename is not None or error.errno == ENOSPC)
    ):
        reason = error.strerror.lower()
        if error.filename is None:
            sys.stderr.write(f"The output cannot be written: {reason}.\n")
        else:
            sys.stderr.write(f"{error.filename} cannot be read or written: {reason}. Check the path and its folder.\n")
        sys.exit(2)
    raise error


def _spell_for_the_terminal() -> None:
    """Print a question mark for a letter that the terminal's encoding does not have, instead of stopping."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _print_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """Print a warning as a sentence, without file and line."""
    sys.stderr.write(f"Warning: {message}\n")
