"""False positives and coverage of mixed models with true slopes, simulated; writes mixed-coverage.json and its page.

    python docs/mixed_coverage.py run --simulations 1000 --workers 8    # resumes where it stopped
    python docs/mixed_coverage.py page                                  # writes mixed-coverage.json and mixed-coverage.md

The numbers need numpy and scipy alone, so that the simulations run on any machine with Python.
"""

import argparse
import json
import multiprocessing
import os
import sys
import types
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

# One thread per worker: the matrices are small, and workers would wait for each other.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

SOURCE = Path(__file__).parent.parent / "src" / "understudy"
for package, folder in (("understudy", SOURCE), ("understudy.analyses", SOURCE / "analyses")):
    # The kernels import nothing but each other; the packages around them would load the whole catalogue.
    sys.modules.setdefault(package, types.ModuleType(package)).__path__ = [str(folder)]

if find_spec("threadpoolctl") is None:
    # Without it, the limits above do the same.
    class _Unlimited:
        def wrap(self, **_: object) -> Callable[[Any], Any]:
            return lambda fit: fit

    sys.modules["threadpoolctl"] = types.ModuleType("threadpoolctl")
    vars(sys.modules["threadpoolctl"])["ThreadpoolController"] = _Unlimited

import numpy as np  # noqa: E402 - the thread limits above must come first

from understudy.analyses.kernels.lmm_tests import lmm_t_test  # noqa: E402
from understudy.analyses.kernels.mixed_categories import fit_category_mixed  # noqa: E402
from understudy.analyses.kernels.mixed_linear import fit_linear_mixed  # noqa: E402
from understudy.analyses.kernels.mixed_structure import Effect, Group, maximal_group, simplified_fit  # noqa: E402

N_PEOPLE, N_ITEMS = 60, 20
MODELS, FACTORS, STRUCTURES = (
    ("linear", "logistic", "ordinal"),
    ("within", "between", "item"),
    ("maximal", "intercepts"),
)
EFFECTS = {"linear": 0.5, "logistic": 0.6, "ordinal": 0.6}
SEEDS = {model: 16_000_000 + 1_000_000 * number for number, model in enumerate(MODELS)}
PEOPLE = np.array([[1.0, 0.21], [0.21, 0.49]])
"""Covariance of people's intercepts and slopes: SD 1 and 0.7, correlation 0.3."""
ITEMS = np.array([[0.49, 0.07], [0.07, 0.25]])
"""Covariance of items' intercepts and slopes: SD 0.7 and 0.5, correlation 0.2."""
NOISE_SD = 1.5
CUTS = np.array([-1.5, -0.5, 0.5, 1.5])


PEOPLE_WORDS = "SD 1 for intercepts, 0.7 for slopes, correlation 0.3"
ITEMS_WORDS = "SD 0.7 for intercepts, 0.5 for slopes, correlation 0.2"
WARNED = (
    "Findings of such plans say that the factor varies within people or items without slopes, that p-values are then too "
    'small, and to use random = "maximal".'
)
CHANCE = "With this many studies, chance alone moves the share by {margin:.1f} points."
PAGE = """# False positives and coverage of mixed models

Simulated studies in which people and items truly differ in the effect: 60 people, 20 items, one answer each. People:
{people}. Items: {items}. Linear answers have noise of SD 1.5; yes/no answers and ratings of five have logistic noise.
The factor varies within people and items, between people, or between items; a slope exists wherever it varies within.

False positives: the share of studies without an effect in which p < .05 (two-sided). Coverage: the share of 95 % intervals
that hold the true effect, 0.5 (linear) or 0.6 in log-odds; for intercepts alone, that hold 0. Simplified: the share of
studies in which the maximal structure could not be estimated and was reduced by the stated rule. `maximal` is the
plan of the ready studies. First seeds: {seeds}; `docs/mixed_coverage.py` makes every number again.
"""


class Case(NamedTuple):
    """One simulated study."""

    model: str
    factor: str
    structure: str
    effect: float
    number: int

    @property
    def key(self) -> str:
        """What tells this study from others in the file of results."""
        return "/".join(map(str, self))


def drawn(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return answers, the factor, people and items; the same number gives the same people for every structure."""
    rng = np.random.default_rng([SEEDS[case.model], FACTORS.index(case.factor), int(case.effect > 0), case.number])
    person, item = (axis.ravel() for axis in np.meshgrid(np.arange(N_PEOPLE), np.arange(N_ITEMS), indexing="ij"))
    is_first = {"within": (person + item) % 2, "between": person % 2, "item": item % 2}[case.factor] == 0
    level = np.where(is_first, 0.5, -0.5)
    of_people = rng.multivariate_normal([0, 0], PEOPLE, N_PEOPLE)
    of_items = rng.multivariate_normal([0, 0], ITEMS, N_ITEMS)
    value = case.effect * level + of_people[person, 0] + of_items[item, 0]
    # A slope exists only where the factor changes within the person or the item.
    value = value + level * (of_people[person, 1] if case.factor != "between" else 0.0)
    value = value + level * (of_items[item, 1] if case.factor != "item" else 0.0)
    if case.model == "linear":
        return 4 + value + rng.normal(0, NOISE_SD, value.size), level, person, item
    latent = value + rng.logistic(0, 1, value.size)
    if case.model == "logistic":
        return (latent > -0.5).astype(float), level, person, item
    return np.digitize(latent, CUTS).astype(float), level, person, item


def simulated(case: Case) -> dict[str, Any]:
    """Return what the analysis of one simulated study says."""
    answers, level, person, item = drawn(case)
    predictors = np.column_stack([np.ones(level.size), level])
    slope = Effect("factor", level[:, None], (level,))
    groups = [Group("participant", person), Group("item", item)]
    if case.structure == "maximal":
        groups = [maximal_group(group.name, group.labels, [slope]) for group in groups]
    fit = fit_linear_mixed if case.model == "linear" else fit_category_mixed
    found, simplified = simplified_fit(lambda terms: fit(answers, predictors, terms), groups)
    test = lmm_t_test(found, [0, 1])
    return {
        "key": case.key,
        "p": test.p_value,
        "effect": test.estimate,
        "covers": bool(test.interval.low <= case.effect <= test.interval.high),
        "steps": len(simplified.steps),
        "converged": found.is_converged,
    }


def cases(n: int, models: Iterable[str]) -> list[Case]:
    """Return every simulated study, in rounds, so that a run that stops early has some of each."""
    return [
        Case(model, factor, structure, effect, number)
        for number in range(n)
        for model in models
        for factor in FACTORS
        for structure in STRUCTURES
        for effect in ((0.0, EFFECTS[model]) if structure == "maximal" else (0.0,))
    ]


def run(path: Path, wanted: list[Case], workers: int) -> None:
    """Simulate what the file lacks, one line per study."""
    done = {json.loads(line)["key"] for line in path.read_text().splitlines()} if path.exists() else set()
    waiting = [case for case in wanted if case.key not in done]
    sys.stdout.write(f"{len(wanted)} studies, {len(waiting)} to simulate\n")
    with path.open("a") as lines, multiprocessing.Pool(workers) as pool:
        for number, found in enumerate(pool.imap_unordered(simulated, waiting, chunksize=4), start=1):
            lines.write(json.dumps(found) + "\n")
            if number % 500 == 0:
                lines.flush()
                sys.stdout.write(f"{number}\n")
                sys.stdout.flush()


def summary(path: Path) -> list[dict[str, Any]]:
    """Return one row per model, factor and structure."""
    by_case: dict[tuple[str, str, str], dict[str, list[dict[str, Any]]]] = {}
    for line in path.read_text().splitlines():
        found = json.loads(line)
        model, factor, structure, effect, _ = found["key"].split("/")
        part = "null" if float(effect) == 0 else "effect"
        by_case.setdefault((model, factor, structure), {}).setdefault(part, []).append(found)
    rows = []
    for (model, factor, structure), parts in sorted(by_case.items()):
        null, effect = parts.get("null", []), parts.get("effect", [])
        row = {"model": model, "factor": factor, "structure": structure, "n": len(null)}
        row["false_positives"] = float(np.mean([found["p"] < 0.05 for found in null]))
        row["coverage"] = float(np.mean([found["covers"] for found in effect or null]))
        row["simplified"] = float(np.mean([found["steps"] > 0 for found in null]))
        row["mean_effect"] = float(np.mean([found["effect"] for found in effect])) if effect else None
        rows.append(row)
    return rows


def page(rows: list[dict[str, Any]]) -> str:
    """Return the page: what was simulated, a table, and a sentence for each row outside the limits."""
    lines = [
        PAGE.format(people=PEOPLE_WORDS, items=ITEMS_WORDS, seeds=", ".join(f"{k} {v:,}" for k, v in SEEDS.items()))
    ]
    lines += [
        "| model | factor | random effects | studies | false positives | coverage | simplified |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: (row["structure"] != "maximal", MODELS.index(row["model"]))):
        numbers = f"{row['false_positives']:.3f} | {100 * row['coverage']:.1f} % | {100 * row['simplified']:.0f} %"
        lines.append(f"| {row['model']} | {row['factor']} | {row['structure']} | {row['n']:,} | {numbers} |")
    lines += ["", "## Outside .035 to .065, or 93.5 to 96.5 %", ""]
    for row in rows:
        if 0.035 <= row["false_positives"] <= 0.065 and 0.935 <= row["coverage"] <= 0.965:
            continue
        margin = 1.96 * (0.05 * 0.95 / row["n"]) ** 0.5
        why = WARNED if row["structure"] == "intercepts" else CHANCE.format(margin=100 * margin)
        shown = f"{row['false_positives']:.3f} and {100 * row['coverage']:.1f} %"
        lines.append(f"- {row['model']}, {row['factor']} factor, {row['structure']}: {shown}. {why}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Simulate, or show what was simulated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("run", "summary", "page"))
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--models", nargs="*", default=MODELS)
    parser.add_argument("--lines", type=Path, default=Path("mixed-coverage.jsonl"))
    asked = parser.parse_args()
    if asked.command == "run":
        run(asked.lines, cases(asked.simulations, asked.models), asked.workers)
    rows = summary(asked.lines)
    for row in rows:
        sys.stdout.write(f"{json.dumps(row)}\n")
    if asked.command == "page":
        folder = Path(__file__).parent
        (folder / "mixed-coverage.json").write_text(json.dumps(rows, indent=1) + "\n")
        (folder / "mixed-coverage.md").write_text(page(rows))


if __name__ == "__main__":
    main()
