"""Write the ten data sets on which mixed models are compared with R.

Usage: python tests/reference/make_mixed_inputs.py   (writes tests/reference/inputs/mixed_*.csv)
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]
FOLDER = Path(__file__).parent / "inputs"
CUTS = (-1.5, -0.4, 0.5, 1.6)


class Shape(NamedTuple):
    """A design: how many people and items, what varies, and how strongly people and items differ."""

    n_people: int
    n_items: int
    factor: str
    """within: over trials; between: over people; item: over items; three: three levels over trials."""
    people_slope: float = 1.0
    items_slope: float = 0.9
    missing: float = 0.0


SHAPES = {
    "within": Shape(30, 14, "within"),
    "between": Shape(30, 12, "between"),
    "item": Shape(24, 16, "item"),
    "three": Shape(30, 15, "three"),
    "interaction": Shape(32, 12, "within"),
    "covariate": Shape(28, 14, "within"),
    "missing": Shape(30, 16, "within", missing=0.2),
    "singular": Shape(20, 10, "within", people_slope=0.0, items_slope=0.0),
    "few": Shape(8, 12, "within"),
    "wide": Shape(14, 30, "between", missing=0.1),
}


def effects(intercept: float, slope: float, n: int, rng: np.random.Generator) -> Floats:
    """Return intercepts and slopes with these standard deviations and a correlation of 0.2."""
    shared = 0.2 * intercept * slope
    return rng.multivariate_normal([0, 0], [[intercept**2, shared], [shared, slope**2]], n)


def rows_of(shape: Shape, rng: np.random.Generator) -> pd.DataFrame:
    """Return one row per answer: scores, yes or no, and a rating of five."""
    person, item = (axis.ravel() for axis in np.meshgrid(range(shape.n_people), range(shape.n_items), indexing="ij"))
    turn = {"within": person + item, "between": person, "item": item, "three": person + item}[shape.factor]
    n_levels = 3 if shape.factor == "three" else 2
    level = turn % n_levels
    codes = np.array([[0.5, 0.25], [-0.5, 0.25], [0.0, -0.5]]) if n_levels == 3 else np.array([[0.5, 0.0], [-0.5, 0.0]])
    a, b = codes[level].T
    group = np.where((person // 2) % 2, 0.5, -0.5)
    age = rng.normal(0, 1, shape.n_people)[person].round(2)
    people = effects(1.0, shape.people_slope, shape.n_people, rng)
    items = effects(0.7, shape.items_slope, shape.n_items, rng)
    value = 0.4 * a + 0.3 * group + 0.5 * a * group + 0.3 * age + people[person, 0] + items[item, 0]
    value = value + a * (people[person, 1] * (shape.factor != "between") + items[item, 1] * (shape.factor != "item"))
    value = value + b * rng.normal(0, 1.5, shape.n_people)[person]
    latent = value + rng.logistic(0, 1, value.size)
    table = pd.DataFrame(
        {
            "person": person,
            "item": item,
            "level": np.array(["x", "y", "z"])[level],
            "a": a,
            "b": b,
            "group": group,
            "age": age,
            "score": (4 + value + rng.normal(0, 1, value.size)).round(3),
            "yes": (latent > 0).astype(int),
            "rating": np.digitize(latent, CUTS) + 1,
        }
    )
    return table[rng.random(len(table)) >= shape.missing]


if __name__ == "__main__":
    for number, (name, shape) in enumerate(SHAPES.items()):
        rows_of(shape, np.random.default_rng([16, number])).to_csv(FOLDER / f"mixed_{name}.csv", index=False)
