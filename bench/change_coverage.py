"""Coverage and false positives of Change in simulated studies, as docs/explanation/change.md tells them.

Usage: python bench/change_coverage.py   (prints the rows of the table; one to two minutes)
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from understudy.statistics.bootstrap import Bootstrap, bootstrap_summary, calibrated, crossed_spread, resampled_means
from understudy.statistics.change import PairedAnswers, published_change, published_summary

SEED = 20200705
N_METHODS, N_ITEMS, N_RESAMPLES = 5, 32, 500
N_STUDIES = {"within": 1000, "published": 200}
SKILL, SKILL_SD, EASE_SD = 0.6, 0.5, 0.7
Floats = npt.NDArray[np.float64]


class World(NamedTuple):
    """What is true: people in each condition, spread of Change over people and items in log-odds, its mean in points."""

    n_people: int
    people_sd: float
    items_sd: float
    change: float


WORLDS = (
    *(World(n, *sds, 0.0) for n in (4, 12, 30) for sds in ((0.0, 0.0), (0.3, 0.3), (0.2, 0.8))),
    *(World(n, 0.3, 0.3, 0.1) for n in (4, 12, 30)),
)
MOST_PEOPLE_PUBLISHED = 4
"""The paper's way takes a mixed model for each resample; it is shown at about the paper's size."""


class Study(NamedTuple):
    """Answers before and after, methods × people × items."""

    before: Floats
    after: Floats


def gain_of(world: World) -> float:
    """Return the gain in log-odds that makes the mean Change as stated."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    start = SKILL + np.hypot(SKILL_SD, EASE_SD) * nodes
    spread = np.hypot(world.people_sd, world.items_sd) * nodes

    def gap(gain: float) -> float:
        after = weights @ special.expit(start[:, None] + gain + spread) @ weights
        return float(after - weights @ special.expit(start)) - world.change

    return float(optimize.brentq(gap, -3, 3))


def drawn(world: World, gain: float, rng: np.random.Generator) -> Study:
    """Draw one study; every condition has the same true Change."""
    shape = (N_METHODS, world.n_people, N_ITEMS)
    start = SKILL + rng.normal(0, SKILL_SD, (*shape[:2], 1)) + rng.normal(0, EASE_SD, (1, 1, N_ITEMS))
    moved = rng.normal(gain, world.people_sd, (*shape[:2], 1)) + rng.normal(0, world.items_sd, (1, 1, N_ITEMS))
    before, after = (rng.random(shape) < special.expit(eta) for eta in (start, start + moved))
    return Study(before.astype(np.float64), after.astype(np.float64))


def within(study: Study, rng: np.random.Generator) -> list[Bootstrap]:
    """Return the first condition's Change with calibrated, two-way and people-only resamples."""
    table = (study.after - study.before)[0]
    estimate = float(table.mean())
    two_way = resampled_means(table, rng=rng, blocks="participants_and_items", n_resamples=N_RESAMPLES)
    people = resampled_means(table, rng=rng, blocks="participants", n_resamples=N_RESAMPLES)
    kinds = (calibrated(two_way, estimate, crossed_spread([table])), two_way, people)
    return [bootstrap_summary(estimate, resampled, alternative="two-sided", level=0.95) for resampled in kinds]


def published(study: Study, rng: np.random.Generator) -> list[Bootstrap]:
    """Return the first condition's Change as the paper computed it, two-way and people only."""
    shape = study.before.shape
    method, person, item = (axis.ravel() for axis in np.meshgrid(*map(np.arange, shape), indexing="ij"))
    people = (method * shape[1] + person).astype(np.str_)
    answers = PairedAnswers(people, item.astype(np.str_), method, study.before.ravel(), study.after.ravel())
    found = published_change(answers, rng=rng, n_resamples=N_RESAMPLES)
    return [published_summary(result.change[:, 0], alternative="two-sided", level=0.95) for result in found]


def shares(world: World, kind: str) -> tuple[list[float], list[float]]:
    """Return, for each kind of interval, how often it covers the truth and how often p is below .05."""
    gain, rng = gain_of(world), np.random.default_rng(SEED)
    covers, rejects = [], []
    for _ in range(N_STUDIES[kind]):
        study = drawn(world, gain, rng)
        found = within(study, rng) if kind == "within" else published(study, rng)
        covers.append([result.interval.low <= world.change <= result.interval.high for result in found])
        rejects.append([(result.p_centred if kind == "within" else result.p_published) < 0.05 for result in found])
    return np.mean(covers, axis=0).tolist(), np.mean(rejects, axis=0).tolist()


def main() -> None:
    """Print one row for each world: coverage (and rejections) of five intervals, in per cent."""
    print(
        "| Change | people | SD over people | SD over items | calibrated | two-way | people only | paper's, two-way | paper's, people only |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for world in WORLDS:
        cells = []
        for kind in N_STUDIES:
            if kind == "published" and world.n_people > MOST_PEOPLE_PUBLISHED:
                cells += ["–", "–"]
                continue
            covers, rejects = shares(world, kind)
            cells += [f"{100 * cover:.1f} ({100 * other:.1f})" for cover, other in zip(covers, rejects, strict=True)]
        row = [f"{100 * world.change:.0f}", str(world.n_people), str(world.people_sd), str(world.items_sd), *cells]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
