"""Check a study from Python: what `understudy check` finds, as an object."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from understudy.api.progress import progress
from understudy.api.studies import StudyLike, located
from understudy.errors import UnderstudyError
from understudy.prepare import Explaining, prepare
from understudy.prepare.shortcuts.audit import audited
from understudy.prepare.shortcuts.sentences import audit_sentences
from understudy.schema import seed_from
from understudy.schema.notebook import table_html, titled_html
from understudy.workflow.checking.check import N_TRIED, declared_faults, unanswerable, warnings_of


@dataclass(frozen=True, repr=False)
class Checked:
    """What a check found.

    Examples
    --------
    >>> Checked("my-study", faults=("It has no hypothesis.",)).is_sound
    False
    """

    study_name: str
    faults: tuple[str, ...]
    """Why the study cannot run or cannot answer its question; empty for a sound study."""
    shortcuts: tuple[str, ...] = ()
    """How well simple rules answer the study without understanding."""
    warnings: tuple[str, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether the study can run as it is."""
        return not self.faults

    def __str__(self) -> str:
        """Say what was found, one sentence a line."""
        first = f"{self.study_name} is valid." if self.is_sound else f"{self.study_name} has {len(self.faults)} faults:"
        return "\n".join([first, *self.faults, *self.shortcuts, *(f"Warning: {text}" for text in self.warnings)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            *(("fault", text) for text in self.faults),
            *(("shortcuts", text.removeprefix("Shortcuts: ").strip()) for text in self.shortcuts),
            *(("warning", text) for text in self.warnings),
        ]
        words = "valid" if self.is_sound else "not valid"
        return titled_html(f"{self.study_name}: {words}", table_html(("", ""), rows))


def check(study: StudyLike, *, root: str | Path | None = None) -> Checked:
    """Find every mistake in a study, and rules that answer it without understanding.

    `root` is the folder that file paths in the study are relative to: by default that of its file, or the current one.

    Examples
    --------
    >>> check("loan-demo").is_sound
    True
    """
    known, folder = located(study)
    place = folder if root is None else Path(root)
    faults = declared_faults(known, place)
    if faults:
        return Checked(known.name, tuple(faults))
    try:
        with progress("Checking", None) as advance:
            prepared = prepare(known, place, Explaining(n_tried=N_TRIED, on_progress=advance))
    except UnderstudyError as error:
        return Checked(known.name, (str(error),))
    rng = np.random.default_rng(seed_from(known.seed, "shortcuts"))
    return Checked(
        known.name,
        faults=tuple(unanswerable(prepared)),
        shortcuts=tuple(audit_sentences(audited(prepared, rng))),
        warnings=tuple(text for texts in warnings_of(prepared).values() for text in texts),
    )
