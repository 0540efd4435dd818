"""Names of files and folders that nothing has yet, for hints that work as they are written."""

from itertools import count
from pathlib import Path


def free_path(path: Path) -> Path:
    """Return a path, or the same with the first number after its name that is free."""
    numbered = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return path if not path.exists() else next(other for other in numbered if not other.exists())
