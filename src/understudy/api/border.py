"""The border of the public interface: arguments are checked once, and a mistake becomes an `UnderstudyError`.

`understudy/__init__.py` sends every function that it offers through here, and results such as `Run` bring their methods.
Inside the package functions call each other directly, so nothing is checked twice.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache, wraps
from types import SimpleNamespace
from typing import Any, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from pydantic import ValidationError

from understudy.api.argument_types import ANYTHING, fault_of
from understudy.errors import ArgumentError, UnderstudyError, nearest
from understudy.schema import sentences_from_validation

Given = ParamSpec("Given")
Result = TypeVar("Result")
Kind = TypeVar("Kind", bound=type)


def offered(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """Return what `us.name` is: a function behind the border, or a class whose fields are."""
    if isinstance(work, type):
        return _with_guarded_fields(work) if issubclass(work, tuple) else work
    guarded = _guarded(work, f"us.{name}")
    # Pickle finds a function by its module and name, and only the public module has this one.
    guarded.__module__, guarded.__qualname__ = "understudy", name
    return guarded


def with_guarded_methods(kind: Kind) -> Kind:
    """Put the public methods of a result behind the border."""
    for name, member in list(vars(kind).items()):
        if inspect.isfunction(member) and not name.startswith("_"):
            setattr(kind, name, _guarded(member, f"{kind.__name__}.{name}"))
    return kind


def _with_guarded_fields(kind: type) -> type:
    """Put the fields of a named tuple, which are given when it is built, behind the border."""
    build = kind.__new__

    def fields() -> None:
        """Have the arguments of the named tuple, without the class that Python adds."""

    signature = inspect.signature(kind)
    fields.__signature__ = signature  # type: ignore[attr-defined]
    fields.__annotations__ = {name: part.annotation for name, part in signature.parameters.items()}

    @wraps(build)
    def checked(cls: type, *args: object, **options: object) -> object:
        faults = _faults(fields, args, options)
        if faults:
            raise ArgumentError([f"us.{kind.__name__}: {fault}" for fault in faults])
        return build(cls, *args, **options)

    kind.__new__ = checked  # type: ignore[method-assign, assignment]
    return kind


def _guarded(work: Callable[Given, Result], label: str) -> Callable[Given, Result]:
    @wraps(work)
    def checked(*args: Given.args, **options: Given.kwargs) -> Result:
        faults = _faults(work, args, options)
        if faults:
            raise ArgumentError([f"{label}: {fault}" for fault in faults])
        try:
            return work(*args, **options)
        except ValidationError as error:
            raise ArgumentError([f"{label}: {sentence}" for sentence in sentences_from_validation(error)]) from None
        except OSError as error:
            raise UnderstudyError(f"{label}: {_words_of(error)}") from error

    return checked


def _faults(work: Callable[..., object], args: tuple[object, ...], options: Mapping[str, object]) -> list[str]:
    """Return a sentence for each argument that is unknown, missing or of the wrong kind."""
    types = _types_of(work)
    open_ended = any(part.kind is inspect.Parameter.VAR_KEYWORD for part in _parameters(work)) and not _extras(work)
    strange = [name for name in options if name not in types and not open_ended]
    takes = f"It takes: {', '.join(types)}." if types else "It takes no arguments."
    if strange:
        return [f"{name} is not an argument.{nearest(name, types)} {takes}" for name in strange]
    try:
        bound = inspect.signature(work).bind(*args, **options)
    except TypeError as error:
        return [f"{error}. {takes}"]
    given = [(name, value) for name, value in bound.arguments.items() if name in types]
    for part in _parameters(work):
        held = bound.arguments.get(part.name)
        if part.kind is inspect.Parameter.VAR_POSITIONAL and isinstance(held, tuple):
            given = [pair for pair in given if pair[0] != part.name] + [(part.name, value) for value in held]
        elif part.kind is inspect.Parameter.VAR_KEYWORD and isinstance(held, dict):
            given += held.items()
    found = (fault_of(types.get(name, ANYTHING), value, name) for name, value in given)
    return [fault for fault in found if fault is not None]


@cache
def _parameters(work: Callable[..., object]) -> tuple[inspect.Parameter, ...]:
    return tuple(part for part in inspect.signature(work).parameters.values() if part.name != "self")


@cache
def _types_of(work: Callable[..., object]) -> dict[str, Any]:
    """Return the type of each argument by its name; what a function returns may not be importable, and is left out."""
    hints = _hints(work)
    named = [part.name for part in _parameters(work) if part.kind is not inspect.Parameter.VAR_KEYWORD]
    return {**{name: hints.get(name, ANYTHING) for name in named}, **_extras(work)}


@cache
def _extras(work: Callable[..., object]) -> dict[str, Any]:
    """Return the options that a function takes as `**options: Unpack[SomeTypedDict]`."""
    hints = _hints(work)
    kinds = [get_args(hints[part.name]) for part in _parameters(work) if part.kind is inspect.Parameter.VAR_KEYWORD]
    return {name: kind for unpacked in kinds for kind in unpacked for name, kind in _fields(kind).items()}


def _hints(work: Callable[..., object]) -> dict[str, Any]:
    written = {name: kind for name, kind in work.__annotations__.items() if name != "return"}
    names = work.__globals__ if inspect.isfunction(work) else {}
    return get_type_hints(SimpleNamespace(__annotations__=written), globalns=names, include_extras=True)


def _fields(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True) if get_origin(kind) is None else {}


def _words_of(error: OSError) -> str:
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    return f"{error.filename} cannot be read or written: {reason}. Check the path." if error.filename else f"{reason}."
