"""Small files in the form of the published ones, for tests that need no real data."""

from pathlib import Path

import numpy as np

_OPENINGS = ("the film is", "a story so", "its cast seems", "every scene looks")
_WORDS = {"pos": ("moving", "clever", "warm", "superb", "funny"), "neg": ("dull", "flat", "clumsy", "tired", "silly")}


def write_adult(folder: Path, n: int = 900) -> Path:
    """Write n records with random values; more hours make the higher class likelier."""
    rng = np.random.default_rng(1)
    hours = rng.integers(20, 60, size=n)
    columns = [
        rng.integers(18, 70, size=n),
        rng.choice(["Private", "State-gov", "?"], n),
        np.full(n, 77516),
        rng.choice(["Bachelors", "HS-grad", "Masters", "10th"], n),
        np.full(n, 13),
        rng.choice(["Never-married", "Married-civ-spouse", "Divorced"], n),
        rng.choice(["Sales", "Craft-repair", "Exec-managerial"], n),
        rng.choice(["Husband", "Wife", "Unmarried"], n),
        rng.choice(["White", "Black"], n),
        rng.choice(["Male", "Female"], n),
        rng.choice([0, 0, 2174, 15024], n),
        rng.choice([0, 0, 1500, 2000], n),
        hours,
        rng.choice(["United-States", "Cuba", "Mexico"], n),
        np.where(rng.random(n) < (hours - 15) / 60, ">50K", "<=50K"),
    ]
    lines = [", ".join(map(str, row)) for row in zip(*columns, strict=True)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adult.data").write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return folder


def write_polarity(folder: Path, n: int = 150) -> Path:
    """Write n lines for and n against, all different."""
    folder.mkdir(parents=True, exist_ok=True)
    for label, words in _WORDS.items():
        lines = [
            f"{_OPENINGS[k % 4]} {words[k % 5]} and {words[(k // 5) % 5]} , number{k} says {label} ." for k in range(n)
        ]
        (folder / f"rt-polarity.{label}").write_bytes("\n".join(lines).encode("latin-1"))
    return folder
