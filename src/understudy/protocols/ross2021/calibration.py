"""Calibrate strategies: fit each to people on the Sinelines, then play it there and on other data."""

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from understudy.deferred.joblib import joblib
from understudy.deferred.scipy import stats
from understudy.errors import MaterialsError
from understudy.protocols.ross2021.calibration_rows import (
    MODELS_OF,
    PUBLISHED,
    Calibration,
    Interval,
    Likeness,
    PersonScore,
    SimulatedRow,
    TriedCandidate,
    cell_scores,
    one_cell,
)
from understudy.roles import Floats
from understudy.schema import Ref, Study

# The size of a calibration: which candidates are tried, with how many simulated people, and how long that takes.

Grid: TypeAlias = Mapping[str, Mapping[str, tuple[float, ...]]]
"""Strategy -> parameter -> the values tried."""

_GIVE_UP, _PACE_S = (0.04, 0.08, 0.16), (1.5, 3.0)
_EYE = (0.05, 0.1, 0.2)
GRID: Final[Grid] = {
    "dial_random": {"give_up": _GIVE_UP},
    "dial_number_watcher": {"noise": (0.0, 0.03), "restarts": (0.0, 0.5), "give_up": _GIVE_UP, "pace_s": _PACE_S},
    "dial_visual_matcher": {"noise": _EYE, "restarts": (0.0, 0.5, 1.0), "give_up": _GIVE_UP, "pace_s": _PACE_S},
    "dial_learner": {"noise": _EYE, "memory_noise": (0.2, 0.5), "give_up": _GIVE_UP, "pace_s": _PACE_S},
    "dial_features_matcher": {
        "noise": (0.5, 1.0, 2.0, 3.0), "restarts": (0.5, 1.0), "give_up": _GIVE_UP, "pace_s": _PACE_S, "hope": (0.3,),
    },
}  # fmt: skip
HABITS: Final = frozenset({"restarts", "give_up", "pace_s", "hope"})
FAR: Final = 1000
"""Offset of the seeds for fitting, so that no target is used for both fitting and testing."""
SESSION_S: Final[Mapping[str, Mapping[str, float]]] = {
    "sinelines": {"dial_random": 0.1, "dial_number_watcher": 0.3, "dial_visual_matcher": 0.2, "dial_learner": 0.25},
    "dsprites": {"dial_random": 0.5, "dial_number_watcher": 1.8, "dial_visual_matcher": 1.5, "dial_learner": 2.5},
    "mnist": {"dial_random": 3.5},
}
OTHERS_S: Final = {"sinelines": 0.15, "dsprites": 2.0, "mnist": 9.0}
"""Seconds that one simulated person takes on one core of a server of 2023, measured; with digits, with all seven models."""


class Round(NamedTuple):
    """One round of the fit: all candidates left play with so many more people, and the best go on."""

    n_people: int
    n_kept: int
    """Per strategy; the last round keeps the fit alone."""


class Candidate(NamedTuple):
    """A strategy with one choice of its parameters."""

    strategy: str
    parameters: tuple[tuple[str, float], ...]

    @property
    def person(self) -> Ref:
        """The simulated person, as in a cast file."""
        return person_from(self.strategy, dict(self.parameters))


class CalibrationPlan(NamedTuple):
    """The size of a calibration."""

    n_people: int = 6
    """Of each strategy, for each seed of the Sinelines."""
    n_test_people: int = 2
    """The same for dSprites and digits, which decode far more slowly."""
    n_seeds: int = 20
    rounds: tuple[Round, ...] = (Round(4, 10), Round(8, 5), Round(96, 1))
    """Bad candidates stop early; the best of many is partly lucky, so the last ones play with many people."""
    seed: int = 0
    data: tuple[str, ...] = ("sinelines", "dsprites")
    grid: Grid = GRID

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the tables, none of them used for fitting."""
        return tuple(self.seed + 1 + k for k in range(self.n_seeds))

    @property
    def fit_seeds(self) -> tuple[int, ...]:
        """One seed for each round of the fit, the same for every candidate."""
        return tuple(self.seed + FAR + k for k in range(len(self.rounds)))

    def n_people_on(self, data: str) -> int:
        """Return the number of people of each strategy for each seed."""
        return self.n_people if data == "sinelines" else self.n_test_people

    @property
    def n_sessions(self) -> int:
        """The number of simulated people, for a progress bar."""
        n_fit = sum(n for counts in self._fit_counts().values() for n in counts)
        return n_fit + len(self.grid) * self.n_seeds * sum(self.n_people_on(data) for data in self.data)

    @property
    def seconds(self) -> float:
        """How long one core takes."""
        fit = sum(session_s("sinelines", strategy) * sum(counts) for strategy, counts in self._fit_counts().items())
        return fit + sum(
            session_s(data, strategy) * self.n_seeds * self.n_people_on(data)
            for data in self.data
            for strategy in self.grid
        )

    def _fit_counts(self) -> dict[str, list[int]]:
        """Return for each strategy how many people play in each round of the fit."""
        counts: dict[str, list[int]] = {}
        for strategy in self.grid:
            n_left = len(list(candidates(self.grid, strategy)))
            counts[strategy] = []
            for number in self.rounds:
                counts[strategy].append(n_left * number.n_people)
                n_left = min(n_left, number.n_kept)
        return counts


def candidates(grid: Grid, strategy: str) -> Iterator[Candidate]:
    """Yield every candidate of a strategy."""
    for values in product(*grid[strategy].values()):
        yield Candidate(strategy, tuple(zip(grid[strategy], values, strict=True)))


def person_from(strategy: str, parameters: Mapping[str, float]) -> Ref:
    """Return the reference to a simulated person with fitted parameters, as in a cast file."""
    habits = {name: value for name, value in parameters.items() if name in HABITS}
    params: dict[str, Any] = {name: value for name, value in parameters.items() if name not in HABITS}
    return Ref(name=strategy, params={**params, "habits": habits})


def session_s(data: str, strategy: str) -> float:
    """Return about how long one person of a strategy takes."""
    return SESSION_S[data].get(strategy, OTHERS_S[data])


# The jobs of a calibration: played in parallel, written down as they end, and not played again after a break.

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


# How like people a strategy is: the distance of its completion rates, their order, and intervals over seeds.

N_RESAMPLED = 2000
N_REPEATED = 500
N_PEOPLE = 15
"""Published people with each model."""


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean and the 95 % t interval; with one value, the interval is that value.

    >>> mean_interval([0.5, 0.5])
    Interval(estimate=0.5, low=0.5, high=0.5)
    """
    mean = float(np.mean(values))
    if len(values) < 2:
        return Interval(mean, mean, mean)
    half = float(stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values)))
    return Interval(mean, mean - half, mean + half)


def likeness(strategy: str, data: str, rates: Sequence[Sequence[float]], people: Sequence[float]) -> Likeness:
    """Compare completion rates by seed and model with those of people; intervals resample the seeds.

    The distance is that of the rates over all seeds: within one seed, few questions would make any strategy look
    further away than it is.
    """
    table, published = np.asarray(rates, dtype=np.float64), np.asarray(people, dtype=np.float64)
    gap = _gap(table.mean(axis=0)[None], published)[0]
    gaps = np.quantile(_gap(_resampled_means(table), published), [0.025, 0.975])
    rank = rank_interval(table, published)
    order = np.argsort(-published)
    in_order = int((np.diff(table[:, order], axis=1) < 0).all(axis=1).sum())
    return Likeness(
        strategy=strategy, data=data, gap=gap, gap_low=float(gaps[0]), gap_high=float(gaps[1]), rank=rank.estimate,
        rank_low=rank.low, rank_high=rank.high, n_ordered=in_order, n_seeds=len(table),
        seed_rank=mean_interval([rank_correlation(row, published) for row in table]).estimate,
    )  # fmt: skip


def rank_interval(values: Sequence[Sequence[float]] | Floats, people: Sequence[float] | Floats) -> Interval:
    """Return the rank correlation of the models' means over seeds with those of people; the interval resamples seeds."""
    table, published = np.asarray(values, dtype=np.float64), np.asarray(people, dtype=np.float64)
    ranks = [rank_correlation(row, published) for row in _resampled_means(table)]
    low, high = np.quantile(ranks, [0.025, 0.975])
    return Interval(rank_correlation(table.mean(axis=0), published), float(low), float(high))


def repeated_rank(data: str) -> Interval:
    """Return the rank correlation that people would have with themselves: the study again, with as many other people.

    Their means are drawn around the published ones, with the published standard deviations. No strategy can be expected to
    follow the published order more closely than that. The first number is the median.
    """
    held = [PUBLISHED[data][model] for model in MODELS_OF[data]]
    means = np.array([scores.completion for scores in held])
    errors = np.array([scores.completion_sd for scores in held]) / np.sqrt(N_PEOPLE)
    drawn = np.random.default_rng(0).normal(means, errors, size=(N_REPEATED, len(means)))
    ranks = [rank_correlation(row, means) for row in drawn]
    low, middle, high = np.quantile(ranks, [0.025, 0.5, 0.975])
    return Interval(float(middle), float(low), float(high))


def _resampled_means(table: Floats) -> Floats:
    draws = np.random.default_rng(0).integers(len(table), size=(N_RESAMPLED, len(table)))
    means: Floats = table[draws].mean(axis=1)
    return means


def rank_correlation(rates: Floats, people: Floats) -> float:
    """Return Kendall's tau-b of two rows of rates; 0 if all rates are the same, which orders nothing."""
    if np.ptp(rates) == 0:
        return 0.0
    return float(stats.kendalltau(rates, people).statistic)


def _gap(rates: Floats, people: Floats) -> list[float]:
    gaps: list[float] = np.abs(rates - people).mean(axis=1).tolist()
    return gaps


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
