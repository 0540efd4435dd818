"""Commands in plain words: help without types for flags, and mistakes in options as sentences."""

from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_WANTED = {
    "bool_parsing": "true or false",
    "float_parsing": "a number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
}
"""What a value of an option must be, by the kind of fault that typer found through pydantic."""


class PlainCommand(TyperCommand):
    """A command whose help and errors a reader understands who knows neither Python nor pydantic."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters; a flag takes no value, so its help shows no type."""
        return without_flag_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the words of a call, and refuse an option without its value and a value of the wrong kind."""
        _require_values(super().get_params(ctx), args)
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = _in_words(error)
            raise


class PlainGroup(TyperGroup):
    """A group of commands with the same help."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters; a flag takes no value, so its help shows no type."""
        return without_flag_types(super().get_params(ctx))


def command_group(name: str, about: str, *, example: str) -> typer.Typer:
    """Return an empty group of commands that shows its help when no command is named."""
    return typer.Typer(name=name, no_args_is_help=True, help=f"{about}\n\nExample: {example}")


def made_plain(app: typer.Typer) -> typer.Typer:
    """Give every command of an application, and of the groups in it, the plain form."""
    for command in app.registered_commands:
        command.cls = PlainCommand
    for group in app.registered_groups:
        if group.typer_instance is not None:
            own = group.typer_instance.info.cls
            if not (isinstance(own, type) and issubclass(own, PlainGroup)):
                group.typer_instance.info.cls = PlainGroup
            made_plain(group.typer_instance)
    return app


def without_flag_types(parameters: Any) -> Any:
    """Return parameters whose flags show no type in help."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


def _require_values(parameters: Any, args: list[str]) -> None:
    """Refuse an option that is followed by another one, which would be taken for its value."""
    options = {name: parameter for parameter in parameters for name in parameter.opts if name.startswith("--")}
    for word, following in pairwise(args):
        if word == "--":
            return
        if word in options and following in options and not getattr(options[word], "is_flag", False):
            raise typer.BadParameter(f"it needs a value, but the option {following} follows.", param_hint=f"'{word}'")


def _in_words(error: typer.BadParameter) -> str:
    """Return what is wrong with a value; faults that have no words here keep those of typer."""
    errors = getattr(error.__cause__, "errors", None)
    details = errors() if callable(errors) else []
    if not details or details[0]["type"] not in _WANTED:
        return error.message
    kind, given, limits = details[0]["type"], details[0]["input"], details[0].get("ctx", {})
    # A number beyond a limit arrives as text too, and needs no quotes.
    found = repr(given) if kind.endswith("_parsing") else str(given)
    return f"it is {found}, but must be {_WANTED[kind].format(**limits)}."
