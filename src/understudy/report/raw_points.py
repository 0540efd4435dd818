"""The raw points of a figure: each participant's analysed value in each group."""

import zlib
from typing import Final

import pandas as pd

from understudy.errors import TableError

POINTS_COLUMNS: Final = ("hypothesis_id", "participant", "group", "value")
"""The columns of the tidy frame that figures draw from."""

MOST_DRAWN: Final = 2000
"""With more points than this, a figure draws a random subset and says so."""


def points_of(hypothesis_id: str, points: pd.DataFrame | None) -> pd.DataFrame:
    """Return the numeric points of one hypothesis, each with a stable jitter."""
    if points is None:
        return pd.DataFrame({"participant": [], "group": [], "value": [], "jitter": []})
    missing = [column for column in POINTS_COLUMNS if column not in points.columns]
    if missing:
        raise TableError(
            f"The frame of raw points lacks {', '.join(missing)}. Its columns must be {', '.join(POINTS_COLUMNS)}."
        )
    rows = points.loc[points["hypothesis_id"] == hypothesis_id, ["participant", "group", "value"]].copy()
    rows["value"] = pd.to_numeric(rows["value"], errors="coerce")
    rows = rows.dropna(subset=["value"])
    rows["participant"] = rows["participant"].astype(str)
    rows["group"] = rows["group"].astype(str)
    rows["jitter"] = [stable_jitter(name) for name in rows["participant"]]
    return rows.reset_index(drop=True)


def stable_jitter(participant: str) -> float:
    """Return a number between -1 and 1 that depends only on the name.

    A hash instead of a random number, so that a person has the same height in every figure on every machine.
    """
    return zlib.crc32(participant.encode()) / 0xFFFFFFFF * 2 - 1


def is_paired(points: pd.DataFrame) -> bool:
    """Tell whether any participant has points in more than one group."""
    return bool(len(points)) and bool((points.groupby("participant")["group"].nunique() > 1).any())


def is_of_trials(points: pd.DataFrame) -> bool:
    """Tell whether any participant has several points in a group, as with single trials."""
    return bool(points.duplicated(["participant", "group"]).any())


def thinned(points: pd.DataFrame) -> pd.DataFrame:
    """Return about MOST_DRAWN points; a participant keeps all points or none."""
    if len(points) <= MOST_DRAWN:
        return points
    # Whole participants are kept, so that the lines of paired points stay complete.
    people = points["participant"].drop_duplicates()
    chosen = sorted(people, key=stable_jitter)[: max(1, len(people) * MOST_DRAWN // len(points))]
    return points[points["participant"].isin(chosen)]
