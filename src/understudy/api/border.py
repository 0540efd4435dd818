"""The border of the public interface: what arguments may be, and how a mistake becomes an `UnderstudyError`.

`understudy/__init__.py` sends every function that it offers through here, and results such as `Run` bring their methods.
Inside the package functions call each other directly, so nothing is checked twice.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from functools import cache, wraps
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Le
from pydantic import ValidationError

from understudy.errors import ArgumentError, UnderstudyError, nearest
from understudy.schema import sentences_from_validation

# Whether an argument is of the kind that a signature says, and the sentence that says what it should be.

ANYTHING = Any
Count = Annotated[int, Ge(1), Le(1_000_000)]
"""How many people, simulations or pictures; more would fill the memory, or run for years."""
Edge = Annotated[int, Ge(1), Le(2048)]
"""Pixels a side of a picture."""
_LONGEST = 60
"""Characters of a wrong value that are shown."""
_PLAIN: dict[type, tuple[type | tuple[type, ...], str]] = {
    # The classes of `numbers` include the numbers of numpy.
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (str, "text"),
    bool: (bool, "True or False"),
    Path: (Path, "a path"),
    NoneType: (NoneType, "None"),
}
"""Type -> what counts as one, and how it is called."""
_LIMITS = {"ge": "of at least", "gt": "above", "le": "of at most", "lt": "below"}


def fault_of(kind: Any, value: object, name: str) -> str | None:
    """Return what is wrong with an argument as a sentence, or None."""
    inner = _wrong_part(kind, value, name)
    if inner is None:
        return None
    wanted, found, label = inner
    near = nearest(found, _choices(wanted)) if isinstance(found, str) else ""
    return f"{label} is {_shown(found)}, but must be {words_of(wanted, found)}.{near}"


def words_of(kind: Any, found: object = None) -> str:
    """Say what is wanted; text in `Annotated` says it better than the type does. Of a number, say which limit it breaks."""
    if get_origin(kind) is Annotated:
        inner, *notes = get_args(kind)
        told = [note for note in notes if isinstance(note, str)]
        return told[0] if told else " ".join([words_of(inner), *_limits(inner, notes, found)])
    if _is_union(kind):
        return _either([words_of(part, found) for part in get_args(kind)])
    if get_origin(kind) is Literal:
        return _either([repr(choice) for choice in get_args(kind)])
    if kind in _PLAIN:
        return _PLAIN[kind][1]
    if _is_mapping(kind):
        return "a dict"
    if _is_list(kind):
        return "a list"
    known = getattr(kind, "__name__", str(kind))
    return f"{'an' if known[0] in 'AEIOU' else 'a'} {known}"


def _wrong_part(kind: Any, value: object, label: str) -> tuple[Any, object, str] | None:
    """Return the innermost wrong part: what is wanted, what was found, and where it is; entries are counted from 1."""
    if get_origin(kind) is Annotated:
        inner, *notes = get_args(kind)
        wrong = _wrong_part(inner, value, label)
        if wrong is None and not _within(value, notes):
            return kind, value, label
        # Words in the annotation are about the whole value, so they are used for a value that is wrong as a whole.
        return (kind, value, label) if wrong is not None and wrong[2] == label else wrong
    if _is_union(kind):
        found = [_wrong_part(part, value, label) for part in get_args(kind)]
        if any(wrong is None for wrong in found):
            return None
        deeper = [wrong for wrong in found if wrong is not None and wrong[2] != label]
        return deeper[0] if deeper else (kind, value, label)
    if _is_mapping(kind) and isinstance(value, Mapping):
        return _first_wrong(
            (get_args(kind)[1:] or (ANYTHING,))[0], [(f"{label}[{key!r}]", value[key]) for key in value]
        )
    if (
        _is_list(kind)
        and isinstance(value, Sized)
        and isinstance(value, Iterable)
        and not isinstance(value, str | Mapping)
    ):
        inner = next((part for part in get_args(kind) if part is not Ellipsis), ANYTHING)
        return _first_wrong(inner, [(f"{label}[{number}]", part) for number, part in enumerate(value, start=1)])
    return None if _is_a(kind, value) else (kind, value, label)


def _first_wrong(kind: Any, parts: Sequence[tuple[str, object]]) -> tuple[Any, object, str] | None:
    wrong = (_wrong_part(kind, value, label) for label, value in parts)
    return next((part for part in wrong if part is not None), None)


def _is_a(kind: Any, value: object) -> bool:
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind in _PLAIN:
        # True counts as 1 in Python, but nobody means it as a number.
        return isinstance(value, _PLAIN[kind][0]) and (kind is bool or not isinstance(value, bool))
    if _is_mapping(kind) or _is_list(kind):
        return False
    is_checkable = (
        kind is not ANYTHING
        and isinstance(kind, type)
        and (not _is_protocol(kind) or getattr(kind, "_is_runtime_protocol", False))
    )
    return isinstance(value, kind) if is_checkable else True


def _within(value: Any, notes: Sequence[Any]) -> bool:
    """Tell whether a number keeps the limits of an annotation, such as that of pydantic's PositiveInt."""
    limits = {name: getattr(note, name) for note in notes for name in _LIMITS if hasattr(note, name)}
    return all(
        {"ge": value >= limit, "gt": value > limit, "le": value <= limit, "lt": value < limit}[name]
        for name, limit in limits.items()
    )


def _limits(kind: Any, notes: Sequence[Any], found: object) -> list[str]:
    """Say the limits that a value breaks; of what is not a number, the lowest that is allowed."""
    broken = [note for note in notes if isinstance(found, Real) and not _within(found, [note])]
    limits = [(name, getattr(note, name)) for note in broken or notes[:1] for name in _LIMITS if hasattr(note, name)]
    is_count = kind is int
    return [
        f"of at least {limit + 1}" if is_count and name == "gt" else f"{_LIMITS[name]} {limit:,}"
        for name, limit in limits
    ]


def _choices(kind: Any) -> list[str]:
    parts = get_args(kind) if _is_union(kind) or get_origin(kind) is Literal else ()
    return [part for part in parts if isinstance(part, str)]


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)


def _is_mapping(kind: Any) -> bool:
    return get_origin(kind) in (Mapping, dict)


def _is_list(kind: Any) -> bool:
    return get_origin(kind) in (Sequence, list, tuple)


def _is_protocol(kind: type) -> bool:
    return bool(getattr(kind, "_is_protocol", False))


def _either(parts: Sequence[str]) -> str:
    several = list(dict.fromkeys(parts))
    return several[0] if len(several) == 1 else f"{', '.join(several[:-1])} or {several[-1]}"


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, str | int | float | NoneType | Path) else _kind_of(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2]} …"


def _kind_of(value: object) -> str:
    """Return a value that is not a number or text; the text form of an object of others may be pages long."""
    if isinstance(value, list | tuple | dict):
        return " ".join(repr(value).split())
    known = type(value).__name__
    return f"{'an' if known[0] in 'aeiouAEIOU' else 'a'} {known}"


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
