"""Heat-map recording: one map or several for each picture in a file, a byte for each place, found by the picture's key."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError
from understudy.roles import Floats
from understudy.sources.file_cache import read_once
from understudy.sources.number_files import arrays_from_npz

Bytes = npt.NDArray[np.uint8]
MAX_SAMPLED = 10_000_000
"""Values that the shared limits are read from; of more, every second or third one is enough."""
_ARRAYS = {"keys": "S", "maps": "u", "limits": "f", "shared": "f", "is_signed": "b", "toward": "U", "labels": "U"}
"""The arrays of a file, and the kind of each."""


class Recorded(NamedTuple):
    """The content of a file."""

    keys: tuple[str, ...]
    """Of the pictures."""
    maps: Bytes
    """(pictures, classes, rows, columns); 0 is the lower limit of the picture and 255 the upper one."""
    limits: Floats
    """(pictures, 2): between what the maps of a picture lie."""
    shared: tuple[float, float]
    """The limits of a scale for all pictures."""
    is_signed: bool
    toward: tuple[str, ...]
    """The class that the map of each picture speaks for; empty where nobody said, or where there are several."""
    labels: tuple[str, ...]
    """The class of each map of a picture, where there are several."""

    @property
    def places(self) -> Mapping[str, int]:
        """Where the maps of each picture are."""
        # Reversed, so that of pictures with the same key the first one counts.
        return {key: position for position, key in reversed([*enumerate(self.keys)])}

    def grid(self, position: int, layer: int) -> Floats:
        """Return the numbers of one map."""
        low, high = (float(limit) for limit in self.limits[position])
        shares: Floats = self.maps[position, layer].astype(np.float64) / 255
        return low + shares * (high - low)


def recorded(
    grids: Iterator[Floats], keys: tuple[str, ...], *, is_signed: bool | None, clips: float
) -> Recorded:  # fmt: skip
    """Turn grids of numbers into bytes, each picture between limits of its own, and find limits that all can share."""
    found = [_packed(grid) for grid in grids]
    limits = np.array([packed.limits for packed in found])
    made = Recorded(keys, np.stack([packed.maps for packed in found]), limits, (0.0, 1.0), False, ("",) * len(keys), ())
    signed = bool(limits.min() < 0) if is_signed is None else is_signed
    return made._replace(is_signed=signed, shared=_shared(made, is_signed=signed, clips=clips))


def write_recorded(path: Path, made: Recorded) -> None:
    """Write a file."""
    arrays: dict[str, Any] = {
        **made._asdict(),
        "keys": np.array(made.keys, dtype="S"),
        "toward": np.array(made.toward, dtype="U"),
        "labels": np.array(made.labels, dtype="U"),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def read_recorded(path: Path) -> Recorded:
    """Read a file, or say why it is not one."""
    return read_once(path, _read, advice="Write it with understudy.explainers.record_heatmaps.")


def _read(path: Path) -> Recorded:
    try:
        found = arrays_from_npz(path, _ARRAYS)
    except MaterialsError:
        found = {}
    if found.keys() != _ARRAYS.keys():
        raise MaterialsError(f"{path} is not a recording of heat maps. Write it with record_heatmaps.")
    n = len(found["keys"]) if found["keys"].ndim else 0
    fits = (
        all(found[name].dtype.kind == kind for name, kind in _ARRAYS.items())
        and found["maps"].ndim == 4
        and len(found["maps"]) == n == len(found["toward"])
        and found["limits"].shape == (n, 2)
        and found["shared"].shape == (2,)
    )
    if not fits:
        raise MaterialsError(f"{path} is a damaged recording of heat maps. Write it again with record_heatmaps.")
    low, high = (float(limit) for limit in found["shared"])
    return Recorded(
        tuple(key.decode("ascii") for key in found["keys"].tolist()), found["maps"], found["limits"], (low, high),
        bool(found["is_signed"]), tuple(found["toward"].tolist()), tuple(found["labels"].tolist()),
    )  # fmt: skip


class _Packed(NamedTuple):
    """The maps of one picture, as they are stored."""

    maps: Bytes
    limits: tuple[float, float]


def _packed(grid: Floats) -> _Packed:
    low, high = float(grid.min()), float(grid.max())
    reach = high - low or 1.0
    return _Packed(np.rint((grid - low) / reach * 255).astype(np.uint8), (low, low + reach))


def _shared(made: Recorded, *, is_signed: bool, clips: float) -> tuple[float, float]:
    """Return limits that hold all values but a share of the largest, which take the last colour.

    Single pixels with huge values are common in attributions, and would leave all others pale.
    """
    step = max(1, made.maps.size // MAX_SAMPLED) | 1
    spans = (made.limits[:, 1] - made.limits[:, 0])[:, None]
    values = (made.limits[:, :1] + made.maps.reshape(len(made.maps), -1)[:, ::step] / 255 * spans).ravel()
    if is_signed:
        reach = float(np.quantile(np.abs(values), 1 - clips)) or float(np.abs(made.limits).max()) or 1.0
        return -reach, reach
    low, high = min(0.0, float(made.limits.min())), float(np.quantile(values, 1 - clips))
    high = high if high > low else float(made.limits.max())
    return (low, high) if high > low else (low, low + 1.0)
