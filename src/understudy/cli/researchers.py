"""`understudy researchers`: name the people who may open the dashboard, and what they may do there."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from understudy.actions.access import moved_accounts, opened_desk
from understudy.actions.run_folder import database_of, existing_run
from understudy.errors import UnderstudyError
from understudy.serve.desk.researchers import Researchers


def add(folder: Path, name: str, *, role: str) -> None:
    """Add a researcher. The command asks for the password, or reads it from standard input."""
    with _accounts(folder) as accounts:
        accounts.require_new(name, role)
        accounts.add(name, role, _new_password())
    typer.echo(f"{name} can sign in at /admin as {role}.")


def list_all(folder: Path) -> None:
    """List the names and roles."""
    with _accounts(folder) as accounts:
        found = accounts.all()
    for name, role in found:
        typer.echo(f"{name}\t{role}")
    if not found:
        typer.echo("No names yet; the admin token opens the dashboard.")


def role(folder: Path, name: str, new_role: str) -> None:
    """Change the role of a researcher, effective immediately."""
    with _accounts(folder) as accounts:
        accounts.set_role(name, new_role)
    typer.echo(f"{name} is now {new_role}.")


def password(folder: Path, name: str) -> None:
    """Set a new password and sign the researcher out everywhere."""
    with _accounts(folder) as accounts:
        accounts.set_password(name, _new_password())
    typer.echo(f"{name} has a new password and is signed out everywhere.")


def remove(folder: Path, name: str) -> None:
    """Remove a researcher and sign them out everywhere; what they did stays in the logs."""
    with _accounts(folder) as accounts:
        accounts.remove(name)
    typer.echo(f"{name} can no longer sign in.")


@contextmanager
def _accounts(folder: Path) -> Iterator[Researchers]:
    with opened_desk(existing_run(folder)) as desk:
        told = None if database_of(folder) is None else moved_accounts(folder, desk)
        if told is not None:
            typer.echo(told, err=True)
        yield Researchers(desk)


def _new_password() -> str:
    """Ask twice at a terminal, where nothing is shown; programs write one line to standard input."""
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise UnderstudyError("There was no password on standard input. Write it there as one line, or use a terminal.")
    return line
