"""Names that must be unique, and names that must exist."""

from collections import Counter
from collections.abc import Iterable, Iterator


def repeated(what: str, names: Iterable[str]) -> Iterator[str]:
    """Yield a fault for each name that is used more than once."""
    for name, n in Counter(names).items():
        if n > 1:
            yield f"{what} {name!r} is declared {n} times; give each its own name."


def listed(names: Iterable[str]) -> str:
    """Write names for a sentence."""
    return ", ".join(names) or "none"


def unknown(what: str, name: str, known: Iterable[str], *, where: str) -> str:
    """Say that a name is unknown, and list the known ones."""
    return f"{where} names {name!r}, which is not a known {what}. Known: {listed(known)}."
