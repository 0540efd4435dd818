"""Named worlds: those that come with the package."""

from collections.abc import Callable

from understudy.errors import UnknownName
from understudy.sources.worlds.sixt2022_world import AS_IN_CODE, sixt2022
from understudy.sources.worlds.world import World

_WORLDS: dict[str, Callable[[], World]] = {
    "sixt2022": sixt2022,
    "sixt2022-code": lambda: sixt2022(AS_IN_CODE),
}


def world_names() -> tuple[str, ...]:
    """Return the names of all worlds that come with the package."""
    return tuple(sorted(_WORLDS))


def world_named(name: str) -> World:
    """Return a world that comes with the package."""
    if name not in _WORLDS:
        raise UnknownName(f"{name!r} is not a world. Choose from: {', '.join(world_names())}; or give a TOML file.")
    return _WORLDS[name]()
