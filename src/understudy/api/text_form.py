"""What the command line prints, as text: the form that `print` and plain consoles show of a result."""

import io
from collections.abc import Callable

from rich.console import Console

WIDTH = 110
"""Characters in a line of the text form."""


def printed(write: Callable[[Console], None]) -> str:
    """Return what a function prints to a console."""
    written = io.StringIO()
    # In a notebook, a console would otherwise show each piece in the cell and leave the text empty.
    write(Console(file=written, width=WIDTH, color_system=None, force_jupyter=False))
    return written.getvalue()
