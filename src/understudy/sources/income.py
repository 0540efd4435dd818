"""Income cases: generated people in eight categories, whose income follows a known rule with noise.

The rule adds points and knows interactions: schooling pays only in full-time work, and long hours pay managers most.
Which side of the line a person falls on is then drawn, more certainly the further the points are from it. No
description occurs twice, so none is in two parts.
"""

from functools import cache

import numpy as np

from understudy.roles import Floats, Ints, Variables
from understudy.sources.cases import Cases, cases_from_places, shuffle_split

LABELS = ("below average", "above average")
LEGEND = Variables(
    ("Age", "Education", "Occupation", "Hours", "Sector", "Savings", "Household", "Region"),
    (
        ("under 30", "30 to 49", "50 or over"),
        ("School", "College", "University"),
        ("Service", "Crafts", "Office", "Technical", "Management"),
        ("Part time", "Full time", "Long hours"),
        ("Private", "Public", "Self-employed"),
        ("None", "Some", "Large"),
        ("Alone", "Couple", "Couple with children"),
        ("North", "South", "Coast", "Capital"),
    ),
)
N_CASES = 4000
NOISE = 0.45
"""Points that a case must be away from the line for the rule to hold in three of four."""
_POINTS: tuple[tuple[float, ...], ...] = (
    (-0.7, 0.2, 0.4),
    (0.0, 0.0, 0.0),
    (-0.9, -0.3, -0.1, 0.4, 0.7),
    (-0.9, 0.1, 0.3),
    (0.1, 0.0, -0.1),
    (-0.5, 0.0, 0.9),
    (-0.2, 0.2, 0.0),
    (-0.1, -0.1, 0.1, 0.3),
)
_SHARES: tuple[tuple[float, ...], ...] = (
    (0.3, 0.4, 0.3),
    (0.4, 0.3, 0.3),
    (0.25, 0.2, 0.25, 0.15, 0.15),
    (0.25, 0.5, 0.25),
    (0.5, 0.25, 0.25),
    (0.4, 0.4, 0.2),
    (0.35, 0.35, 0.3),
    (0.25, 0.25, 0.25, 0.25),
)


def points_from_codes(codes: Floats) -> Floats:
    """Return the points of the rule; above zero means above average, before noise."""
    columns = codes.astype(np.int64).T
    total = np.zeros(len(codes))
    for points, column in zip(_POINTS, columns, strict=True):
        total += np.array(points)[column]
    education, occupation, hours = columns[1], columns[2], columns[3]
    total += np.where(hours > 0, np.array([-0.3, 0.2, 0.9])[education], 0.0)
    total += np.where((hours == 2) & (occupation == 4), 0.8, 0.0)
    return total


@cache
def income_cases() -> Cases:
    """Generate the cases, always the same, and split them."""
    rng = np.random.default_rng(2020)
    drawn = [rng.choice(len(shares), size=3 * N_CASES, p=shares) for shares in _SHARES]
    # Three times as many are drawn, because duplicates are removed; the shuffle undoes the sorting of unique.
    codes = np.unique(np.column_stack(drawn), axis=0).astype(np.float64)
    codes = codes[rng.permutation(len(codes))[:N_CASES]]
    above = rng.random(len(codes)) < 1 / (1 + np.exp(-points_from_codes(codes) / NOISE))
    return cases_from_places(codes, above.astype(np.int64), three_parts(len(codes)), names=LABELS, legend=LEGEND)


def three_parts(n: int) -> tuple[Ints, Ints, Ints]:
    """Split indices into 60, 20 and 20 per cent, always in the same way."""
    rest, test = shuffle_split(n, 0.2, np.random.RandomState(1))
    train, validation = shuffle_split(len(rest), 0.25, np.random.RandomState(2))
    return rest[train], rest[validation], test
