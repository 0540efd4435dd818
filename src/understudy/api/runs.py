"""Runs: a prepared study in a folder, with its preregistration and the people who took part."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import NonNegativeInt, PositiveInt

from understudy.actions import person
from understudy.actions.casts import cast_from, effect_from, with_effects
from understudy.actions.preregister import recorded_looks, register
from understudy.actions.rehearse import rehearse_run
from understudy.actions.report import archive_of, report_of
from understudy.actions.run_folder import Run as PreparedRun
from understudy.actions.run_folder import existing_run, new_run, shown_status, status_of
from understudy.actions.run_tables import tables_of
from understudy.api.border import Count, with_guarded_methods
from understudy.api.findings import figure_of, findings_frame, findings_text
from understudy.api.progress import progress
from understudy.api.studies import StudyLike, located
from understudy.check.study_check import N_TRIED, declared_faults
from understudy.cli import serve as serving
from understudy.deferred.pandas import pd
from understudy.errors import ArgumentError, StudyError
from understudy.estimate.software import running_version
from understudy.estimate.study_findings import StudyResults, study_results
from understudy.estimate.tables import items_table
from understudy.prepare import Explaining
from understudy.prepare import prepare as prepare_prepare
from understudy.report import Statements, Witness, add_witness, freeze, write_translated
from understudy.schema import Findings, Study
from understudy.schema.readable import findings_html, table_html, titled_html
from understudy.serve.alerts import LOW_DISK_GB

if TYPE_CHECKING:
    import altair as alt


@with_guarded_methods
@dataclass(frozen=True, repr=False)
class Run:
    """A prepared study in a folder, with its data and results.

    Examples
    --------
    >>> run = open_run("runs/my-study")  # doctest: +SKIP
    >>> run.table("sessions")  # doctest: +SKIP
    >>> run.figure("effects")  # doctest: +SKIP
    """

    folder: Path

    @cached_property
    def _prepared(self) -> PreparedRun:
        return existing_run(self.folder)

    @cached_property
    def _results(self) -> StudyResults:
        frames = tables_of(self._prepared)
        looks = recorded_looks(self._prepared, frames.sessions, opened_by="Python")
        return study_results(self._prepared.script, frames, recorded=looks)

    @property
    def study(self) -> Study:
        """The study that was prepared."""
        return self._prepared.script.study

    @property
    def findings(self) -> Findings:
        """What the study's own plan finds in the sessions so far; computed once."""
        return self._results.findings

    def table(self, kind: Literal["trials", "sessions", "findings"] = "trials") -> pd.DataFrame:
        """Return one row for each trial, session or hypothesis."""
        if kind == "findings":
            return findings_frame(self.findings)
        frames = tables_of(self._prepared)
        return frames.sessions if kind == "sessions" else pd.concat(list(frames.trial_parts()), ignore_index=True)

    @property
    def items(self) -> pd.DataFrame:
        """What each page showed and asked in each condition, with the right answers, what is true and the attributes.

        The column `trial` joins it to the table of trials, so that a score can be recomputed.
        """
        return items_table(self._prepared.script, self._prepared.prepared.materials)[0]

    def figure(self, name: str = "effects") -> alt.VConcatChart:
        """Return a figure of the report as an Altair chart: `effects`, or the id of a hypothesis."""
        return figure_of(self.findings, name, points=self._results.points, plan=self.study.plan)

    def report(self, path: str | Path | None = None, *, language: str | None = None) -> Path:
        """Write the report as one self-contained page, in the run's folder unless a path is given.

        Missing folders in the path are created, as on the command line. With `language="de"`, the page is in German;
        claims and names stay as the study words them.
        """
        page = self.folder / "report.html" if path is None else Path(path)
        with progress("Writing the report", None):
            report_of(self._prepared, page)
        return page if language is None else write_translated(page, language)

    def export(self, path: str | Path | None = None) -> Path:
        """Write the archive of the run: data, events, codebook, study, plan, digests and findings.

        Without a path, it is written into the run's folder, under the name of the study. Voice recordings are left
        out; `understudy export --audio` includes them.
        """
        archive = self.folder / f"{self.study.name}.zip" if path is None else Path(path)
        with progress("Writing the archive", None):
            return archive_of(self._prepared, archive)

    def person_copy(self, who: str, path: str | Path, *, is_session: bool = False) -> Path:
        """Write everything that the run holds about one person to a ZIP file: a page, JSON and recordings.

        `who` is the recruiter's id, or with `is_session` the session as the dashboard shows it.
        """
        keyring = person.keyring_for(self.folder)
        with self._prepared.open_log() as log:
            found = person.person_of(self._prepared, log, who, keyring, is_session=is_session)
            person.write_copy(self._prepared, found, keyring, Path(path))
        return Path(path)

    def erase_person(self, who: str, *, is_session: bool = False) -> tuple[str, ...]:
        """Erase one person from the run for good, and return what remains elsewhere, in sentences."""
        keyring = person.keyring_for(self.folder)
        with self._prepared.open_log() as log:
            found = person.person_of(self._prepared, log, who, keyring, is_session=is_session)
            return person.erase(self._prepared, log, found, keyring).remains

    def __str__(self) -> str:
        """Return the findings as the command line prints them, or the counts before anybody came."""
        has_people = any(row.n_completed for row in status_of(self._prepared))
        return findings_text(self.findings) if has_people else f"{self.folder}: nobody has completed the study yet."

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = shown_status(self._prepared)
        cells = [(row.condition, row.quota, row.n_completed, row.n_active, row.n_excluded, row.n_left) for row in rows]
        counts = table_html(("condition", "wanted", "completed", "active", "excluded", "left"), cells)
        shown = findings_html(self.findings) if any(row.n_completed for row in rows) else ""
        return titled_html(f"{self.study.name} in {self.folder}", counts, shown)


RunLike: TypeAlias = Annotated[Run | str | Path, "a run, or the folder that us.prepare or us.rehearse wrote"]


def open_run(folder: str | Path) -> Run:
    """Open a folder that `prepare` or `rehearse` made, here or on the command line.

    Examples
    --------
    >>> open_run("runs/my-study").findings  # doctest: +SKIP
    """
    return Run(existing_run(Path(folder)).folder)


def prepare(
    study: StudyLike, out: str | Path, *, root: str | Path | None = None, workers: PositiveInt | None = None
) -> Run:
    """Compute everything a study shows into a folder, and its answer key in a separate file.

    Examples
    --------
    >>> prepare("loan-demo", "runs/loan-demo")  # doctest: +SKIP
    """
    known, folder = sound(study, root)
    with progress("Preparing", None) as advance:
        return Run(new_run(known, folder, Path(out), n_workers=workers, on_progress=advance).folder)


def rehearse(
    study: StudyLike,
    people: Count | None = None,
    seed: NonNegativeInt = 1,
    *,
    effects: Mapping[str, float] | Sequence[str] | str = (),
    cast: str | None = None,
    out: str | Path | None = None,
    root: str | Path | None = None,
) -> Run:
    """Rehearse a study with simulated people, who are never evidence about people, and return the run.

    `effects` says what a condition does, such as `{"explanation=shown": 0.6}`; as many people come as the study wants
    unless `people` says how many. Without `out`, the run is in a temporary folder.

    Examples
    --------
    >>> run = rehearse("loan-demo", people=60, effects={"explanation=shown": 0.6})  # doctest: +SKIP
    >>> print(run)  # doctest: +SKIP
    """
    known, folder = sound(study, root)
    acting = tuple(effect_from(text, known) for text in _effect_texts(effects))
    actors = with_effects(cast_from(cast, known), acting)
    target = Path(mkdtemp(prefix=f"{known.name}-")) if out is None else Path(out)
    with progress("Preparing", None) as advance:
        run = new_run(known, folder, target, on_progress=advance)
    total = people or sum(known.quota_of(cell) for cell in known.cells)
    with progress("Rehearsing", total) as advance:
        rehearse_run(run, actors, seed=seed, n_people=people, on_session=lambda: advance(1))
    return Run(run.folder)


def _effect_texts(effects: Mapping[str, float] | Sequence[str] | str) -> Sequence[str]:
    """Return effects as the command line takes them."""
    if isinstance(effects, str):
        return (effects,)
    return [f"{level}:{shift}" for level, shift in effects.items()] if isinstance(effects, Mapping) else effects


def serve(*runs: RunLike, host: str = "127.0.0.1", port: PositiveInt = 8000, is_rehearsal: bool = False) -> None:
    """Serve runs to participants, and the dashboard to researchers, until interrupted.

    Examples
    --------
    >>> serve("runs/loan-demo", port=8000)  # doctest: +SKIP
    """
    if not runs:
        raise ArgumentError(['us.serve: no run is given. Give the folder of at least one, such as "runs/my-study".'])
    serving.serve(
        [run.folder if isinstance(run, Run) else Path(run) for run in runs],
        host=host,
        port=port,
        database=os.environ.get("UNDERSTUDY_DATABASE"),
        secret_file=None,
        recruiter=None,
        proxy=None,
        alert=None,
        low_disk=LOW_DISK_GB,
        rehearsal=is_rehearsal,
        accept_loss=False,
        web=None,
    )


def sound(study: StudyLike, root: str | Path | None) -> tuple[Study, Path]:
    """Return a study that can run with its folder, or raise an error that names every fault."""
    known, folder = located(study)
    place = folder if root is None else Path(root)
    faults = declared_faults(known, place)
    if faults:
        raise StudyError([f"{known.name}: {fault}" for fault in faults])
    return known, place


# Preregister a study from Python: the filled form, and the digest that later findings are compared with.


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
        prepare_prepare(known, root, Explaining(n_tried=N_TRIED, on_progress=advance))
    folder = None if run is None else Path(run.folder if isinstance(run, Run) else run)
    prepared = None if folder is None else existing_run(folder)
    statements = Statements(authors=authors)
    files = freeze(known, Path(out), at=datetime.now(UTC), version=running_version(), statements=statements)
    if prepared is not None:
        register(prepared, add_witness(files.sidecar, Witness()))
    return Preregistration(known.name, known.digest, files.form, files.sidecar, folder)
