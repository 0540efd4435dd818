"""The ready studies of all protocols, by name; a protocol is imported when one of its studies is asked for."""

from collections.abc import Callable
from importlib import import_module

from understudy.errors import UnknownName, nearest
from understudy.schema import Study

_PROTOCOLS = {
    "hase2020": "hase2020.ready",
    "kim2022": "kim2022.ready",
    "loan": "loan_demo",
    "ross2021": "ross2021.ready",
    "simulatability": "hase2020.ready",
    "sixt2022": "sixt2022.ready",
}
"""The module whose `ready_studies` has the studies, by the first word of their names."""


def ready_names() -> tuple[str, ...]:
    """Return the names of the ready studies."""
    return tuple(sorted({name for module in set(_PROTOCOLS.values()) for name in _ready_in(module)}))


def ready_study(name: str) -> Study:
    """Build a ready study by its name."""
    module = _PROTOCOLS.get(name.partition("-")[0])
    builder = _ready_in(module).get(name) if module else None
    if builder is None:
        known = ready_names()
        near = nearest(name, known)
        choice = f"{near} Otherwise, give" if near else f" Choose from: {', '.join(known)}; or give"
        raise UnknownName(f"{name!r} is not a ready study.{choice} a study file, which ends in .toml or .yaml.")
    return builder()


def _ready_in(module: str) -> dict[str, Callable[[], Study]]:
    studies: dict[str, Callable[[], Study]] = import_module(f"understudy.protocols.{module}").ready_studies()
    return studies
