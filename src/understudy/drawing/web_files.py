"""Built files of the front end that Python reads: scripts, a style sheet and a notebook module."""

from pathlib import Path
from typing import Literal

from understudy.errors import MaterialsError

_WEB = Path(__file__).resolve().parent.parent / "_web"


def web_file(name: Literal["figures.js", "probe.js", "probe.css", "probe_widget.js"], *, web: Path = _WEB) -> str:
    """Return the text of a built file, or raise an error that says how to build it."""
    try:
        return (web / name).read_text(encoding="utf-8")
    except OSError:
        raise MaterialsError(f"The front end is not built: {web} has no {name}. Run: make web") from None
