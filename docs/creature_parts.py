"""Measures whether the maps of the shipped networks point at the parts of creatures that count, into hive-parts.json.

`python docs/creature_parts.py` takes some minutes; `docs/hive_models.py` writes the table into its page.
"""

import json
from pathlib import Path

import numpy as np

from understudy.actions.part_evidence import evidence_agreement
from understudy.worlds.creature_sets import CreatureSet, creatures_of

KEPT = Path(__file__).parent / "hive-parts.json"
METHODS = ("gradcam", "bagnet", "protopnet", "prototree")
N_CREATURES, SEED, N_SHUFFLED = 200, 1, 10


def measured() -> list[dict[str, object]]:
    """Return one row for each network."""
    creatures = creatures_of(CreatureSet(n=N_CREATURES, seed=SEED, part="test"))
    rows: list[dict[str, object]] = []
    for method in METHODS:
        found = evidence_agreement(f"shipped:kim2022/{method}", creatures, n_shuffled=N_SHUFFLED)
        shuffled = [copy.correlation for copy in found.shuffled]
        rows.append(
            {
                "method": method,
                "correlation": round(found.maps.correlation, 3),
                "low": round(found.maps.low, 3),
                "high": round(found.maps.high, 3),
                "n": found.maps.n_pictures,
                "shuffled_mean": round(float(np.mean(shuffled)), 3),
                "shuffled_low": round(min(shuffled), 3),
                "shuffled_high": round(max(shuffled), 3),
            }
        )
    return rows


if __name__ == "__main__":
    kept = {"n_creatures": N_CREATURES, "seed": SEED, "n_shuffled": N_SHUFFLED, "rows": measured()}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
