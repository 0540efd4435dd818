"""Drawing: figures as SVG, PNG and PDF by the front end's own scripts, without a browser."""

import json
import re
from pathlib import Path
from threading import local
from typing import Any, Literal, NamedTuple

import quickjs

from understudy.errors import MaterialsError, UnderstudyError, optional


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
            _finish_jobs(self._context)
            # QuickJS keeps a long string as a rope and cannot return it; JSON.stringify flattens it.
            written = self._context.eval("JSON.stringify(value)")
        except quickjs.JSException as error:
            raise UnderstudyError(f"The picture could not be drawn: {_fault(str(error))}.") from None
        return None if written is None else json.loads(str(written))


class ModuleTrial(NamedTuple):
    """What a module did when it was loaded without a browser."""

    fault: str | None
    """Why it could not be loaded: the first line of its error, or the limit that it met."""
    found: object = None
    """The value of the expression that looked at it."""


def module_trial(
    prelude: str, module: str, expression: str, given: object, *, most_s: int, most_bytes: int
) -> ModuleTrial:
    """Run a script and then a JavaScript module within limits, and look at the module's exports, called `module`."""
    context = quickjs.Context()
    context.set_time_limit(most_s)
    context.set_memory_limit(most_bytes)
    try:
        context.eval(prelude)
        context.set("loading", context.module(module))
        context.eval(
            "var fault = 'it never finishes loading'; loading.then(() => (fault = null), e => (fault = String(e)))"
        )
        _finish_jobs(context)
        fault = context.eval("fault")
        if fault is None:
            # The engine gives a module no name but this one, and shows its exports only to another module.
            context.module('import * as module from "<input>"; globalThis.module = module;')
            context.set("given", json.dumps(given))
            context.eval(f"var looked = (given => {expression})(JSON.parse(given))")
            _finish_jobs(context)
            return ModuleTrial(None, json.loads(str(context.eval("JSON.stringify(looked)"))))
    except quickjs.JSException as error:
        fault = str(error)
    said = str(fault).strip().partition("\n")[0]
    if "interrupted" in said:
        said = f"it runs for more than {most_s} seconds"
    elif "out of memory" in said:
        said = f"it takes more than {most_bytes // 2**20} MB"
    return ModuleTrial(said.rstrip("."))


def _finish_jobs(context: quickjs.Context) -> None:
    while context.execute_pending_job():
        pass


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


# Built files of the front end that Python reads: scripts, a style sheet and a notebook module.

_WEB = Path(__file__).resolve().parent / "_web"


def web_file(name: Literal["figures.js", "probe.js", "probe.css", "probe_widget.js"], *, web: Path = _WEB) -> str:
    """Return the text of a built file, or raise an error that says how to build it."""
    try:
        return (web / name).read_text(encoding="utf-8")
    except OSError:
        raise MaterialsError(f"The front end is not built: {web} has no {name}. Run: make web") from None


# Draw Vega-Lite specifications as SVG without a browser, a network or the fonts of this computer.
#
# The front end's Vega runs in an embedded engine. Text is measured by a fixed table, so that the same figure is the same
# bytes on every computer.

_OF_THREAD = local()


def svg_from_spec(spec: dict[str, Any]) -> str:
    """Return a figure as SVG."""
    # Loading Vega takes a quarter of a second, and an engine belongs to its thread.
    if not hasattr(_OF_THREAD, "engine"):
        _OF_THREAD.engine = ScriptEngine(web_file("figures.js"))
    drawn = _OF_THREAD.engine.value("understudyFigures.draw(given)", spec)
    if "svg" not in drawn:
        raise UnderstudyError(f"The figure could not be drawn: {drawn.get('fault', 'its script gave no picture')}.")
    return str(drawn["svg"])


# SVG as PNG and PDF, by an optional library that brings its own fonts and renderer.

_DOTS_PER_UNIT = 2.0
"""Pixels of a PNG per unit of the drawing."""


def png_from_svg(svg: str) -> bytes:
    """Return a picture as PNG."""
    return bytes(_converter().svg_to_png(svg, scale=_DOTS_PER_UNIT))


def pdf_from_svg(svg: str) -> bytes:
    """Return a picture as PDF, as vectors and text."""
    return bytes(_converter().svg_to_pdf(svg))


def _converter() -> Any:
    return optional("vl_convert", extra="figures")
