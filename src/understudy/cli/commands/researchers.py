"""The options of `understudy researchers`."""

from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument
from understudy.cli.commands.listed_names import ROLES
from understudy.cli.plain_commands import command_group

researchers = command_group(
    "researchers",
    "Give researchers a name, a password and a role for the dashboard.",
    example="understudy researchers add runs/my-study ada --role owner",
)

NameArgument = Annotated[
    str, typer.Argument(help="Name to sign in with: lower-case letters, digits, dots and hyphens.")
]
_ROLE = f"One of {', '.join(ROLES)}."


@researchers.command()
def add(folder: RunArgument, name: NameArgument, role: Annotated[str, typer.Option(help=_ROLE)] = "researcher") -> None:
    """Add a researcher. The command asks for the password, or reads it from standard input.

    Once there is a researcher, the admin token no longer opens the dashboard. Programs can still use it.

    Example: understudy researchers add runs/my-study ada --role owner
    """
    from understudy.cli import researchers as work

    work.add(folder, name, role=role)


@researchers.command("list")
def list_all(folder: RunArgument) -> None:
    """List the names and roles.

    Example: understudy researchers list runs/my-study
    """
    from understudy.cli import researchers as work

    work.list_all(folder)


@researchers.command()
def role(folder: RunArgument, name: NameArgument, new_role: Annotated[str, typer.Argument(help=_ROLE)]) -> None:
    """Change the role of a researcher, effective immediately.

    Example: understudy researchers role runs/my-study ada viewer
    """
    from understudy.cli import researchers as work

    work.role(folder, name, new_role)


@researchers.command()
def password(folder: RunArgument, name: NameArgument) -> None:
    """Set a new password and sign the researcher out everywhere.

    Example: understudy researchers password runs/my-study ada
    """
    from understudy.cli import researchers as work

    work.password(folder, name)


@researchers.command()
def remove(folder: RunArgument, name: NameArgument) -> None:
    """Remove a researcher and sign them out everywhere; what they did stays in the logs.

    Example: understudy researchers remove runs/my-study ada
    """
    from understudy.cli import researchers as work

    work.remove(folder, name)
