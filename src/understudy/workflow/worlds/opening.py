"""Worlds as a user names them: one of ours, a TOML file, or a Python file that makes one."""

import runpy
from pathlib import Path

from understudy.errors import MaterialsError, UnderstudyError
from understudy.inference.onnx_session import reason_of
from understudy.sources.worlds import World, checked, world_from_toml, world_named

USUAL_NAME = "world"


def world_from_source(source: str) -> World:
    """Return a checked world by its name, by a .toml file, or by a .py file with `world`, or FILE.py:NAME."""
    path, _, name = source.partition(":")
    if path.endswith(".py"):
        return _from_python(Path(path), name or USUAL_NAME)
    return world_from_toml(Path(source)) if source.endswith(".toml") else world_named(source)


def _from_python(path: Path, name: str) -> World:
    if not path.is_file():
        raise MaterialsError(f"{str(path)!r} is not a file. Correct the path.")
    try:
        found = runpy.run_path(str(path))
    except UnderstudyError:
        raise
    except Exception as error:  # a file of somebody else may raise anything
        raise MaterialsError(f"{str(path)!r} cannot be run: {reason_of(error)}. Correct the file.") from None
    world = found.get(name)
    if not isinstance(world, World):
        known = [key for key, value in found.items() if isinstance(value, World)]
        raise MaterialsError(
            f"{str(path)!r} has no world {name!r}. "
            + (f"Give {path}:{known[0]}." if known else f"Assign one: {name} = World(...).")
        )
    return checked(world)
