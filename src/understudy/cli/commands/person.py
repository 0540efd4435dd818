"""The options of `understudy person`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument


def person(
    folder: RunArgument,
    who: Annotated[str, typer.Argument(metavar="ID", help="The recruiter's id of the person, or their session.")],
    session: Annotated[bool, typer.Option("--session", help="ID is a session, as the dashboard shows it.")] = False,
    copy: Annotated[Path | None, typer.Option(help="Write a copy of everything about them to this ZIP file.")] = None,
    erase: Annotated[bool, typer.Option("--erase", help="Erase them from the run for good.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Erase without asking.")] = False,
    secret_file: Annotated[Path | None, typer.Option(help="Where the secrets of the server are.")] = None,
) -> None:
    """Give one person a copy of their data, or erase them: answers, times, recordings, ids, lists, reports and deposits.

    Without --copy and --erase, it says what the run holds. What cannot be erased here is listed, such as backups. A served
    run is erased from at the dashboard, or while its server is stopped.

    Example: understudy person runs/my-study 5f00dcafe --copy copy.zip
    """
    from understudy.cli import person as work

    work.person(folder, who, is_session=session, copy=copy, erase=erase, yes=yes, secret_file=secret_file)
