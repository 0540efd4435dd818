"""Power: a study simulated over a grid of sizes and effects, and what the grid answers."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import ceil, sqrt
from pathlib import Path
from statistics import NormalDist
from tempfile import TemporaryDirectory
from typing import NamedTuple

from understudy.actions.casts import with_effects
from understudy.conduct import Script
from understudy.deferred.joblib import joblib
from understudy.errors import UnderstudyError
from understudy.estimate.choices import analyses_in
from understudy.estimate.study_findings import study_verdicts
from understudy.estimate.tables import frames_from_sessions
from understudy.estimate.verdicts import claimed_side
from understudy.prepare import Explaining, prepare
from understudy.registry import entry
from understudy.schema import Cast, Effect, Hypothesis, PowerPoint, Stage, Study, Verdict, blocks_in, seed_from
from understudy.simulate import rehearse


class NeededSize(NamedTuple):
    """The people per condition with which a hypothesis reaches a power for one effect."""

    hypothesis_id: str
    n_items: int | None
    quota: int | None
    """None if no size of the grid is large enough."""
    is_bound: bool
    """Whether the smallest size of the grid is already enough, so that fewer may do."""
    recruited: float | None
    cost: float | None


class DetectableEffect(NamedTuple):
    """The smallest effect that a size shows with a power; None if it lies beyond the grid."""

    hypothesis_id: str
    n_items: int | None
    quota: int
    effect: float | None
    is_bound: bool


def needed_sizes(points: Sequence[PowerPoint], effect: float, target: float) -> tuple[NeededSize, ...]:
    """Return the size that each hypothesis needs, between two sizes of the grid along a straight line."""
    needed = []
    for (hypothesis_id, n_items), curve in _curves([point for point in points if point.effect == effect]).items():
        ordered = sorted(curve, key=lambda point: point.quota)
        at = _crossing([point.power for point in ordered], target)
        if at is None:
            needed.append(NeededSize(hypothesis_id, n_items, None, is_bound=False, recruited=None, cost=None))
            continue
        quota = ceil(_between([point.quota for point in ordered], at) - 1e-9)
        recruited = _between([point.mean_recruited for point in ordered], at)
        costs = [point.mean_cost for point in ordered if point.mean_cost is not None]
        cost = _between(costs, at) if len(costs) == len(ordered) else None
        needed.append(NeededSize(hypothesis_id, n_items, quota, is_bound=at == 0, recruited=recruited, cost=cost))
    return tuple(needed)


def detectable_effects(points: Sequence[PowerPoint], target: float) -> tuple[DetectableEffect, ...]:
    """Return the smallest effect that each size can show, between two effects of the grid; 0 is not an effect to show."""
    found = []
    curves = _curves([point for point in points if point.effect > 0])
    for (hypothesis_id, n_items), curve in curves.items():
        for quota in sorted({point.quota for point in curve}):
            ordered = sorted((point for point in curve if point.quota == quota), key=lambda point: point.effect)
            at = _crossing([point.power for point in ordered], target)
            effect = None if at is None else _between([point.effect for point in ordered], at)
            found.append(DetectableEffect(hypothesis_id, n_items, quota, effect, is_bound=at == 0))
    return tuple(found)


def _curves(points: Sequence[PowerPoint]) -> dict[tuple[str, int | None], list[PowerPoint]]:
    curves: dict[tuple[str, int | None], list[PowerPoint]] = {}
    for point in points:
        curves.setdefault((point.hypothesis_id, point.n_items), []).append(point)
    return curves


def _crossing(powers: Sequence[float], target: float) -> float | None:
    """Return where a curve reaches the target for good, as a position between its points; None if it does not."""
    last_below = max((k for k, power in enumerate(powers) if power < target), default=-1)
    if last_below == len(powers) - 1:
        return None
    if last_below < 0:
        return 0.0
    low, high = powers[last_below], powers[last_below + 1]
    return last_below + (target - low) / (high - low)


def _between(values: Sequence[float], position: float) -> float:
    k = min(int(position), len(values) - 2) if len(values) > 1 else 0
    return values[k] if len(values) == 1 else values[k] + (position - k) * (values[k + 1] - values[k])


# The direction of a simulated effect for each hypothesis: the one that it claims.


class Directions(NamedTuple):
    """What an effect lowers instead of raising it."""

    questions: tuple[str, ...] = ()
    """Questions whose answers are lowered in every simulation."""
    reversed_hypotheses: frozenset[str] = frozenset()
    """Hypotheses that need simulations of their own, because others claim the reverse about the same answers."""

    def effects(self, on: Effect, shift: float, *, is_reversed: bool) -> tuple[Effect, ...]:
        """Return the effects of one simulation; effects on one question add up."""
        if is_reversed:
            return (on.model_copy(update={"shift": -shift}),)
        main = on.model_copy(update={"shift": shift})
        if not self.questions:
            return (main,)
        return (main, on.model_copy(update={"shift": -2 * shift, "questions": self.questions}))


def claimed_directions(study: Study, on: Effect) -> Directions:
    """Return what an effect at these levels must lower so that every hypothesis is tried in its own direction."""
    plan = study.plan.promised()
    lowered = [hypothesis for hypothesis in plan.hypotheses if _is_lowered(hypothesis, study, on)]
    raised = [hypothesis for hypothesis in plan.hypotheses if hypothesis not in lowered]
    taken = {question for hypothesis in raised for question in _questions(hypothesis, study)}
    own = [
        hypothesis
        for hypothesis in lowered
        if _reads_answers(hypothesis, study) and not taken & set(_questions(hypothesis, study))
    ]
    questions = dict.fromkeys(question for hypothesis in own for question in _questions(hypothesis, study))
    others = frozenset(hypothesis.hypothesis_id for hypothesis in lowered if hypothesis not in own)
    return Directions(tuple(questions), others)


def _is_lowered(hypothesis: Hypothesis, study: Study, on: Effect) -> bool:
    """Return whether the claim says that the outcome falls where the effect acts."""
    side = claimed_side(hypothesis)
    if side is None:
        return False
    falls = side == "less"
    if hypothesis.factor is not None:
        turns = [_is_turned(hypothesis.factor, hypothesis.contrast, study, on)]
        if hypothesis.crossed_with is not None and _tests_interaction(hypothesis):
            # A difference of differences turns around once more at the second level of the other factor.
            turns.append(_is_turned(hypothesis.crossed_with, None, study, on))
        if None in turns:
            return False
        falls = falls != (sum(map(bool, turns)) % 2 == 1)
    # More ability lowers measures such as times and errors by itself.
    return falls != (_better(hypothesis, study) == "lower")


def _is_turned(name: str, contrast: tuple[str, str] | None, study: Study, on: Effect) -> bool | None:
    """Return whether an effect lowers a factor's contrast, its first level minus its second; None if that is open."""
    wanted = on.when.get(name)
    levels = next((factor.levels for factor in study.factors if factor.name == name), ())
    pair = contrast or (levels if len(levels) == 2 else None)
    if wanted is None or pair is None:
        return None
    acts_on = (wanted,) if isinstance(wanted, str) else wanted
    return pair[1] in acts_on and pair[0] not in acts_on


def _tests_interaction(hypothesis: Hypothesis) -> bool:
    return any(ref.params.get("tests") == "interaction" for ref in analyses_in(hypothesis.analysis))


def _better(hypothesis: Hypothesis, study: Study) -> str:
    return str(getattr(entry("measures", _measure_name(hypothesis, study)), "better", "neither"))


def _measure_name(hypothesis: Hypothesis, study: Study) -> str:
    return next((name for name, _ in _uses(hypothesis, study)), "answer")


def _questions(hypothesis: Hypothesis, study: Study) -> tuple[str, ...]:
    return tuple(str(params["question"]) for _, params in _uses(hypothesis, study) if params.get("question"))


def _reads_answers(hypothesis: Hypothesis, study: Study) -> bool:
    return bool(_questions(hypothesis, study))


def _uses(hypothesis: Hypothesis, study: Study) -> Iterator[tuple[str, dict[str, object]]]:
    measured = {outcome.measure for outcome in study.plan.outcomes if outcome.name == hypothesis.outcome}
    for use in study.measures:
        if use.name in measured:
            yield use.measure.name, dict(use.measure.params)


# Estimate power by simulating the whole study over a grid of sizes and effects.

CHUNK = 10
"""Simulations per job; the results do not depend on it."""


class PowerQuestion(NamedTuple):
    """The grid of sizes and effects to simulate, and how often."""

    study: Study
    root: Path
    cast: Cast
    sizes: tuple[int, ...]
    effects: tuple[float, ...]
    on: Effect
    """Where the effect acts; each effect of the grid replaces its shift."""
    n_simulations: int
    seed: int
    items: tuple[int | None, ...] = (None,)
    """Items in each set of the main stages; None keeps the study's own numbers."""


class _GridPoint(NamedTuple):
    size: int
    effect: float
    n_items: int | None = None
    is_reversed: bool = False
    """Whether the effect acts against its sign, for hypotheses that claim the reverse."""


class _ChunkResult(NamedTuple):
    cell: _GridPoint
    verdicts: list[dict[str, Verdict]]
    n_recruited: list[int]
    costs: list[float | None]


def power_points(
    question: PowerQuestion, *, n_workers: int | None = None, on_progress: Callable[[int], None] = lambda _: None
) -> tuple[PowerPoint, ...]:
    """Return the power at every point of the grid; it depends on the seed only, not on workers or backend.

    Without a number, a process works on each core that a container or a batch job allows.
    """
    jobs = list(_jobs(question))
    # A process that gets no job would take seconds to start for nothing.
    run = joblib.Parallel(
        n_jobs=min(n_workers or joblib.effective_n_jobs(-1), len(jobs)), return_as="generator_unordered", batch_size=1
    )
    done: dict[_GridPoint, list[_ChunkResult]] = {}
    with TemporaryDirectory() as folder:
        kept_in = Path(folder)
        # Explanations are computed once here, so that the worker processes can reuse them.
        for n_items in question.items:
            prepare(with_items(question.study, n_items), question.root, Explaining(kept_in, n_workers))
        for part in run(joblib.delayed(_simulated)(question, cell, numbers, kept_in) for cell, numbers in jobs):
            done.setdefault(part.cell, []).append(part)
            on_progress(len(part.verdicts))
    return tuple(
        point
        for cell in _cells(question)
        for hypothesis in question.study.plan.promised().hypotheses
        for point in (_point(hypothesis.hypothesis_id, done[_cell_of(question, cell, hypothesis.hypothesis_id)]),)
    )


def _jobs(question: PowerQuestion) -> Iterator[tuple[_GridPoint, range]]:
    ids = [hypothesis.hypothesis_id for hypothesis in question.study.plan.promised().hypotheses]
    for cell in _cells(question):
        for point in dict.fromkeys(_cell_of(question, cell, hypothesis_id) for hypothesis_id in ids):
            for first in range(0, question.n_simulations, CHUNK):
                yield point, range(first, min(first + CHUNK, question.n_simulations))


def _cells(question: PowerQuestion) -> Iterator[_GridPoint]:
    for n_items, size, effect in product(question.items, question.sizes, question.effects):
        yield _GridPoint(size, effect, n_items)


def _cell_of(question: PowerQuestion, cell: _GridPoint, hypothesis_id: str) -> _GridPoint:
    """Return the simulations that a hypothesis is judged by; no effect needs no second direction."""
    reversed_ids = claimed_directions(question.study, question.on).reversed_hypotheses
    return cell._replace(is_reversed=cell.effect != 0 and hypothesis_id in reversed_ids)


def _simulated(question: PowerQuestion, cell: _GridPoint, numbers: range, kept_in: Path) -> _ChunkResult:
    study = with_items(question.study, cell.n_items)
    script = _script(study.model_dump_json(), question.root, cell.size, kept_in)
    directions = claimed_directions(question.study, question.on)
    cast = with_effects(question.cast, directions.effects(question.on, cell.effect, is_reversed=cell.is_reversed))
    verdicts, recruited, costs = [], [], []
    grown = () if cell.n_items is None else (cell.n_items,)
    for k in numbers:
        # The seed depends on the grid point and not on the job, so chunks can be of any size.
        seed = seed_from(question.seed, "power", cell.size, repr(cell.effect), *grown, k)
        frames = frames_from_sessions(script, rehearse(script, cast, seed=seed))
        verdicts.append(study_verdicts(script, frames, seed=seed))
        recruited.append(len(frames.sessions))
        costs.append(None if study.pay is None else float(frames.sessions[["base_pay", "bonus"]].sum().sum()))
    return _ChunkResult(cell, verdicts, recruited, costs)


def with_items(study: Study, n_items: int | None) -> Study:
    """Return the study with so many items in each set that its main stages show."""
    if n_items is None:
        return study
    shown = {block.items for block in blocks_in(study.flow) if isinstance(block, Stage) and block.purpose == "main"}
    if not shown & {items.name for items in study.item_sets}:
        raise UnderstudyError("The main stages of this study show no item set, so the number of items cannot vary.")
    sets = tuple(
        items.model_copy(update={"n_items": n_items}) if items.name in shown else items for items in study.item_sets
    )
    return study.model_copy(update={"item_sets": sets})


@lru_cache(maxsize=32)
def _script(study_json: str, root: Path, size: int, kept_in: Path) -> Script:
    study = Study.model_validate_json(study_json)
    sized = study.model_copy(update={"assignment": study.assignment.model_copy(update={"quota": size})})
    prepared = prepare(sized, root, Explaining(kept_in))
    return Script(sized, prepared.materials, prepared.key, prepared.files)


def _point(hypothesis_id: str, parts: list[_ChunkResult]) -> PowerPoint:
    verdicts = [verdict for part in parts for verdict in part.verdicts]
    recruited = [n for part in parts for n in part.n_recruited]
    n_supported = sum(verdict[hypothesis_id] == "supported" for verdict in verdicts)
    low, high = _wilson(n_supported, len(verdicts))
    share = n_supported / len(verdicts)
    costs = [cost for part in parts for cost in part.costs if cost is not None]
    return PowerPoint(
        hypothesis_id=hypothesis_id,
        quota=parts[0].cell.size,
        effect=parts[0].cell.effect,
        power=share,
        standard_error=sqrt(share * (1 - share) / len(verdicts)),
        low=low,
        high=high,
        n_simulations=len(verdicts),
        mean_recruited=sum(recruited) / len(recruited),
        n_items=parts[0].cell.n_items,
        mean_cost=sum(costs) / len(costs) if costs else None,
    )


def _wilson(successes: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a proportion by Wilson (1927), which also works near 0 and 1."""
    z = NormalDist().inv_cdf(0.975)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return middle - reach, middle + reach
