"""Results of made-up concept tests: four tables over the same objects."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from understudy.schema.probe import SetId

STEMS: dict[SetId, str] = {"PP": "M_plus.D_plus", "PD": "M_plus.D", "MP": "M.D_plus", "MD": "M.D"}
ROTATION: dict[SetId, float] = {"PP": 0.9, "PD": 0.6, "MP": 0.65, "MD": 0.75}
"""Shares of right labels as in a concept that helps, and disturbs who has not learned it."""
Frames = dict[SetId, pd.DataFrame]


def frames(shares: Mapping[SetId, float] = ROTATION, *, n: int = 400, seed: int = 0) -> Frames:
    """Draw labels that are right in about the given shares; the objects are the same whatever the seed."""
    rng, of_objects = np.random.default_rng(seed), np.random.default_rng(99)
    truth = of_objects.choice(["coat", "shirt", "boot"], n)
    ease = of_objects.random(n)
    made: Frames = {}
    for one, share in shares.items():
        is_right = 0.7 * ease + 0.3 * rng.random(n) < np.quantile(0.7 * ease + 0.3 * rng.random(n), share)
        label = np.where(is_right, truth, "bag")
        made[one] = pd.DataFrame({"id": [f"x{k}" for k in range(n)], "truth": truth, "label": label})
        made[one]["size"] = np.where(ease < 0.5, "small", "large")
    return made


def write_folder(folder: Path, made: Mapping[SetId, pd.DataFrame] | None = None, *, suffix: str = ".csv") -> Path:
    """Write four tables under the names a folder of results has."""
    folder.mkdir(parents=True, exist_ok=True)
    for one, frame in (made or frames()).items():
        path = folder / f"{STEMS[one]}{suffix}"
        frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    return folder
