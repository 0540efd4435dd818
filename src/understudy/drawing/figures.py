"""Draw Vega-Lite specifications as SVG without a browser, a network or the fonts of this computer.

The front end's Vega runs in an embedded engine. Text is measured by a fixed table, so that the same figure is the same
bytes on every computer.
"""

from threading import local
from typing import Any

from understudy.drawing.script_engine import ScriptEngine
from understudy.drawing.web_files import web_file
from understudy.errors import UnderstudyError

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
