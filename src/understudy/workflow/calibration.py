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
    NoiseRow,
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
    n_fit_people: int = 30
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


class _Candidate(NamedTuple):
    strategy: str
    parameters: tuple[tuple[str, float], ...]


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
    tried = _tried(plan, n_workers, on_progress)
    fits = _fitted(tried)
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
        n_fit_people=plan.n_fit_people, fit_seed=plan.fit_seed, noise_rows=tuple(_noise_rows(tried, fits)),
        seeds={data: plan.seeds(data) for data in plan.data},
    )  # fmt: skip


def person_from(strategy: str, parameters: dict[str, float]) -> Ref:
    """Return a simulated person with fitted parameters, as a cast file would name them."""
    params: dict[str, Any] = {"habits": {name: parameters[name] for name in ("give_up", "pace_s")}}
    return Ref(name=strategy, params=params | ({"noise": parameters["noise"]} if "noise" in parameters else {}))


def _candidates(strategy: str) -> Iterator[dict[str, float]]:
    for noise, give_up, pace_s in product(GRIDS[strategy] or (None,), GIVE_UP, PACE_S):
        yield ({} if noise is None else {"noise": noise}) | {"give_up": give_up, "pace_s": pace_s}


def _tried(
    plan: CalibrationPlan, n_workers: int, on_progress: Callable[[int], None]
) -> dict[_Candidate, tuple[float, ...]]:
    """Return the completion rates of every candidate, in the order of the models."""
    candidates = [
        _Candidate(strategy, tuple(parameters.items())) for strategy in GRIDS for parameters in _candidates(strategy)
    ]
    jobs = [
        _Job(one.strategy, one.parameters, "sinelines", model, plan.fit_seed, plan.n_fit_people)
        for one in candidates
        for model in MODELS
    ]
    rates = [fmean(scores.completion) for scores in _play(plan, jobs, n_workers, on_progress).values()]
    n = len(MODELS)
    return {one: tuple(rates[n * k : n * k + n]) for k, one in enumerate(candidates)}


def _fitted(tried: dict[_Candidate, tuple[float, ...]]) -> tuple[StrategyFit, ...]:
    fits = []
    for strategy in GRIDS:
        losses = {one: _loss(rates) for one, rates in tried.items() if one.strategy == strategy}
        best = min(losses, key=lambda one: losses[one])
        fits.append(StrategyFit(strategy, dict(best.parameters), losses[best], len(losses)))
    return tuple(fits)


def _loss(rates: tuple[float, ...]) -> float:
    wanted = [PUBLISHED["sinelines"][model].completion for model in MODELS]
    return sum((one - other) ** 2 for one, other in zip(rates, wanted, strict=True))


def _noise_rows(tried: dict[_Candidate, tuple[float, ...]], fits: tuple[StrategyFit, ...]) -> Iterator[NoiseRow]:
    for fit in fits:
        for noise in GRIDS[fit.strategy]:
            other = _Candidate(fit.strategy, tuple((fit.parameters | {"noise": noise}).items()))
            yield NoiseRow(fit.strategy, noise, tried[other])


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
