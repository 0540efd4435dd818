"""Writes the small seeded data sets that the R scripts and the tests both read.

Usage: python tests/reference/make_inputs.py   (then: Rscript tests/reference/reference.R, simulatability.R and designs.R)
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt

FOLDER = Path(__file__).parent / "inputs"
Floats = npt.NDArray[np.float64]


def write(name: str, **columns: npt.ArrayLike) -> None:
    """Write equally long columns as one CSV file."""
    arrays = [np.asarray(column) for column in columns.values()]
    rows = [",".join(columns)]
    rows += [",".join(_cell(array[i]) for array in arrays) for i in range(len(arrays[0]))]
    (FOLDER / f"{name}.csv").write_text("\n".join(rows) + "\n")


def _cell(value: object) -> str:
    return repr(float(value)) if isinstance(value, np.floating) else str(value)


def two_samples(rng: np.random.Generator) -> None:
    """Pairs without ties, and ordinal groups with many."""
    x = np.round(rng.normal(0.6, 1.0, 17), 6)
    y = np.round(0.5 * x + rng.normal(0, 1.3, 17), 6)
    write("pairs", x=x, y=y)
    sizes = {"base": 31, "concept": 24, "invertible": 28}
    groups = np.repeat(list(sizes), list(sizes.values()))
    scores = np.concatenate([rng.binomial(6, p, n) for p, n in zip((0.6, 0.5, 0.8), sizes.values(), strict=True)])
    write("groups", group=groups, score=scores)
    before = rng.integers(1, 8, 22)
    write("ordinal_pairs", before=before, after=np.clip(before + rng.integers(-1, 4, 22), 1, 7))


def repeated(rng: np.random.Generator) -> None:
    """Complete people × levels matrices: one group, two equal groups, three unequal groups."""
    noise = rng.normal(0, [1.0, 1.6, 0.7, 1.2], (14, 4))
    table = np.round(rng.normal(0, 1, (14, 1)) + noise + [0, 0.6, 0.3, 0.9], 6)
    write("repeated", **{f"w{j + 1}": table[:, j] for j in range(4)})
    for name, sizes in (("split_equal", (9, 9)), ("split_unequal", (6, 11, 8))):
        groups = np.repeat(np.array(["a", "b", "c"])[: len(sizes)], sizes)
        shift = np.array([[0, 0.3, 0.5], [0.4, 1.2, 2.0], [-0.5, 0.2, 0.1]])
        rows = shift[np.repeat(np.arange(len(sizes)), sizes)]
        table = np.round(rows + rng.normal(0, 1, (len(rows), 1)) + rng.normal(0, 1, rows.shape), 6)
        write(name, group=groups, w1=table[:, 0], w2=table[:, 1], w3=table[:, 2])


def crossed(rng: np.random.Generator) -> None:
    """Answers of participants to items with missing cells, and one data set without participant variance."""
    person, item = (axis.ravel() for axis in np.meshgrid(np.arange(18), np.arange(14), indexing="ij"))
    kept = rng.random(person.size) > 0.12
    person, item = person[kept], item[kept]
    condition = (person + item) % 3
    effect = np.array([0.0, 0.7, -0.4])[condition]
    drawn = effect + rng.normal(0, 0.9, 18)[person] + rng.normal(0, 0.6, 14)[item]
    score = np.round(drawn + rng.normal(0, 1, person.size), 6)
    yes = (rng.random(person.size) < 1 / (1 + np.exp(-(0.4 + drawn)))).astype(int)
    flat = rng.normal(0, 1, person.size) + 0.8 * rng.normal(0, 1, 14)[item] + effect
    balanced = flat - np.array([flat[person == i].mean() for i in range(18)])[person]
    coin = np.zeros(person.size, dtype=int)
    for i in range(18):
        own = np.flatnonzero(person == i)
        coin[own] = (np.argsort(np.argsort(rng.random(own.size) - 0.1 * (item[own] % 5))) < own.size * 0.55) * 1
    columns = {"person": person, "item": item, "condition": condition}
    write("crossed", **columns, score=score, yes=yes, flat=np.round(balanced, 6), coin=coin)


def counts(rng: np.random.Generator) -> None:
    """Twelve data sets of (successes, trials) for 8 groups with two cells each."""
    data, group, cell = (axis.ravel() for axis in np.meshgrid(np.arange(12), np.arange(8), [0, 1], indexing="ij"))
    intercept = rng.normal(0, 1, (12, 8)) * np.linspace(0, 1.6, 12)[:, None]
    trials = 6 + (group * 3 + cell) % 7
    eta = 0.3 + 0.6 * cell + intercept[data, group]
    write("counts", data=data, group=group, cell=cell, trials=trials, k=rng.binomial(trials, 1 / (1 + np.exp(-eta))))


def ratings(rng: np.random.Generator) -> None:
    """Two raters on five categories."""
    truth = rng.integers(1, 6, 60)
    first = np.clip(truth + rng.integers(-1, 2, 60), 1, 5)
    second = np.clip(truth + rng.integers(-1, 2, 60) * (rng.random(60) < 0.6), 1, 5)
    write("ratings", first=first, second=second.astype(int))


def responses(rng: np.random.Generator) -> None:
    """Answers of 21 people under five methods before and after explanations, some of whom stopped early, and ratings."""
    method = np.repeat(np.arange(5), (4, 6, 3, 4, 4))
    skill = rng.normal(0.6, 0.5, method.size) + np.array([0.5, -0.4, 0.0, 0.3, -0.5])[method]
    ease = rng.normal(0, 0.7, 32)
    person, item = (axis.ravel() for axis in np.meshgrid(np.arange(method.size), np.arange(32), indexing="ij"))
    kept = item < np.where(rng.random(method.size) < 0.3, 16, 32)[person]
    person, item = person[kept], item[kept]
    start = skill[person] + ease[item]
    before = rng.random(person.size) < 1 / (1 + np.exp(-start))
    after = rng.random(person.size) < 1 / (1 + np.exp(-start - np.array([0.1, 0.0, -0.2, 0.9, 0.4])[method[person]]))
    mood = rng.normal(4.5, 1.0, method.size)[person]
    rating = np.clip(np.round(mood + 0.4 * after + rng.normal(0, 1.2, person.size)), 1, 7).astype(int)
    names = np.array(["anchor", "composite", "decision_boundary", "lime", "prototype"])[method[person]]
    answers = {"before": before.astype(int), "after": after.astype(int), "rating": rating}
    write("responses", person=person, item=item, method=names, **answers)


def factorial(rng: np.random.Generator) -> None:
    """27 people in unequal cells of two factors, with a covariate and six values each, of two factors within people."""
    task = np.repeat(["draw", "draw", "draw", "read", "read", "read"], (5, 4, 4, 3, 6, 5))
    help_ = np.repeat(["map", "none", "text", "map", "none", "text"], (5, 4, 4, 3, 6, 5))
    skill = rng.normal(0, 1, task.size)
    raised = 0.8 * (help_ == "map") + 0.5 * (task == "read") * (help_ == "text")
    cells = {
        f"{phase}_{level}": np.round(
            skill + raised + 0.4 * k + (0.6 * (phase == "after") * (help_ == "map")) + rng.normal(0, 0.9, task.size), 6
        )
        for phase in ("before", "after")
        for k, level in enumerate(("easy", "hard", "odd"))
    }
    age = np.round(40 + 6 * skill + rng.normal(0, 5, task.size), 4)
    write("factorial", task=task, help=help_, age=age, **cells)


def detection(rng: np.random.Generator) -> None:
    """Yes or no to signals and noise of 24 people in two conditions, with a confidence in percent."""
    person, trial = (axis.ravel() for axis in np.meshgrid(np.arange(24), np.arange(20), indexing="ij"))
    condition = np.where(person % 2 == 0, "shown", "hidden")
    signal = (trial % 5 < 2).astype(int)
    evidence = signal * np.where(condition == "shown", 1.4, 0.7) + rng.normal(0, 1, person.size)
    yes = (evidence > 0.5 + rng.normal(0, 0.3, 24)[person]).astype(int)
    confidence = np.clip(np.round(50 + 25 * np.abs(evidence - 0.5) + rng.normal(0, 8, person.size)), 50, 100).astype(
        int
    )
    write(
        "detection",
        person=person,
        item=trial,
        condition=condition,
        signal=signal,
        yes=yes,
        right=(yes == signal).astype(int),
        confidence=confidence,
    )


def errors_and_times(rng: np.random.Generator) -> None:
    """Overdispersed counts and skewed times of two groups of people, with repeated measures of the times."""
    group = np.repeat(["shown", "hidden"], (19, 23))
    mean = np.where(group == "shown", 2.2, 4.0) * rng.gamma(2.0, 0.5, group.size)
    first = np.round(np.exp(rng.normal(1.2, 0.5, group.size)) * np.where(group == "shown", 1.3, 1.0), 5)
    second = np.round(first * np.exp(rng.normal(-0.2, 0.3, group.size)), 5)
    write("errors_and_times", group=group, errors=rng.poisson(mean), first=first, second=second)


def scales(rng: np.random.Generator) -> None:
    """Six items of a scale answered by 40 people, and 14 things rated by 5 people with some ratings missing."""
    trait = rng.normal(0, 1, 40)
    items = {
        f"q{k}": np.clip(np.round(4 + loading * trait + rng.normal(0, 1, 40)), 1, 7).astype(int)
        for k, loading in enumerate((1.2, 0.9, 0.7, 1.4, 0.5, 1.0), start=1)
    }
    write("scale", **items)
    truth, strictness = rng.normal(4, 1.4, 14), rng.normal(0, 0.6, 5)
    raters = {
        f"r{k + 1}": np.clip(np.round(truth + strictness[k] + rng.normal(0, 0.8, 14)), 1, 7).astype(int)
        for k in range(5)
    }
    is_missing = {name: (rng.random(14) < 0.15).astype(int) for name in raters}
    write("raters", **raters, **{f"missing_{name}": column for name, column in is_missing.items()})


def main() -> None:
    """Write every data set, all but the last ones from one seed."""
    FOLDER.mkdir(exist_ok=True)
    rng = np.random.default_rng(20260711)
    for make in (two_samples, repeated, crossed, counts, ratings):
        make(rng)
    responses(np.random.default_rng(20200705))
    rng = np.random.default_rng(20261116)
    for make in (factorial, detection, errors_and_times, scales):
        make(rng)


if __name__ == "__main__":
    main()
