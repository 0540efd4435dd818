"""Turns what validation finds into plain sentences: what was found, what is allowed, what to do."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails


def sentences_from_validation(error: ValidationError) -> list[str]:
    """Return one sentence for each fault of a validation error."""
    return [_sentence(detail) for detail in error.errors(include_url=False)]


def _sentence(detail: ErrorDetails) -> str:
    where = _place(detail["loc"])
    found = detail.get("input")
    match detail["type"]:
        case "missing":
            return f"{where} is missing; add it."
        case "extra_forbidden":
            return f"{where} is not a field that exists here; remove it or check its spelling."
        case "value_error":
            return f"{where}: {str(detail['msg']).removeprefix('Value error, ')}"
        case "union_tag_invalid" | "union_tag_not_found":
            expected = detail.get("ctx", {}).get("expected_tags", "see the documentation")
            return f"{where} needs a 'kind' that is one of {expected}; found {_short(_tag(found))}."
        case "literal_error":
            return f"{where} is {_short(found)}, but must be {detail.get('ctx', {}).get('expected')}."
        case "string_pattern_mismatch":
            return f"{where} is {_short(found)}, but a name has letters, digits, '_', '-' and '.', a letter first."
        case "too_short":
            return f"{where} has too few entries; at least {detail.get('ctx', {}).get('min_length')} are needed."
    message = str(detail["msg"])
    return f"{where} is {_short(found)}: {message[0].lower()}{message[1:]}."


def _place(loc: tuple[int | str, ...]) -> str:
    text = ""
    for part in loc:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        elif part not in ("screen", "stage", "loop", "analysis"):
            text += f".{part}" if text else part
    return text or "The file"


def _tag(found: object) -> object:
    return found.get("kind", "none") if isinstance(found, dict) else found


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
