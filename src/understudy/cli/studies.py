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
    """A study, the folder its files lie in, and what its user calls it."""

    study: Study
    root: Path
    name: str

    def prepared(self, explaining: Explaining) -> Prepared:
        """Prepare the study; what keeps it from being prepared is a fault of the study."""
        with self.faults_named():
            return prepare(self.study, self.root, explaining)

    @contextmanager
    def faults_named(self) -> Iterator[None]:
        """Turn what goes wrong with the materials into a fault of this study."""
        try:
            yield
        except UnderstudyError as error:
            raise self.unsound([str(error)]) from error

    def unsound(self, faults: Sequence[str]) -> StudyError:
        """Return the error that says what is wrong with the study, and how to make decoders it misses."""
        return StudyError([f"{self.name}: {fault}" for fault in (*faults, *training_advice(self.study, self.root))])


def found_study(name_or_path: str) -> LocatedStudy:
    """Return the study, or raise with all faults that show before it is prepared.

    Each command prepares it once, its own way, and only then knows it to be sound in every part.
    """
    path = Path(name_or_path)
    study, root = (read_study(path), path.parent) if path.suffix else (ready_study(name_or_path), Path())
    found = LocatedStudy(study, root, path.name)
    faults = declared_faults(study, root)
    if faults:
        raise found.unsound(faults)
    return found
