"""What a server has to know of runs besides its own: a pilot, earlier people, an earlier part."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class OtherRuns(NamedTuple):
    """How the served runs are connected with others; by default only with their own pilots."""

    is_pilot: bool = False
    """Whether the pilots of the folders are served, and not their studies."""
    pilot_places: int | None = None
    not_again: Sequence[Path] = ()
    """Runs whose people may not take part."""
    earlier_parts: Sequence[Path] = ()
    """Earlier parts of longitudinal studies that this server does not serve."""
