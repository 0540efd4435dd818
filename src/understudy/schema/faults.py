"""Faults: validation errors as plain sentences that say what was found, what is allowed, and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

# Field names: suggest the right name for a misspelt field of a record.


def advice_on_field(kind: type[BaseModel], loc: tuple[int | str, ...]) -> str:
    """Say which field was probably meant at a location in a record, or which fields exist."""
    known = sorted({name for record in _records_at(kind, loc[:-1]) for name in record.model_fields})
    meant = get_close_matches(str(loc[-1]), known, n=1)
    if meant:
        return f"did you mean {meant[0]}?"
    return f"remove it. Fields are: {', '.join(known)}." if known else "remove it or check its spelling."


def _records_at(kind: type[BaseModel], loc: tuple[int | str, ...]) -> list[type[BaseModel]]:
    kinds = [kind]
    for part in loc:
        inner = [
            record
            for kind in kinds
            if part in kind.model_fields
            for record in _records_in(kind.model_fields[str(part)].annotation)
        ]
        tagged = [kind for kind in kinds if "kind" in kind.model_fields and kind.model_fields["kind"].default == part]
        kinds = tagged or inner or kinds
    return kinds


def _records_in(annotation: Any) -> Iterable[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _records_in(part)


_BLOCKS = ("screen", "stage", "loop")
_QUESTIONS = ("choice", "multiple_choice", "rating", "matrix", "slider", "number", "text", "ranking")
_KINDS = {"flow": _BLOCKS, "blocks": _BLOCKS, "questions": _QUESTIONS, "asks": _QUESTIONS}
"""Fields that hold records of several kinds, and the kinds."""
_CHOICES = ("analysis", "if_holds", "if_fails")
"""Fields that hold an analysis or a check; validation names which of the two after the field."""

_WANTED = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "a table of named values",
    "finite_number": "a finite number",
    "float_parsing": "a number",
    "float_type": "a number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_attributes_type": "a table of named fields",
    "model_type": "a table of named fields",
    "string_pattern_mismatch": "a name: letters, digits, '_', '-' and '.', a letter first",
    "string_type": "text in quotes",
    "tuple_type": "a list",
}
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
    "string_too_long": ("max_length", "text no longer than"),
}


class _Fault(NamedTuple):
    location: str
    value: str
    wanted: str


def sentences_from_validation(error: ValidationError, kind: type[BaseModel] | None = None) -> list[str]:
    """Return one sentence for each fault of a validation error; with the kind of record, suggest correct field names."""
    sentences: list[str] = []
    alternatives: dict[tuple[str, str], list[str]] = {}
    for detail in _own_faults(error):
        fault = _wrong_value(detail)
        if fault is None:
            sentences.append(_sentence(detail, kind))
            continue
        key = (fault.location, fault.value)
        if key not in alternatives:
            sentences.append("")
        alternatives.setdefault(key, []).append(fault.wanted)
    written = iter(
        f"{location} is {value}, but must be {' or '.join(dict.fromkeys(wanted))}."
        for (location, value), wanted in alternatives.items()
    )
    return [sentence or next(written) for sentence in sentences]


def _own_faults(error: ValidationError) -> list[ErrorDetails]:
    """Leave out lists that are too short only because validation did not count their faulty entries."""
    details = error.errors(include_url=False)
    inside = {detail["loc"][:k] for detail in details for k in range(len(detail["loc"]))}
    return [detail for detail in details if detail["type"] != "too_short" or detail["loc"] not in inside]


def _wrong_value(detail: ErrorDetails) -> _Fault | None:
    """Read a fault of one value; a field that takes several forms has one for each, at the same place."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        limit = context[name]
        wanted = f"{words} {limit:,}" if isinstance(limit, int) and limit >= 10_000 else f"{words} {limit:g}"
    elif kind == "literal_error":
        wanted = str(context["expected"])
    elif kind in _WANTED:
        wanted = _WANTED[kind]
    else:
        return None
    return _Fault(_place(detail["loc"]) or "The file", _short(detail.get("input")), wanted)


def _sentence(detail: ErrorDetails, kind: type[BaseModel] | None) -> str:
    loc, context = detail["loc"], detail.get("ctx", {})
    where = _place(loc) or "The file"
    match detail["type"]:
        case "missing":
            return f"{where} is missing; add it."
        case "extra_forbidden":
            advice = advice_on_field(kind, loc) if kind else "remove it or check its spelling."
            return f"{where} is not a field that exists here; {advice}"
        case "value_error":
            message = str(detail["msg"]).removeprefix("Value error, ")
            return f"{where}: {message}" if loc else message
        case "union_tag_not_found":
            kinds = next((_KINDS[part] for part in reversed(loc) if part in _KINDS), ())
            return f"{where}.kind is missing; " + (f"add one of {', '.join(kinds)}." if kinds else "add it.")
        case "union_tag_invalid":
            allowed = str(context["expected_tags"]).replace("'", "")
            return f"{where}.kind is {_short(context['tag'])}, but must be one of {allowed}."
        case "too_short":
            return f"{where} has {_entries(context['actual_length'])}, but needs at least {context['min_length']}."
        case "too_long":
            return f"{where} has {_entries(context['actual_length'])}, but may have at most {context['max_length']}."
    message = str(detail["msg"])
    return f"{where} is {_short(detail.get('input'))}: {message[0].lower()}{message[1:]}."


def _place(loc: tuple[int | str, ...]) -> str:
    """Write a location as the file does, entries counted from 1, without the parts that only validation adds."""
    text = ""
    for k, part in enumerate(loc):
        before = loc[k - 1] if k else None
        if isinstance(part, int):
            text += f"[{part + 1}]"
        elif not (_is_kind(before, part, is_last=k == len(loc) - 1) or _is_form(part)):
            text += f".{part}" if text else part
    return text


def _is_kind(before: int | str | None, part: str, *, is_last: bool) -> bool:
    if isinstance(before, int):
        return not is_last and part in (*_BLOCKS, *_QUESTIONS)
    return before in _CHOICES and part in ("analysis", "check")


def _is_form(part: str) -> bool:
    """Tell whether a part names one of the forms a value may take, such as `str` or `tuple[str, ...]`."""
    return part in ("str", "int", "float", "bool") or part.startswith("constrained-") or "[" in part


def _entries(n: int) -> str:
    return "1 entry" if n == 1 else f"{n} entries"


def _short(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
