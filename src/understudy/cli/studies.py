"""The study argument of commands: a study file, or the name of a ready study."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from understudy.errors import StudyError, UnderstudyError
from understudy.prepare import Explaining, Prepared, prepare
from understudy.protocols import ready_study, training_advice
from understudy.schema import Study
from understudy.workflow.check import declared_faults
from understudy.workflow.study_file import read_study

StudyArgument = Annotated[
    str, typer.Argument(help="A study file (.toml, .yaml), or the name of a ready study such as loan-demo.")
]


class LocatedStudy(NamedTuple):
    """A study, the folder that its file paths are relative to, and the name its user gave."""

    study: Study
    root: Path
    name: str
    is_ready: bool = False
    """Whether it comes with the package, and not from a file."""

    def prepared(self, explaining: Explaining) -> Prepared:
        """Prepare the study; a failure counts as a fault of the study."""
        with self.faults_named():
            return prepare(self.study, self.root, explaining)

    @contextmanager
    def faults_named(self) -> Iterator[None]:
        """Turn errors with the materials into faults of this study."""
        try:
            yield
        except UnderstudyError as error:
            raise self.unsound([str(error)]) from error

    def unsound(self, faults: Sequence[str]) -> StudyError:
        """Return the error that lists the faults of the study, and how to train missing decoders."""
        return StudyError([f"{self.name}: {fault}" for fault in (*faults, *training_advice(self.study, self.root))])


def load_study(name_or_path: str) -> LocatedStudy:
    """Return the study, or raise an error with all faults that can be found without preparing it.

    Each command prepares the study once, and only then knows that it has no other faults.
    """
    path = Path(name_or_path)
    study, root = (read_study(path), path.parent) if path.suffix else (ready_study(name_or_path), Path())
    located = LocatedStudy(study, root, path.name, is_ready=not path.suffix)
    faults = declared_faults(study, root)
    if faults:
        raise located.unsound(faults)
    return located
