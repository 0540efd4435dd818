"""Calibration: each strategy fitted to people on the Sinelines, then tried on dSprites as it is."""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from joblib import Parallel, delayed

from understudy.report.calibration_rows import (
    MODELS,
    PUBLISHED,
    Calibration,
    OrderShare,
    SimulatedRow,
    StrategyFit,
)
from understudy.schema import Ref
from understudy.workflow.dial_stage import Model, StageScores, require_models, stage_scores

DISTANCES = {"sinelines": "tolerance_band", "dsprites": "soft_dice"}
GIVE_UP = (0.03, 0.08, 0.2)
PACE_S = (1.5, 3.0)
GRIDS: dict[str, tuple[float, ...]] = {
    "dial_random": (),
    "dial_number_watcher": (0.0, 0.02, 0.06),
    "dial_visual_matcher": (0.05, 0.1, 0.2, 0.35),
    "dial_learner": (0.05, 0.1, 0.2, 0.35),
}
"""Strategy -> the noises tried; patience and pace are tried for all."""


class CalibrationPlan(NamedTuple):
    """How large a calibration is to be."""

    n_people: int = 15
    n_fit_people: int = 15
    n_seeds: int = 20
    n_test_seeds: int = 5
    """dSprites decode a hundred times slower."""
    fit_seed: int = 0
    folder: Path | None = None
    """Where the decoders lie; None for those that come with understudy."""
    data: tuple[str, ...] = ("sinelines", "dsprites")

    def model(self, data: str, name: str) -> Model:
        """Return a model of one data set."""
        return Model(f"{data}-{name}", DISTANCES[data], self.folder)

    def seeds(self, data: str) -> tuple[int, ...]:
        """Return the seeds of one data set, none of them used for fitting."""
        n = self.n_seeds if data == "sinelines" else self.n_test_seeds
        return tuple(self.fit_seed + 1 + k for k in range(n))


class _Job(NamedTuple):
    strategy: str
    parameters: tuple[tuple[str, float], ...]
    data: str
    model: str
    seed: int
    n_people: int


def n_stages(plan: CalibrationPlan) -> int:
    """Return how many stages a calibration plays, for a progress bar."""
    n_fit = sum(len(list(_candidates(strategy))) for strategy in GRIDS) * len(MODELS)
    return n_fit + len(GRIDS) * len(MODELS) * sum(len(plan.seeds(data)) for data in plan.data)


def calibrated(
    plan: CalibrationPlan, *, n_workers: int, on_progress: Callable[[int], None] = lambda _: None
) -> Calibration:
    """Fit every strategy to people's completion rates on the Sinelines alone, then play all data sets with new seeds."""
    require_models([plan.model(data, name) for data in plan.data for name in MODELS])
    fits = _fitted(plan, n_workers, on_progress)
    jobs = [
        _Job(fit.strategy, tuple(fit.parameters.items()), data, model, seed, plan.n_people)
        for fit in fits
        for data in plan.data
        for model in MODELS
        for seed in plan.seeds(data)
    ]
    played = _play(plan, jobs, n_workers, on_progress)
    return Calibration(
        rows=tuple(_rows(plan, played)), fits=fits, orders=tuple(_orders(plan, played)), n_people=plan.n_people,
        n_fit_people=plan.n_fit_people, fit_seed=plan.fit_seed, seeds={data: plan.seeds(data) for data in plan.data},
    )  # fmt: skip


def person_from(strategy: str, parameters: dict[str, float]) -> Ref:
    """Return a simulated person with fitted parameters, as a cast file would name them."""
    params: dict[str, Any] = {"habits": {name: parameters[name] for name in ("give_up", "pace_s")}}
    return Ref(name=strategy, params=params | ({"noise": parameters["noise"]} if "noise" in parameters else {}))


def _candidates(strategy: str) -> Iterator[dict[str, float]]:
    for noise, give_up, pace_s in product(GRIDS[strategy] or (None,), GIVE_UP, PACE_S):
        yield ({} if noise is None else {"noise": noise}) | {"give_up": give_up, "pace_s": pace_s}


def _fitted(plan: CalibrationPlan, n_workers: int, on_progress: Callable[[int], None]) -> tuple[StrategyFit, ...]:
    jobs = [
        _Job(strategy, tuple(parameters.items()), "sinelines", model, plan.fit_seed, plan.n_fit_people)
        for strategy in GRIDS
        for parameters in _candidates(strategy)
        for model in MODELS
    ]
    played = _play(plan, jobs, n_workers, on_progress)
    losses: dict[str, dict[tuple[tuple[str, float], ...], float]] = {strategy: {} for strategy in GRIDS}
    for job, scores in played.items():
        gap = fmean(scores.completion) - PUBLISHED["sinelines"][job.model].completion
        held = losses[job.strategy]
        held[job.parameters] = held.get(job.parameters, 0.0) + gap**2
    best = {strategy: min(held, key=lambda one: held[one]) for strategy, held in losses.items()}
    return tuple(
        StrategyFit(strategy, dict(best[strategy]), held[best[strategy]], len(held))
        for strategy, held in losses.items()
    )


def _play(
    plan: CalibrationPlan, jobs: list[_Job], n_workers: int, on_progress: Callable[[int], None]
) -> dict[_Job, StageScores]:
    run = Parallel(n_jobs=n_workers, return_as="generator", batch_size=1)
    results = run(
        delayed(stage_scores)(
            plan.model(job.data, job.model),
            person_from(job.strategy, dict(job.parameters)),
            n_people=job.n_people,
            seed=job.seed,
        )
        for job in jobs
    )
    played = {}
    for job, scores in zip(jobs, results, strict=True):
        played[job] = scores
        on_progress(1)
    return played


def _rows(plan: CalibrationPlan, played: dict[_Job, StageScores]) -> Iterator[SimulatedRow]:
    for strategy, data, model in product(GRIDS, plan.data, MODELS):
        found = [one for job, one in played.items() if (job.strategy, job.data, job.model) == (strategy, data, model)]
        means = [fmean(one.completion) for one in found]
        yield SimulatedRow(
            strategy, data, model, fmean(means), fmean(pstdev(one.completion) for one in found), min(means), max(means),
            fmean(fmean(one.error_auc) for one in found) / 1000, fmean(pstdev(one.error_auc) for one in found) / 1000,
        )  # fmt: skip


def _orders(plan: CalibrationPlan, played: dict[_Job, StageScores]) -> Iterator[OrderShare]:
    means = {(job.strategy, job.data, job.seed, job.model): fmean(one.completion) for job, one in played.items()}
    for strategy, data in product(GRIDS, plan.data):
        rates = [[means[strategy, data, seed, model] for model in MODELS] for seed in plan.seeds(data)]
        yield OrderShare(strategy, data, sum(gt > vae > ae for gt, vae, ae in rates), len(rates))
