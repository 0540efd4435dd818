"""The study argument of commands: a study file, or the name of a ready study."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from understudy.errors import StudyError
from understudy.protocols import ready_study, training_advice
from understudy.schema import Study
from understudy.workflow.check import faults_of
from understudy.workflow.study_file import read_study

StudyArgument = Annotated[
    str, typer.Argument(help="A study file (.toml, .yaml), or the name of a ready study such as loan-demo.")
]


class LocatedStudy(NamedTuple):
    """A study, and the folder that its file paths are relative to."""

    study: Study
    root: Path


def load_study(name_or_path: str) -> LocatedStudy:
    """Return the checked study, or raise an error with all its faults."""
    path = Path(name_or_path)
    located = (
        LocatedStudy(read_study(path), path.parent) if path.suffix else LocatedStudy(ready_study(name_or_path), Path())
    )
    faults = faults_of(located.study, located.root)
    if faults:
        raise StudyError(
            [f"{path.name}: {fault}" for fault in (*faults, *training_advice(located.study, located.root))]
        )
    return located
