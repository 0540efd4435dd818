"""`understudy researchers`: name the people who may open the dashboard, and what they may do there."""

import sys
from typing import Annotated

import typer

from understudy.cli.runs import RunArgument
from understudy.errors import UnderstudyError
from understudy.serve.researchers import ROLES, Researchers
from understudy.workflow.run_folder import existing_run
from understudy.workflow.serving import researchers_in

researchers = typer.Typer(
    name="researchers",
    no_args_is_help=True,
    help="Give researchers a name, a password and a role for the dashboard.\n\n"
    "Example: understudy researchers add runs/my-study ada --role owner",
)

NameArgument = Annotated[str, typer.Argument(help="Name to sign in with: small letters, digits, dots and hyphens.")]
_ROLE = f"One of {', '.join(ROLES)}."


@researchers.command()
def add(folder: RunArgument, name: NameArgument, role: Annotated[str, typer.Option(help=_ROLE)] = "researcher") -> None:
    """Add a researcher; the password is asked for, or read from standard input.

    With the first name, the admin token no longer opens the dashboard; programs can still use it.

    Example: understudy researchers add runs/my-study ada --role owner
    """
    _accounts(folder).add(name, role, _new_password())
    typer.echo(f"{name} can sign in at /admin as {role}.")


@researchers.command("list")
def list_all(folder: RunArgument) -> None:
    """List the names and roles.

    Example: understudy researchers list runs/my-study
    """
    found = _accounts(folder).all()
    for name, role in found:
        typer.echo(f"{name}\t{role}")
    if not found:
        typer.echo("No names yet; the admin token opens the dashboard.")


@researchers.command()
def role(folder: RunArgument, name: NameArgument, new_role: Annotated[str, typer.Argument(help=_ROLE)]) -> None:
    """Give a researcher another role; it counts at once.

    Example: understudy researchers role runs/my-study ada viewer
    """
    _accounts(folder).set_role(name, new_role)
    typer.echo(f"{name} is now {new_role}.")


@researchers.command()
def password(folder: RunArgument, name: NameArgument) -> None:
    """Set a new password and sign the researcher out everywhere.

    Example: understudy researchers password runs/my-study ada
    """
    _accounts(folder).set_password(name, _new_password())
    typer.echo(f"{name} has a new password and is signed out everywhere.")


@researchers.command()
def remove(folder: RunArgument, name: NameArgument) -> None:
    """Remove a researcher and sign them out everywhere; what they did stays in the logs.

    Example: understudy researchers remove runs/my-study ada
    """
    _accounts(folder).remove(name)
    typer.echo(f"{name} can no longer sign in.")


def _accounts(folder: RunArgument) -> Researchers:
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
