"""rich, imported when something is first drawn in the terminal."""

from typing import TYPE_CHECKING

from understudy.deferred import Deferred

if TYPE_CHECKING:
    from rich import console, progress
else:
    console, progress = Deferred("rich.console"), Deferred("rich.progress")

__all__ = ["console", "progress"]
