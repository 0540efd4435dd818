"""Estimate power by simulating the whole study over a grid of sizes and effects."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from tempfile import TemporaryDirectory
from typing import NamedTuple

from understudy.conduct import Script
from understudy.deferred.joblib import joblib
from understudy.errors import UnderstudyError
from understudy.prepare import Explaining, prepare
from understudy.schema import Cast, Effect, PowerPoint, Stage, Study, Verdict, blocks_in, seed_from
from understudy.simulate import rehearse
from understudy.tabulate import frames_from_sessions
from understudy.workflow.casting import with_effects
from understudy.workflow.power.directions import claimed_directions
from understudy.workflow.reporting.study_findings import study_verdicts

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
