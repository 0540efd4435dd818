"""Faults that a study file has besides those of its form: found by leaving out what has the wrong form."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ValidationError

from understudy.schema import Study
from understudy.workflow.checking.check import declared_faults

Steps: TypeAlias = Sequence[str | int]
MORE_MAY_FOLLOW = "More faults may appear once these are fixed."


def further_faults(plain: Mapping[str, Any], error: ValidationError, root: Path) -> list[str]:
    """Return the faults of the rest of a study, or a sentence that says that it could not be checked."""
    rest = deepcopy(dict(plain))
    faults = error.errors()
    if any(fault["type"] == "value_error" for fault in faults):
        # Without a rule that cannot be read, its exclusion would be blamed for having none.
        return [MORE_MAY_FOLLOW]
    missing = [fault["loc"] for fault in faults if fault["type"] == "missing"]
    for fault in faults:
        if fault["type"] != "missing":
            _leave_out(rest, fault["loc"], missing)
    try:
        study = Study.model_validate_json(json.dumps(rest, default=str), strict=True)
    except ValidationError:
        # What is wrong has no default, so nothing can be said about the study without it.
        return [MORE_MAY_FOLLOW]
    return declared_faults(study, root)


def _leave_out(plain: Any, path: Steps, missing: Sequence[Steps]) -> None:
    """Delete the value at the end of a path; a misspelt field becomes the one that is missing next to it."""
    holder, last = None, ""
    for step in path:
        # Steps that name kinds of records are not in the file.
        if isinstance(plain, dict) and step in plain:
            holder, last, plain = plain, str(step), plain[step]
        elif isinstance(plain, list) and isinstance(step, int) and step < len(plain):
            holder, plain = None, plain[step]
    if holder is None:
        return
    value = holder.pop(last)
    nearby = [str(other[-1]) for other in missing if other[:-1] == path[:-1]]
    for name in get_close_matches(last, nearby, n=1):
        holder[name] = value
