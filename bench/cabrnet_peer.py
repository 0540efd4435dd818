"""cabrnet, the peer of prototype maps: installed into a folder of its own, without what it would pull in."""

import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

CABRNET = "1.2"
_WANTED = (f"cabrnet=={CABRNET}", "loguru", "opencv-python-headless")
_PLACE = Path(__file__).parents[1] / ".bench" / f"cabrnet-{CABRNET}"


class NoPeer(Exception):
    """The peer cannot be had on this machine, and why."""


def cabrnet_module(name: str) -> ModuleType:
    """Import a module of cabrnet, after installing it once; torch, NumPy and SciPy are ours.

    Installed without its dependencies, because it pins older releases of onnx, onnxruntime and scikit-learn than ours.
    """
    is_ready = _PLACE / "ready"
    if not is_ready.exists():
        shutil.rmtree(_PLACE, ignore_errors=True)
        _PLACE.mkdir(parents=True)
        words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(_PLACE), *_WANTED]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            complaints = [line for line in done.stderr.splitlines() if "ERROR" in line] or ["no reason given"]
            raise NoPeer(f"cabrnet cannot be installed: {complaints[-1]}")
        is_ready.touch()
    if str(_PLACE) not in sys.path:
        sys.path.append(str(_PLACE))
    try:
        return import_module(name)
    except ImportError as error:
        raise NoPeer(f"{name} cannot be imported: {error}") from None
