"""Peers installed into a folder of their own, without what they would pull in: they pin older releases than ours."""

import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple


class NoPeer(Exception):
    """The peer cannot be had on this machine, and why."""


class PeerFolder(NamedTuple):
    """Packages that are installed once, next to ours."""

    name: str
    """Of the folder, with the releases in it."""
    packages: tuple[str, ...]

    def module(self, name: str) -> ModuleType:
        """Import a module of the peers, after installing them once."""
        place = Path(__file__).parents[1] / ".bench" / self.name
        if not (place / "ready").exists():
            self._install(place)
        if str(place) not in sys.path:
            sys.path.append(str(place))
        try:
            return import_module(name)
        except ImportError as error:
            raise NoPeer(f"{name} cannot be imported: {error}") from None

    def _install(self, place: Path) -> None:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(place), *self.packages]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            complaints = [line for line in done.stderr.splitlines() if "ERROR" in line] or ["no reason given"]
            raise NoPeer(f"{self.name} cannot be installed: {complaints[-1]}")
        (place / "ready").touch()
