"""Studies from files, names and text, and back; what is wrong with them; the version."""

import tomllib
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from understudy.actions import study_files
from understudy.actions.study_files import read_study, study_from_plain, write_study
from understudy.api.progress import progress
from understudy.check.shortcuts import audit_sentences, audited
from understudy.check.study_check import N_TRIED, declared_faults, unanswerable, warnings_of
from understudy.errors import StudyError, UnderstudyError
from understudy.prepare import Explaining, prepare
from understudy.protocols.ready import ready_names, ready_study
from understudy.schema import Study, seed_from
from understudy.schema.readable import table_html, titled_html

StudyLike: TypeAlias = Annotated[
    Study | str | Path, "a study, the path of a study file or the name of a ready study (us.ready_studies() lists them)"
]
StudySource: TypeAlias = Annotated[
    str | Path, "the path of a study file or the name of a ready study (us.ready_studies() lists them)"
]


class LocatedStudy(NamedTuple):
    """A study, and the folder that its file paths are relative to."""

    study: Study
    root: Path


def load(path_or_name: StudySource) -> Study:
    """Return the study of a TOML or YAML file, or a ready study by its name.

    Paths in the study stay relative to the folder of its file, wherever you work.

    Examples
    --------
    >>> load("loan-demo").name
    'loan-demo'
    """
    return located(path_or_name).study


def save(study: StudyLike, path: str | Path) -> Path:
    """Write a study, or a ready study by its name, to a .toml or .yaml file; reading it gives an equal study.

    Examples
    --------
    >>> save(load("loan-demo"), "my-study.toml")  # doctest: +SKIP
    """
    return write_study(located(study).study, Path(path))


def study_from_toml(text: str) -> Study:
    """Return the study that TOML text describes; the reverse of `toml_from_study`.

    Examples
    --------
    >>> study_from_toml(toml_from_study(load("loan-demo"))) == load("loan-demo")
    True
    """
    try:
        plain = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError([f"The text is not TOML: {error}. Correct it there; us.load reads files."]) from None
    return study_from_plain(plain, "The text")


def toml_from_study(study: StudyLike) -> str:
    """Return a study as TOML text; the reverse of `study_from_toml`.

    Examples
    --------
    >>> 'name = "loan-demo"' in toml_from_study("loan-demo")
    True
    """
    return study_files.toml_from_study(located(study).study)


def ready_studies() -> tuple[str, ...]:
    """Return the names of the ready studies.

    Examples
    --------
    >>> "loan-demo" in ready_studies()
    True
    """
    return ready_names()


def located(study: StudyLike) -> LocatedStudy:
    """Return a study with its folder: that of its file, or the current one."""
    if isinstance(study, Study):
        return LocatedStudy(study, study.folder)
    path = Path(study)
    if path.suffix:
        return LocatedStudy(read_study(path), path.parent)
    return LocatedStudy(ready_study(str(study)), Path())


# Check a study from Python: what `understudy check` finds, as an object.


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


# The version of the installed package.

__version__ = version("understudy")
