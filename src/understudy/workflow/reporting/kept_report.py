"""Keep a report until the log, the plan or the software changes, and say how far a new one has got.

This is not part of `reporting`, because a server looks for kept reports and must not load statistics.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from understudy.record import Log
from understudy.schema import canonical_json
from understudy.workflow.reporting.software import software_versions

OnProgress: TypeAlias = Callable[["Progress"], None]
"""Is told how far a report has got."""

_PACKAGE = Path(__file__).resolve().parent.parent


class Progress(NamedTuple):
    """How far a report has got."""

    stage: str
    """What is being done, such as "Reading sessions"."""
    n_done: int
    n: int

    @property
    def words(self) -> str:
        """What is being done and how far it is, as a sentence."""
        return f"{self.stage}: {self.n_done:,} of {self.n:,}."


def report_state(log: Log, study_name: str, study_digest: str, preregistration: Path | None = None) -> str:
    """Return a digest of everything that a report follows from: the same state gives the same report."""
    parts: list[JsonValue] = [
        log.state(study_name),
        study_digest,
        # One that is not there is refused when it is read.
        preregistration.read_text(encoding="utf-8") if preregistration and preregistration.exists() else None,
        {**software_versions()},
        _sources(),
    ]
    return hashlib.sha256(canonical_json(parts).encode()).hexdigest()


def is_kept(page: Path, state: str) -> bool:
    """Tell whether a page was written in this state."""
    path = _state_path(page)
    return page.exists() and path.exists() and path.read_text(encoding="utf-8").strip() == state


def keep(page: Path, state: str) -> None:
    """Note in which state a page was written."""
    _state_path(page).write_text(f"{state}\n", encoding="utf-8")


def write_progress(path: Path, progress: Progress) -> None:
    """Write how far a report has got, for another process to read."""
    # Replaced as a whole, so that a reader never meets half a file.
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(progress), encoding="utf-8")
    draft.replace(path)


def read_progress(path: Path) -> Progress | None:
    """Read how far a report has got; None if it has not said so yet."""
    try:
        stage, n_done, n = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return Progress(str(stage), int(n_done), int(n))


def _state_path(page: Path) -> Path:
    return page.with_suffix(".state")


def _sources() -> int:
    """Return when this package's code last changed, since a version in development keeps its number."""
    return max(path.stat().st_mtime_ns for path in _PACKAGE.rglob("*.py"))
