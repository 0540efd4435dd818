"""Calibrate strategies: fit each to people on the Sinelines, then play it there and on other data."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from statistics import fmean, pstdev

from understudy.protocols.ross2021.calibration_jobs import Job, JobRunner, Played
from understudy.protocols.ross2021.calibration_plan import CalibrationPlan, Candidate, candidates
from understudy.protocols.ross2021.calibration_rows import (
    MODELS_OF,
    PUBLISHED,
    Calibration,
    Likeness,
    SimulatedRow,
    TriedCandidate,
)
from understudy.protocols.ross2021.calibration_scores import likeness, mean_interval, rank_interval
from understudy.protocols.ross2021.dial_cells import PersonScore


def calibrated(plan: CalibrationPlan, runner: JobRunner, *, command: str = "") -> Calibration:
    """Fit every strategy to people's completion rates on the Sinelines alone, then play all data with new seeds."""
    tried = _tried(plan, runner)
    fits = tuple(_best(tried, strategy) for strategy in plan.grid)
    cast = [Candidate(fit.strategy, tuple(fit.parameters.items())) for fit in fits]
    # Slow jobs come first, so that no worker idles while the last of them runs.
    played = runner.play(
        Job(data, seed, candidate, plan.n_people_on(data))
        for data in reversed(plan.data)
        for seed in plan.seeds
        for candidate in cast
    )
    return Calibration(
        command=command, rows=tuple(_rows(plan, played)), fits=fits, tried=tuple(tried.values()),
        likenesses=tuple(_likenesses(plan, played)), n_people={data: plan.n_people_on(data) for data in plan.data},
        rounds=tuple(number.n_people for number in plan.rounds), fit_seeds=plan.fit_seeds, seeds=plan.seeds,
    )  # fmt: skip


def _tried(plan: CalibrationPlan, runner: JobRunner) -> dict[Candidate, TriedCandidate]:
    """Play all candidates with few people, and the better ones again with more (successive halving)."""
    left = {strategy: list(candidates(plan.grid, strategy)) for strategy in plan.grid}
    played: Played = {}
    tried: dict[Candidate, TriedCandidate] = {}
    for number, (stage, seed) in enumerate(zip(plan.rounds, plan.fit_seeds, strict=True), start=1):
        playing = [candidate for strategy in plan.grid for candidate in left[strategy]]
        # All candidates of a round play the same questions with the same random numbers.
        played |= runner.play(Job("sinelines", seed, candidate, stage.n_people) for candidate in playing)
        tried |= {candidate: _judged(candidate, played, n_rounds=number) for candidate in playing}
        for strategy, rivals in left.items():
            rivals.sort(key=lambda candidate: (tried[candidate].loss, candidate))
            left[strategy] = rivals[: stage.n_kept]
    return tried


def _judged(candidate: Candidate, played: Played, *, n_rounds: int) -> TriedCandidate:
    scores = [score for job, outcomes in played.items() if job.candidate == candidate for score in outcomes]
    models = MODELS_OF["sinelines"]
    rates = tuple(fmean(score.completion for score in scores if score.model == model) for model in models)
    targets = [PUBLISHED["sinelines"][model].completion for model in models]
    return TriedCandidate(
        strategy=candidate.strategy, parameters=dict(candidate.parameters), completion=rates,
        n_people=len(scores) // len(models), n_rounds=n_rounds,
        loss=sum((rate - target) ** 2 for rate, target in zip(rates, targets, strict=True)),
    )  # fmt: skip


def _best(tried: Mapping[Candidate, TriedCandidate], strategy: str) -> TriedCandidate:
    rivals = [fit for fit in tried.values() if fit.strategy == strategy]
    n_rounds = max(fit.n_rounds for fit in rivals)
    return min((fit for fit in rivals if fit.n_rounds == n_rounds), key=lambda fit: fit.loss)


def _seed_scores(played: Played, strategy: str, data: str) -> list[list[PersonScore]]:
    """Return the scores of a strategy on a data set, seed by seed."""
    return [scores for job, scores in played.items() if (job.candidate.strategy, job.data) == (strategy, data)]


def _rows(plan: CalibrationPlan, played: Played) -> Iterator[SimulatedRow]:
    for strategy, data in product(plan.grid, plan.data):
        seeds = _seed_scores(played, strategy, data)
        for model in MODELS_OF[data]:
            people = [[score for score in scores if score.model == model] for scores in seeds]
            rate = mean_interval([fmean(score.completion for score in scores) for scores in people])
            errors = [score.error_auc / 1000 for scores in people for score in scores]
            yield SimulatedRow(
                strategy=strategy, data=data, model=model, completion=rate.estimate, completion_low=rate.low,
                completion_high=rate.high, completion_sd=_sd(score.completion for scores in people for score in scores),
                error_auc=fmean(errors), error_auc_sd=pstdev(errors),
                difficulty=fmean(score.difficulty for scores in people for score in scores),
                difficulty_sd=_sd(score.difficulty for scores in people for score in scores),
            )  # fmt: skip


def _sd(values: Iterable[float]) -> float:
    return pstdev(list(values))


def _likenesses(plan: CalibrationPlan, played: Played) -> Iterator[Likeness]:
    for strategy, data in product(plan.grid, plan.data):
        people = [PUBLISHED[data][model] for model in MODELS_OF[data]]
        scores = _seed_scores(played, strategy, data)
        rates = _by_model(scores, data, lambda score: score.completion)
        ratings = _by_model(scores, data, lambda score: score.difficulty)
        held = likeness(strategy, data, rates, [published.completion for published in people])
        hardness = rank_interval(ratings, [published.difficulty for published in people])
        yield held.model_copy(update={"difficulty_rank": hardness})


def _by_model(seeds: list[list[PersonScore]], data: str, value: Callable[[PersonScore], float]) -> list[list[float]]:
    """Return the mean of a value for each seed (row) and model (column)."""
    return [
        [fmean(value(score) for score in scores if score.model == model) for model in MODELS_OF[data]]
        for scores in seeds
    ]
