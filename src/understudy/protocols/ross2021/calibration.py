"""Calibrate strategies: fit each to people on the Sinelines, then rehearse it there and on dSprites."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from statistics import fmean, pstdev
from typing import Any, NamedTuple, TypeAlias

from understudy.deferred.joblib import joblib
from understudy.protocols.ross2021.calibration_rows import (
    MODELS,
    PUBLISHED,
    Calibration,
    OrderShare,
    SimulatedRow,
    TriedCandidate,
)
from understudy.protocols.ross2021.dial_cells import PersonScore, cell_scores, one_cell
from understudy.schema import Cast, CastMember, Ref, Study
from understudy.workflow.casting import DIALS

StudyOf: TypeAlias = Callable[[int], Study]
"""Builds the study with the targets of a seed."""
Grid: TypeAlias = Mapping[str, Mapping[str, tuple[float, ...]]]
"""Strategy -> parameter -> the values tried."""

_GIVE_UP, _PACE_S = (0.04, 0.08, 0.16), (1.5, 3.0)
_EYE = (0.05, 0.1, 0.2)
GRID: Grid = {
    "dial_random": {"give_up": _GIVE_UP},
    "dial_number_watcher": {"noise": (0.0, 0.03), "restarts": (0.0, 0.5), "give_up": _GIVE_UP, "pace_s": _PACE_S},
    "dial_visual_matcher": {"noise": _EYE, "restarts": (0.0, 0.5, 1.0), "give_up": _GIVE_UP, "pace_s": _PACE_S},
    "dial_learner": {"noise": _EYE, "memory_noise": (0.2, 0.5), "give_up": _GIVE_UP, "pace_s": _PACE_S},
}
HABITS = frozenset({"restarts", "give_up", "pace_s"})
FAR = 1000
"""Offset of the seeds for fitting, so that no target is used for both fitting and testing."""


class CalibrationPlan(NamedTuple):
    """The size of a calibration."""

    n_people: int = 15
    """Of each strategy, for each seed."""
    n_seeds: int = 20
    n_test_seeds: int = 3
    """Fewer, because dSprites decode far more slowly."""
    n_fit_people: int = 12
    """For each candidate of the fit and each seed of it."""
    n_fit_seeds: int = 1
    n_final_seeds: int = 4
    n_finalists: int = 4
    """Per strategy; they are rehearsed on further seeds, since the best of many candidates is partly lucky."""
    seed: int = 0
    data: tuple[str, ...] = ("sinelines", "dsprites")
    grid: Grid = GRID

    def seeds(self, data: str) -> tuple[int, ...]:
        """Return the seeds of one data set, none of them used for fitting."""
        n = self.n_seeds if data == "sinelines" else self.n_test_seeds
        return tuple(self.seed + 1 + k for k in range(n))

    @property
    def fit_seeds(self) -> tuple[int, ...]:
        """The seeds with which every candidate is rehearsed."""
        return tuple(self.seed + FAR + k for k in range(self.n_fit_seeds))

    @property
    def final_seeds(self) -> tuple[int, ...]:
        """The further seeds for the finalists."""
        return tuple(self.seed + FAR + self.n_fit_seeds + k for k in range(self.n_final_seeds))

    @property
    def n_sessions(self) -> int:
        """The number of simulated sessions, for a progress bar."""
        sizes = [len(list(_candidates(self.grid, strategy))) for strategy in self.grid]
        n_fit = sum(sizes) * self.n_fit_seeds + sum(min(n, self.n_finalists) for n in sizes) * self.n_final_seeds
        n_tables = len(self.grid) * sum(len(self.seeds(data)) for data in self.data)
        return self.n_fit_people * n_fit + self.n_people * n_tables


class _Candidate(NamedTuple):
    strategy: str
    parameters: tuple[tuple[str, float], ...]

    @property
    def person(self) -> Ref:
        return person_from(self.strategy, dict(self.parameters))


class _Job(NamedTuple):
    data: str
    seed: int
    people: tuple[_Candidate, ...]
    """The candidates that take turns in the rehearsal."""
    n_people: int
    """The total over all candidates."""


_Played: TypeAlias = dict[_Job, list[PersonScore]]


class _JobRunner(NamedTuple):
    """Runs rehearsal jobs in parallel."""

    study_of: StudyOf
    n_workers: int
    on_progress: Callable[[int], None]

    def play(self, jobs: Iterable[_Job]) -> _Played:
        all_jobs = list(jobs)
        run = joblib.Parallel(n_jobs=self.n_workers, return_as="generator", batch_size=1)
        played: _Played = {}
        for job, scores in zip(
            all_jobs, run(joblib.delayed(_scores)(self.study_of, job) for job in all_jobs), strict=True
        ):
            played[job] = scores
            self.on_progress(job.n_people)
        return played


def calibrated(
    plan: CalibrationPlan,
    study_of: StudyOf,
    *,
    n_workers: int,
    command: str = "",
    on_progress: Callable[[int], None] = lambda _: None,
) -> Calibration:
    """Fit every strategy to people's completion rates on the Sinelines alone, then rehearse all data with new seeds."""
    stage = _JobRunner(study_of, n_workers, on_progress)
    tried = _tried(plan, stage)
    fits = tuple(_best(tried, strategy) for strategy in plan.grid)
    cast = tuple(_Candidate(fit.strategy, tuple(fit.parameters.items())) for fit in fits)
    # Slow jobs come first, so that no worker idles while the last of them runs.
    n_people = plan.n_people * len(cast)
    jobs = [_Job(data, seed, cast, n_people) for data in reversed(plan.data) for seed in plan.seeds(data)]
    played = stage.play(jobs)
    return Calibration(
        command=command, rows=tuple(_rows(plan, played)), fits=fits, tried=tuple(tried.values()),
        orders=tuple(_orders(plan, played)), n_people=plan.n_people, fit_seeds=plan.fit_seeds,
        final_seeds=plan.final_seeds, seeds={data: plan.seeds(data) for data in plan.data},
    )  # fmt: skip


def person_from(strategy: str, parameters: Mapping[str, float]) -> Ref:
    """Return the reference to a simulated person with fitted parameters, as in a cast file."""
    habits = {name: value for name, value in parameters.items() if name in HABITS}
    params: dict[str, Any] = {name: value for name, value in parameters.items() if name not in HABITS}
    return Ref(name=strategy, params={**params, "habits": habits})


def _candidates(grid: Grid, strategy: str) -> Iterator[_Candidate]:
    for values in product(*grid[strategy].values()):
        yield _Candidate(strategy, tuple(zip(grid[strategy], values, strict=True)))


def _tried(plan: CalibrationPlan, stage: _JobRunner) -> dict[_Candidate, TriedCandidate]:
    """Rehearse every candidate, and the best of each strategy on further seeds."""
    candidates = [candidate for strategy in plan.grid for candidate in _candidates(plan.grid, strategy)]
    played = stage.play(_fit_jobs(plan, candidates, plan.fit_seeds))
    tried = {candidate: _judged(candidate, played, is_finalist=False) for candidate in candidates}
    finalists = [
        candidate
        for strategy in plan.grid
        for candidate in sorted(
            (candidate for candidate in candidates if candidate.strategy == strategy),
            key=lambda candidate: (tried[candidate].loss, candidate),
        )[: plan.n_finalists]
    ]
    # Finalists keep their first scores and get further ones.
    played |= stage.play(_fit_jobs(plan, finalists, plan.final_seeds))
    return tried | {candidate: _judged(candidate, played, is_finalist=True) for candidate in finalists}


def _fit_jobs(plan: CalibrationPlan, candidates: Iterable[_Candidate], seeds: tuple[int, ...]) -> list[_Job]:
    return [_Job("sinelines", seed, (candidate,), plan.n_fit_people) for candidate in candidates for seed in seeds]


def _judged(candidate: _Candidate, played: _Played, *, is_finalist: bool) -> TriedCandidate:
    scores = [score for job, outcomes in played.items() if job.people == (candidate,) for score in outcomes]
    rates = tuple(fmean(score.completion for score in scores if score.model == model) for model in MODELS)
    targets = [PUBLISHED["sinelines"][model].completion for model in MODELS]
    return TriedCandidate(
        strategy=candidate.strategy, parameters=dict(candidate.parameters), completion=rates,
        n_people=len(scores) // len(MODELS), is_finalist=is_finalist,
        loss=sum((rate - target) ** 2 for rate, target in zip(rates, targets, strict=True)),
    )  # fmt: skip


def _best(tried: Mapping[_Candidate, TriedCandidate], strategy: str) -> TriedCandidate:
    finalists = [fit for fit in tried.values() if fit.strategy == strategy and fit.is_finalist]
    return min(finalists, key=lambda fit: fit.loss)


def _scores(study_of: StudyOf, job: _Job) -> list[PersonScore]:
    members = tuple(CastMember(participant=candidate.person, share=1) for candidate in job.people)
    cast: Cast = DIALS.model_copy(update={"members": members})
    study = one_cell(study_of(job.seed), f"{job.data}-interactive", quota=job.n_people)
    return cell_scores(study, cast, n_people=job.n_people, seed=job.seed)


def _rows(plan: CalibrationPlan, played: _Played) -> Iterator[SimulatedRow]:
    for strategy, data, model in product(plan.grid, plan.data, MODELS):
        seeds = [[score for score in outcomes if (score.kind, score.model) == (strategy, model)]
                 for job, outcomes in played.items() if job.data == data]  # fmt: skip
        means = [fmean(score.completion for score in people) for people in seeds]
        yield SimulatedRow(
            strategy=strategy, data=data, model=model, completion=fmean(means), completion_low=min(means),
            completion_high=max(means), completion_sd=fmean(pstdev(score.completion for score in scores) for scores in seeds),
            error_auc=fmean(fmean(score.error_auc for score in scores) for scores in seeds) / 1000,
            error_auc_sd=fmean(pstdev(score.error_auc for score in scores) for scores in seeds) / 1000,
        )  # fmt: skip


def _orders(plan: CalibrationPlan, played: _Played) -> Iterator[OrderShare]:
    for strategy, data in product(plan.grid, plan.data):
        n_ordered = n_seeds = 0
        for job, scores in played.items():
            if job.data == data:
                gt, vae, ae = (
                    fmean(score.completion for score in scores if (score.kind, score.model) == (strategy, model))
                    for model in MODELS
                )
                n_ordered += gt > vae > ae
                n_seeds += 1
        yield OrderShare(strategy=strategy, data=data, n_ordered=n_ordered, n_seeds=n_seeds)
