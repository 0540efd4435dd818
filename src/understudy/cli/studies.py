"""The study argument of commands: a study file, or the name of a ready study."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import typer

from understudy.actions.study_files import FORMS, read_study
from understudy.check.study_check import declared_faults
from understudy.errors import StudyError, UnderstudyError, UnknownName
from understudy.prepare import Explaining, Prepared, prepare
from understudy.protocols import ready_names, ready_study, training_advice
from understudy.schema import Study


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
    if not path.suffix:
        _tell_of_namesakes(path)
    study, root = (read_study(path), path.parent) if path.suffix else (ready_study(name_or_path), Path())
    located = LocatedStudy(study, root, path.name, is_ready=not path.suffix)
    faults = declared_faults(study, root)
    if faults:
        raise located.unsound(faults)
    return located


def _tell_of_namesakes(path: Path) -> None:
    """Say which study a name without an ending means if a file or folder here has that name too."""
    meant = next((path.with_suffix(suffix) for suffix in FORMS if path.with_suffix(suffix).is_file()), None)
    if str(path) in ready_names():
        chosen = f"{str(path)!r} is taken as the ready study of that name."
        if meant is not None:
            typer.echo(f"{chosen} For the file in this folder, write {str(meant)!r}.", err=True)
        elif path.exists():
            kind = "folder" if path.is_dir() else "file"
            typer.echo(
                f"{chosen} The {kind} {str(path)!r} is not a study file, which ends in .toml or .yaml.", err=True
            )
    elif meant is not None:
        raise UnknownName(
            f"{str(path)!r} has no file extension, so it is read as the name of a ready study. Did you mean {str(meant)!r}?"
        )
