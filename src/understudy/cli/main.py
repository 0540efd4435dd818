"""The command line: one file per command, and one place where a user's mistake becomes a sentence."""

import sys

import typer

from understudy.cli.analyze import analyze
from understudy.cli.calibrate import calibrate_command
from understudy.cli.check import check
from understudy.cli.collect import collect
from understudy.cli.demo import demo
from understudy.cli.export import export
from understudy.cli.new import new
from understudy.cli.power import power
from understudy.cli.prepare import prepare
from understudy.cli.preregister import preregister
from understudy.cli.rehearse import rehearse
from understudy.cli.report import report
from understudy.cli.serve import serve
from understudy.cli.status import status
from understudy.errors import UnderstudyError

app = typer.Typer(name="understudy", no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)
for command in (
    demo,
    new,
    check,
    prepare,
    rehearse,
    power,
    preregister,
    serve,
    collect,
    status,
    report,
    export,
    analyze,
):
    app.command()(command)
app.command("calibrate")(calibrate_command)


@app.callback()
def understudy() -> None:
    """Measure whether people understand a model, a representation or an explanation."""


def run() -> None:
    """Run the command line; a user's mistake prints its sentences and exits with 2."""
    try:
        app()
    except UnderstudyError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    except OSError as error:
        if error.filename is None or error.strerror is None:
            raise
        reason = error.strerror.lower()
        sys.stderr.write(f"{error.filename} cannot be read or written: {reason}. Check the path and its folder.\n")
        sys.exit(2)
