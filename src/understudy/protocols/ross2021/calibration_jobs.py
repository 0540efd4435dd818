"""The jobs of a calibration: played in parallel, written down as they end, and not played again after a break."""

import json
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, TypeAlias

from understudy.deferred.joblib import joblib
from understudy.errors import MaterialsError
from understudy.protocols.ross2021.calibration_plan import Candidate
from understudy.protocols.ross2021.dial_cells import PersonScore, cell_scores, one_cell
from understudy.schema import Study

StudyOf: TypeAlias = Callable[[str, int], Study]
"""Builds the study of a data set with the targets of a seed."""


class Job(NamedTuple):
    """One candidate, played by so many people with the targets of one seed."""

    data: str
    seed: int
    candidate: Candidate
    n_people: int

    @property
    def key(self) -> str:
        """The job as text."""
        return json.dumps(self)


Played: TypeAlias = dict[Job, list[PersonScore]]


class JobRunner:
    """Plays jobs in parallel; a file next to the page holds what is done until the page is written."""

    def __init__(
        self, study_of: StudyOf, *, n_workers: int, store: Path | None = None, on_progress: Callable[[int], None]
    ) -> None:
        self._study_of, self._n_workers, self._store, self._on_progress = study_of, n_workers, store, on_progress
        self._done = {} if store is None else _read(store)

    @property
    def n_done(self) -> int:
        """How many jobs an interrupted calibration has left."""
        return len(self._done)

    def play(self, jobs: Iterable[Job]) -> Played:
        """Return the scores of each job."""
        all_jobs = list(jobs)
        missing = [job for job in all_jobs if job.key not in self._done]
        self._on_progress(sum(job.n_people for job in all_jobs) - sum(job.n_people for job in missing))
        run = joblib.Parallel(n_jobs=self._n_workers, return_as="generator", batch_size=1)
        jobs_to_run = (joblib.delayed(_scores)(self._study_of, job) for job in missing)
        with warnings.catch_warnings():
            # Workers that grew by many people are replaced, which loses nothing.
            warnings.filterwarnings("ignore", message="A worker stopped")
            for job, scores in zip(missing, run(jobs_to_run), strict=True):
                self._done[job.key] = scores
                self._write(job.key, scores)
                self._on_progress(job.n_people)
        return {job: self._done[job.key] for job in all_jobs}

    def _write(self, key: str, scores: list[PersonScore]) -> None:
        if self._store is not None:
            self._store.parent.mkdir(parents=True, exist_ok=True)
            with self._store.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, scores]) + "\n")


def _read(store: Path) -> dict[str, list[PersonScore]]:
    if not store.is_file():
        return {}
    done = {}
    lines = store.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            key, scores = json.loads(line)
            done[str(key)] = [PersonScore(*score) for score in scores]
        except (ValueError, TypeError):
            if number < len(lines):
                raise MaterialsError(
                    f"Line {number} of {store} is not a result of a calibration. Delete the file to start over."
                ) from None
            # A run that was killed may leave half a line; its job is played again.
            store.write_text("".join(f"{whole}\n" for whole in lines[:-1]), encoding="utf-8")
    return done


def _scores(study_of: StudyOf, job: Job) -> list[PersonScore]:
    study = study_of(job.data, job.seed)
    if job.data != "mnist":
        return _played(study, f"{job.data}-interactive", job)
    return [score for cell in study.cells for score in _played(study, cell.name, job)]


def _played(study: Study, condition: str, job: Job) -> list[PersonScore]:
    cell = one_cell(study, condition, quota=job.n_people)
    return cell_scores(cell, job.candidate.person, n_people=job.n_people, seed=job.seed)
