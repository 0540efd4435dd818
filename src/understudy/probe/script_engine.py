"""Run the picture's script in an embedded JavaScript engine, without a browser."""

import json
import re

import quickjs

from understudy.errors import UnderstudyError


def script_value(script: str, expression: str) -> str:
    """Run a script, then evaluate an expression and return its text."""
    # QuickJS keeps a long string as a rope and cannot return it; JSON.stringify flattens it.
    try:
        written = quickjs.Context().eval(f"{script}\nJSON.stringify({expression})")
    except quickjs.JSException as error:
        raise UnderstudyError(f"The picture could not be drawn: {_fault(str(error))}.") from None
    value = json.loads(str(written))
    if not isinstance(value, str):
        raise UnderstudyError("The picture could not be drawn: its script gave no text.")
    return value


def _fault(text: str) -> str:
    """Return the message of an error, without the script around it."""
    match = re.search(r"^(?:\w*Error): (.{1,300})$", text, re.MULTILINE)
    return (match[1] if match else "its script failed without a reason").rstrip(".")
