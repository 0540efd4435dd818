"""oTree, the peer: installed into an environment of its own, and started with an app that does what our study does."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from peer_folder import NoPeer
from peer_venv import FOLDER, installed_program, run

VERSION = "6.0.15"
_DRIVER = "psycopg2-binary==2.9.10"
_HERE = Path(__file__).parent
_PLACE = FOLDER / f"otree-{VERSION}"
_APP = _HERE / "peers" / "otree"


class OtreeProject(NamedTuple):
    """A copy of the app in a folder of its own, and the program that serves it."""

    folder: Path
    program: Path

    def words(self, port: int) -> list[str]:
        """Return the command line of the web process of oTree's production server."""
        return [str(self.program), "prodserver1of2", f"127.0.0.1:{port}"]

    def environment(self, rest_key: str) -> dict[str, str]:
        """Return the environment the server needs."""
        paths = os.pathsep.join([str(self.program.parent), os.environ.get("PATH", "")])
        return os.environ | {"PATH": paths, "OTREE_PRODUCTION": "1", "OTREE_REST_KEY": rest_key, "PYTHONPATH": ""}

    def reset(self, environment: Mapping[str, str]) -> None:
        """Make the tables in the database that the environment names."""
        words = [str(self.program), "resetdb", "--noinput"]
        done = subprocess.run(
            words, cwd=self.folder, env=dict(environment), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise NoPeer(f"oTree cannot use the database: {done.stderr.strip().rpartition(chr(10))[2]}")


def otree_project(folder: Path, *, on_postgres: bool = False) -> OtreeProject:
    """Copy the app into a folder, next to which its database will lie unless it is on PostgreSQL."""
    program = installed_program("otree", VERSION, "otree")
    if on_postgres and not (_PLACE / "ready-postgres").exists():
        run([str(_PLACE / "bin" / "pip"), "install", "--quiet", _DRIVER], "otree")
        (_PLACE / "ready-postgres").touch()
    shutil.copytree(_APP, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "_static").mkdir()
    return OtreeProject(folder, program)
