"""Where no effect lies on the axis of an estimate, as its name says."""

import math
import re

_AT = {"odds ratio": 1.0, "common-language": 0.5}
_NOWHERE = frozenset({"mean", "proportion", "log odds"})
_AGAINST = re.compile(r"\(against (a share of )?(\S+)\)$")


def no_effect_at(name: str) -> float | None:
    """Return the value that means no effect; none for an estimate that is held against nothing.

    >>> no_effect_at("log odds ratio (map - none)"), no_effect_at("odds ratio"), no_effect_at("mean (against 0.5)")
    (0.0, 1.0, 0.5)
    """
    if name in _NOWHERE:
        return None
    match = _AGAINST.search(name)
    if match is None:
        return _AT.get(name, 0.0)
    value = float(match[2])
    return math.log(value / (1 - value)) if match[1] else value
