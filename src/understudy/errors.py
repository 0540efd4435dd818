"""The exception tree: what a user can cause, and nothing else.

UnderstudyError
  ArgumentError       a public function was called with something that it does not take; holds every fault found
  StudyError          a study file or object cannot be carried out; holds every fault found
  PlanError           an analysis plan does not fit its study or its data; holds every fault found
  TableError          an imported table cannot be read as the plan says
  ResultsError        results of a concept test do not belong together; holds every fault found
  UnknownName         a name is not in its catalogue
  MaterialsError      prepared materials are missing, damaged or of another study
  LogError            the event log cannot be opened, or refuses what it was given
  RecruiterError      a recruiting platform refuses what it was asked
    NoAnswer          a platform did not say whether it did what it was asked
    RejectedOrder     a platform says that something in an order cannot be right
  MissingExtra        an optional dependency is not installed
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any


class UnderstudyError(Exception):
    """Something the user can fix; its text is shown as it is, without a traceback.

    Examples
    --------
    >>> raise UnderstudyError("There is no study of that name. Choose from: loan-demo.")
    Traceback (most recent call last):
    understudy.errors.UnderstudyError: There is no study of that name. Choose from: loan-demo.
    """


def exit_status(work: Callable[[], object]) -> int:
    """Do the work of a script and return its exit status; a user error prints its sentences."""
    try:
        work()
    except UnderstudyError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


class FaultsError(UnderstudyError):
    """Several faults found at once, one sentence each."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        """Return one fault per line."""
        return "\n".join(self.faults)


class ArgumentError(FaultsError):
    """A function of the public interface was called with something that it does not take."""


class RecordError(FaultsError, ValueError):
    """A record was built with fields that it cannot have; also a ValueError, so that validators may build records."""


class StudyError(FaultsError):
    """A study cannot be carried out as written."""


class PlanError(FaultsError):
    """An analysis plan does not fit its study or its data."""


class TableError(UnderstudyError):
    """An imported table cannot be read as the plan says."""


class ResultsError(FaultsError):
    """Results of a concept test cannot be read, or do not belong together."""


class UnknownName(UnderstudyError):
    """A name is not in its catalogue."""


class MaterialsError(UnderstudyError):
    """Prepared materials are missing, damaged or of another study."""


class LogError(UnderstudyError):
    """The event log cannot be opened, or refuses what it was given."""


class RecruiterError(UnderstudyError):
    """A recruiting platform refuses what it was asked."""


class NoAnswer(RecruiterError):
    """A platform did not say whether it did what it was asked; ask it what is true before trying again."""


class RejectedOrder(RecruiterError):
    """A platform says that something in an order cannot be right, such as a person whom it does not know any more."""


class MissingExtra(UnderstudyError):
    """An optional dependency is not installed."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the question whether a similar name was meant, to put into an error; nothing where none is similar."""
    found = get_close_matches(name, list(known), n=1)
    return f" Did you mean {found[0]!r}?" if found else ""


def refuse_large(path: Path, most_mb: int, kind: Callable[[str], UnderstudyError], advice: str) -> None:
    """Raise if a file is larger than what is read into memory at once; one that does not exist is not judged."""
    size = path.stat().st_size if path.is_file() else 0
    if size > most_mb * 1024**2:
        raise kind(f"{path} has {size / 1024**2:,.0f} MB, but may have {most_mb:,}. {advice}")


# Optional dependencies: the one module that imports them, and says how to install them.


def optional(module: str, *, extra: str) -> Any:
    """Import a module of an extra, or say which command installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise MissingExtra(
            f"This needs {module!r}, which is not installed. Run: pip install 'understudy[{extra}]'"
        ) from None


def is_installed(module: str) -> bool:
    """Tell whether a module of an extra can be imported, for work that is useful without it."""
    return find_spec(module) is not None
