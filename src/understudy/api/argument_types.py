"""Whether an argument is of the kind that a signature says, and the sentence that says what it should be."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le

from understudy.errors import nearest

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
