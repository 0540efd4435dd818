"""Studies from files, names and text, and back."""

import tomllib
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

from understudy.errors import StudyError
from understudy.protocols.ready import ready_names, ready_study
from understudy.schema import Study
from understudy.workflow.studies import study_file
from understudy.workflow.studies.study_file import read_study, study_from_plain, write_study

__all__ = [
    "LocatedStudy",
    "StudyLike",
    "load",
    "located",
    "ready_studies",
    "save",
    "study_from_toml",
    "toml_from_study",
]

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
    return study_file.toml_from_study(located(study).study)


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
