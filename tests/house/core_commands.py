"""The process of the core installation: packages of extras cannot be imported; a study goes through its commands."""

import json
import sys
import tomllib
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from types import ModuleType

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
POWER = ("power", "loan-demo", "--on", "explanation=shown", "--n", "12", "--simulations", "2", "--figure")
SENTENCES = {
    "a figure as PNG": (*POWER, "curves.png"),
    "a foreign table": ("analyze", "foreign.parquet", "--plan", "plan.toml"),
}
"""Commands that need an extra, and say so."""
WORK = (
    ("demo", "--once", "--out", "demo"),
    ("check", "loan-demo"),
    ("new", "own.toml", "--like", "loan-demo"),
    ("prepare", "own.toml", "--out", "served"),
    ("preregister", "own.toml", "--out", "form.md"),
    ("rehearse", "own.toml", "--people", "20", "--seed", "2", "--out", "run"),
    (*POWER, "curves.svg"),
    ("status", "run"),
    ("rehearse", "kim2022-demo", "--people", "4", "--seed", "1", "--out", "pictures"),
    ("check", "hase2020-tabular"),
    ("check", "ross2021-synthetic"),
    ("report", "run", "--figures", "figures"),
    ("export", "run", "--out", "archive.zip"),
    ("export", "served", "--static", "site", "--reveal-answers"),
    ("analyze", "rows.csv", "--plan", "plan.toml", "--report", "analysis.html"),
)
"""What an installation without extras does."""


class CoreFinder:
    """Finds modules on the path, except those of packages that are not part of the core."""

    find_distributions = staticmethod(PathFinder.find_distributions)

    def __init__(self, missing: set[str]) -> None:
        self._missing = missing

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        is_missing = name.split(".", maxsplit=1)[0] in self._missing
        return None if is_missing else PathFinder.find_spec(name, path, target)


def core_packages() -> set[str]:
    """Return the packages that pip installs with understudy, their own needs included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: set[str] = set()
    waiting = list(project["dependencies"])
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if name not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += requires(name) or []
    return found


def modules_beyond_the_core() -> set[str]:
    """Return the modules of all installed packages that the core does not need."""
    core = core_packages() | {"understudy"}
    return {
        module
        for module, packages in packages_distributions().items()
        if not core & {canonicalize_name(package) for package in packages}
    }


if __name__ == "__main__":
    missing = modules_beyond_the_core()
    sys.meta_path[:] = [CoreFinder(missing) if finder is PathFinder else finder for finder in sys.meta_path]
    from tests.shell import understudy

    told = {" ".join(words): understudy(*words) for words in (*WORK, *SENTENCES.values())}
    sys.stdout.write(json.dumps({"missing": sorted(missing), "told": told}))
