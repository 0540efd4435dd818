"""Preregister a study from Python: the filled form, and the digest that later findings are compared with."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from understudy.api.progress import progress
from understudy.api.runs import Run, RunLike, sound
from understudy.api.studies import StudyLike
from understudy.prepare import Explaining, prepare
from understudy.report import Statements, Witness, add_witness, freeze
from understudy.schema.notebook import table_html, titled_html
from understudy.workflow.checking.check import N_TRIED
from understudy.workflow.reporting.software import running_version
from understudy.workflow.runs.registering import register
from understudy.workflow.runs.run_folder import existing_run


@dataclass(frozen=True, repr=False)
class Preregistration:
    """A frozen study: its form as a file to read, and its digest as a file to compare with.

    Examples
    --------
    >>> frozen = preregister("loan-demo", "preregistration")  # doctest: +SKIP
    >>> print(frozen.form)  # doctest: +SKIP
    """

    study_name: str
    digest: str
    """The version of the study that was frozen."""
    form_path: Path
    path: Path
    """The file that `understudy report --preregistration` takes."""
    entered_in: Path | None = None
    """The run whose log holds the freeze."""

    @property
    def form(self) -> str:
        """The form with the questions of AsPredicted and OSF, in Markdown."""
        return self.form_path.read_text(encoding="utf-8")

    @property
    def undeclared(self) -> int:
        """How many questions the study does not answer; the form marks each *Not declared*."""
        return self.form.count("Not declared")

    def __str__(self) -> str:
        """Say what was frozen, and where it is."""
        entered = f" It is recorded in the log of {self.entered_in}." if self.entered_in else ""
        return (
            f"{self.study_name}, version {self.digest[:12]}, is frozen in {self.path}.{entered} The form is "
            f"{self.form_path}; {self.undeclared} of its questions are not declared."
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            ("version", self.digest[:12]),
            ("form", str(self.form_path)),
            ("digest", str(self.path)),
            ("not declared", f"{self.undeclared} questions"),
            ("recorded in", str(self.entered_in) if self.entered_in else "no run yet"),
        ]
        return titled_html(f"Preregistration of {self.study_name}", table_html(("", ""), rows))


def preregister(
    study: StudyLike, out: str | Path = "preregistration", *, authors: str = "", run: RunLike | None = None
) -> Preregistration:
    """Write a study as a filled preregistration form, freeze its digest, and record it in the log of a run.

    The study and the run are checked first, because a frozen form cannot be corrected. Findings of a run count as
    registered only if the freeze was recorded before the first participant arrived.

    Examples
    --------
    >>> preregister("loan-demo", "preregistration", run="runs/loan-demo")  # doctest: +SKIP
    """
    known, root = sound(study, None)
    with progress("Checking", None) as advance:
        prepare(known, root, Explaining(n_tried=N_TRIED, on_progress=advance))
    folder = None if run is None else Path(run.folder if isinstance(run, Run) else run)
    prepared = None if folder is None else existing_run(folder)
    statements = Statements(authors=authors)
    files = freeze(known, Path(out), at=datetime.now(UTC), version=running_version(), statements=statements)
    if prepared is not None:
        register(prepared, add_witness(files.sidecar, Witness()))
    return Preregistration(known.name, known.digest, files.form, files.sidecar, folder)
