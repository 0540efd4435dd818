"""lime and anchor-exp, the peers: installed into a folder of their own, without what they would pull in."""

import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

LIME, ANCHOR = "0.2.0.1", "0.0.2.0"
_PLACE = Path(__file__).parents[1] / ".bench" / f"lime-{LIME}-anchor-exp-{ANCHOR}"


class NoPeer(Exception):
    """The peers cannot be had on this machine, and why."""


def peer_module(name: str) -> ModuleType:
    """Import a module of lime or anchor, after installing both once; NumPy, SciPy and scikit-learn are ours."""
    is_ready = _PLACE / "ready"
    if not is_ready.exists():
        shutil.rmtree(_PLACE, ignore_errors=True)
        _PLACE.mkdir(parents=True)
        wanted = [f"lime=={LIME}", f"anchor-exp=={ANCHOR}"]
        words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(_PLACE), *wanted]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            complaints = [line for line in done.stderr.splitlines() if "ERROR" in line] or ["no reason given"]
            raise NoPeer(f"lime and anchor-exp cannot be installed: {complaints[-1]}")
        is_ready.touch()
    if str(_PLACE) not in sys.path:
        sys.path.append(str(_PLACE))
    try:
        return import_module(name)
    except ImportError as error:
        raise NoPeer(f"{name} cannot be imported: {error}") from None
