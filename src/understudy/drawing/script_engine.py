"""Run scripts in an embedded JavaScript engine, without a browser."""

import json
import re

import quickjs

from understudy.errors import UnderstudyError


class ScriptEngine:
    """An engine that has run one script. It belongs to the thread that made it."""

    def __init__(self, script: str) -> None:
        self._context = quickjs.Context()
        self._context.eval(script)

    def value(self, expression: str, given: object = None) -> object:
        """Evaluate an expression, in which `given` is a value from Python, and return its plain value.

        Work that the expression left waiting, such as promises, is done before its value is read.
        """
        try:
            self._context.set("given", json.dumps(given, allow_nan=False))
            self._context.eval(f"var value = (given => {expression})(JSON.parse(given))")
            while self._context.execute_pending_job():
                pass
            # QuickJS keeps a long string as a rope and cannot return it; JSON.stringify flattens it.
            written = self._context.eval("JSON.stringify(value)")
        except quickjs.JSException as error:
            raise UnderstudyError(f"The picture could not be drawn: {_fault(str(error))}.") from None
        return None if written is None else json.loads(str(written))


def script_value(script: str, expression: str, given: object = None) -> str:
    """Run a script, then evaluate an expression and return its text."""
    value = ScriptEngine(script).value(expression, given)
    if not isinstance(value, str):
        raise UnderstudyError("The picture could not be drawn: its script gave no text.")
    return value


def _fault(text: str) -> str:
    """Return the message of an error, without the script around it."""
    match = re.search(r"^(?:\w*Error): (.{1,300})$", text, re.MULTILINE)
    return (match[1] if match else "its script failed without a reason").rstrip(".")
