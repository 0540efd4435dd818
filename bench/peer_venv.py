"""Peers that are programs: each in an environment of its own, with everything it pulls in."""

import shutil
import subprocess
import sys
from pathlib import Path

from peer_folder import NoPeer

FOLDER = Path(__file__).parents[1] / ".bench"


def installed_program(package: str, version: str, program: str) -> Path:
    """Return a program of a package, after installing it once."""
    place = FOLDER / f"{package}-{version}"
    is_ready = place / "ready"
    if not is_ready.exists():
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(exist_ok=True)
        run([sys.executable, "-m", "venv", str(place)], package)
        run([str(place / "bin" / "pip"), "install", "--quiet", f"{package}=={version}"], package)
        is_ready.touch()
    return place / "bin" / program


def run(words: list[str], package: str) -> None:
    """Run a step of an installation, or say why the peer cannot be had."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NoPeer(f"{words[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        complaints = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines()
        raise NoPeer(f"{package} cannot be installed: {complaints[-1] if complaints else 'no reason given'}")
