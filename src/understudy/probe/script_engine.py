"""Runs the picture's script without a browser, in an embedded engine."""

import json
import re

import quickjs

from understudy.errors import UnderstudyError


def script_value(script: str, expression: str) -> str:
    """Run a script and return the text that an expression gives after it."""
    # A long text is a chain of pieces inside the engine and cannot leave it; written as JSON it is one piece.
    try:
        written = quickjs.Context().eval(f"{script}\nJSON.stringify({expression})")
    except quickjs.JSException as error:
        raise UnderstudyError(f"The picture could not be drawn: {_fault(str(error))}.") from None
    value = json.loads(str(written))
    if not isinstance(value, str):
        raise UnderstudyError("The picture could not be drawn: its script gave no text.")
    return value


def _fault(text: str) -> str:
    """Return what an error says, without the script around it."""
    match = re.search(r"^(?:\w*Error): (.{1,300})$", text, re.MULTILINE)
    return (match[1] if match else "its script failed without a reason").rstrip(".")
