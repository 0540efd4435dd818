"""Studies: ready ones, written with the public API like anybody else's."""

from collections.abc import Callable

from understudy.errors import UnknownName
from understudy.schema import Study
from understudy.studies.loan_demo import loan_demo

__all__ = ["loan_demo", "ready_names", "ready_study"]

_READY: dict[str, Callable[[], Study]] = {"loan-demo": loan_demo}


def ready_names() -> tuple[str, ...]:
    """Return the names of the ready studies."""
    return tuple(sorted(_READY))


def ready_study(name: str) -> Study:
    """Build a ready study by its name."""
    if name not in _READY:
        raise UnknownName(
            f"{name!r} is not a ready study. Known are: {', '.join(ready_names())}; or give a study file."
        )
    return _READY[name]()
