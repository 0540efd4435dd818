"""`understudy researchers`: name the people who may open the dashboard, and what they may do there."""

import sys
from pathlib import Path

import typer

from understudy.errors import UnderstudyError
from understudy.serve.researchers import Researchers
from understudy.workflow.run_folder import existing_run
from understudy.workflow.serving import researchers_in


def add(folder: Path, name: str, *, role: str) -> None:
    """Add a researcher; the password is asked for, or read from standard input."""
    _accounts(folder).add(name, role, _new_password())
    typer.echo(f"{name} can sign in at /admin as {role}.")


def list_all(folder: Path) -> None:
    """List the names and roles."""
    found = _accounts(folder).all()
    for name, role in found:
        typer.echo(f"{name}\t{role}")
    if not found:
        typer.echo("No names yet; the admin token opens the dashboard.")


def role(folder: Path, name: str, new_role: str) -> None:
    """Give a researcher another role; it counts at once."""
    _accounts(folder).set_role(name, new_role)
    typer.echo(f"{name} is now {new_role}.")


def password(folder: Path, name: str) -> None:
    """Set a new password and sign the researcher out everywhere."""
    _accounts(folder).set_password(name, _new_password())
    typer.echo(f"{name} has a new password and is signed out everywhere.")


def remove(folder: Path, name: str) -> None:
    """Remove a researcher and sign them out everywhere; what they did stays in the logs."""
    _accounts(folder).remove(name)
    typer.echo(f"{name} can no longer sign in.")


def _accounts(folder: Path) -> Researchers:
    existing_run(folder)
    return Researchers(researchers_in(folder))


def _new_password() -> str:
    """Ask twice at a terminal, where nothing is shown; programs write one line to standard input."""
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise UnderstudyError("No password came on standard input; write it there as one line, or use a terminal.")
    return line
