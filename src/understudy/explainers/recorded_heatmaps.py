"""Recorded heat maps: what a library returned for each picture, kept as grids of numbers."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError
from understudy.explainers.inputs import columns_of, require_recorded
from understudy.explainers.picture_inputs import ExplainedPicture, OwnScale, on_own_scale, pictures_of_inputs
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng, Sample
from understudy.schema import AssetPath, Heatmap, Record, Ref, heatmap_layer
from understudy.sources.files import arrays_from_npz, read_once


def grids_of_pictures(
    maps: Any, shape: tuple[int, int, int, int], labels: Sequence[str]
) -> Iterator[Floats]:  # fmt: skip
    """Yield (classes, rows, columns) for each picture of a pool of this shape, or say why a map does not fit.

    Each map is read when its turn comes, so that arrays on disk stay there. Channels are summed: attributions add up,
    and their sum is what a place counted.
    """
    if len(maps) != shape[0]:
        raise MaterialsError(
            f"There are {len(maps)} maps, but {shape[0]} pictures. Give one map for each picture of whole(), in its order."
        )
    first: tuple[int, ...] | None = None
    for position in range(shape[0]):
        values = _numbers(maps[position], position)
        grid = _grid(values, shape, labels, position)
        first = first or grid.shape
        if grid.shape != first:
            raise MaterialsError(
                f"The map of picture {position + 1} has the shape {grid.shape}, but the first one has {first}. "
                "Give all maps one shape."
            )
        n_odd = int((~np.isfinite(grid)).sum())
        if n_odd:
            raise MaterialsError(
                f"The map of picture {position + 1} has {n_odd} values of {grid.size} that are NaN or infinite. "
                "Explain that picture again, or set them to 0."
            )
        yield grid


def _numbers(given: Any, place: int) -> Floats:
    # A tensor that remembers its gradient must let go of it, and one on a graphics card must come from there.
    plain = given.detach().cpu() if hasattr(given, "detach") else given
    try:
        return np.asarray(plain, dtype=np.float64)
    except (TypeError, ValueError) as error:
        reason = (str(error).splitlines() or ["no reason given"])[0][:160]
        raise MaterialsError(
            f"The map of picture {place + 1} cannot be read as numbers: {reason}. Give arrays of numbers."
        ) from None


def _grid(values: Floats, shape: tuple[int, int, int, int], labels: Sequence[str], place: int) -> Floats:
    _, height, width, n_channels = shape
    by_class = values if labels else values[None]
    if by_class.ndim == 4 and by_class.shape[1] in (1, n_channels):
        by_class = by_class.sum(axis=1)
    n_rows, n_columns = by_class.shape[-2:] if by_class.ndim == 3 else (0, 0)
    is_fine = n_rows > height or n_columns > width
    if by_class.ndim != 3 or len(by_class) != max(1, len(labels)) or not by_class.size or is_fine:
        classes = f"{len(labels)} classes, " if labels else ""
        raise MaterialsError(
            f"The map of picture {place + 1} has the shape {values.shape}, but pictures are {n_channels} channels x "
            f"{height} x {width}. Give ({classes}rows, columns) or ({classes}channels, rows, columns), no finer than the picture."
        )
    return by_class


# Heat-map recording: one map or several for each picture in a file, a byte for each place, found by the picture's key.

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


# Recorded heat maps: what any library, such as captum, said about each picture, kept in a file.

_RECORD_ALL = (
    "It has one map for each picture, and the page shows maps of several classes. Record those of all classes: "
    "record_heatmaps(path, pictures, maps, labels=...), with maps of the shape (pictures, classes, rows, columns)."
)


@register("explainers", "recorded_heatmaps")
class RecordedHeatmaps(Record):
    """Explains each picture with the map that a file of `understudy.explainers.record_heatmaps` has for it."""

    kinds: ClassVar[frozenset[str]] = frozenset({"heatmap"})
    path: AssetPath
    scale: Literal["shared", "per_map"] = "shared"
    """Whether the maps of all pictures share one scale, or those of each picture fill a scale from 0 to 1."""
    names_class: bool = False
    """Whether the class is written above a single map; where people predict the answer, that would give it away."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return what was recorded for each picture."""
        path = Path(self.path)
        known = read_recorded(path)
        pictures = list(pictures_of_inputs(inputs, method="recorded_heatmaps"))
        places = known.places
        n_absent = sum(picture.key not in places for picture in pictures)
        if n_absent:
            raise MaterialsError(
                f"{path.name} has maps of {len(known.keys)} pictures, but lacks {n_absent} that the study shows. "
                "Record a map of every picture of the dataset, with the same `edge` and `fit`."
            )
        found = [places[picture.key] for picture in pictures]
        _require_labels(model, known, path.name)
        layers = _layers_for(model, known, found, targets, source=path.name)
        heatmaps = tuple(
            self._heatmap(known, picture, place, chosen)
            for picture, place, chosen in zip(pictures, found, layers, strict=True)
        )
        return Explained(heatmaps, {picture.shown.file: picture.content for picture in pictures})

    def classes_of(self, inputs: Floats) -> list[tuple[str, ...]]:
        """Return the class that the map of each picture is for; none where nobody said, and where every class has its map."""
        known = read_recorded(Path(self.path))
        places = known.places
        found = [places.get(picture.key) for picture in pictures_of_inputs(inputs, method="recorded_heatmaps")]
        return [tuple(filter(None, [known.toward[place]])) if place is not None else () for place in found]

    def _heatmap(self, known: Recorded, picture: ExplainedPicture, place: int, layers: Sequence[int]) -> Heatmap:
        shared = OwnScale(tuple(known.grid(place, layer) for layer in layers), known.shared)
        grids, limits = shared if self.scale == "shared" else on_own_scale(shared.grids, is_signed=known.is_signed)
        names = [known.labels[layer] if known.labels else known.toward[place] for layer in layers]
        is_named = self.names_class or len(layers) > 1
        drawn = tuple(
            heatmap_layer(grid, limits, name if is_named else "") for grid, name in zip(grids, names, strict=True)
        )
        return Heatmap(picture=picture.shown, layers=drawn, limits=limits, is_signed=known.is_signed)


def record_heatmaps(
    path: str | Path,
    pictures: Sample,
    maps: Any,
    *,
    toward: str | Sequence[str] = "",
    labels: Sequence[str] = (),
    is_signed: bool | None = None,
    scale: Literal["shared", "per_map"] = "shared",
    clips: float = 0.02,
) -> Ref:
    """Write maps, one for each picture of a `whole()` sample, and return the explainer to bind.

    Each map has the shape (rows, columns), or (channels, rows, columns), whose channels are summed; it may be coarser
    than the picture. `toward` is the class that maps speak for: one for all, or one for each picture. Maps of several
    classes have one more axis after that of the pictures, and `labels` gives its order. Maps with negative values are
    drawn in two colours, unless `is_signed` says otherwise. The share `clips` of the largest values takes the last
    colour of a shared scale.

    Examples
    --------
    >>> record_heatmaps(Path("gradcam"), photos, maps)  # doctest: +SKIP
    """
    path = Path(path)
    if pictures.pictures is None or pictures.keys is None or not len(pictures.keys):
        raise MaterialsError(
            "These are not pictures that a model reads. Give picture_folder or picture_array .whole()."
        )
    if not 0 <= clips < 1:
        raise MaterialsError(f"`clips` is {clips}. Give a share from 0 to below 1, such as 0.02.")
    named = tuple(str(label) for label in labels)
    towards = _towards(toward, len(pictures.keys), named)
    grids = grids_of_pictures(maps, pictures.pictures.shape, named)
    # Keys are read one by one, so that a large pool stays on disk.
    made = recorded(grids, tuple(pictures.keys), is_signed=is_signed, clips=clips)
    target = path.with_suffix(".npz")
    write_recorded(target, made._replace(toward=towards, labels=named))
    params: dict[str, Any] = {"path": target.as_posix()}
    return Ref(name="recorded_heatmaps", params=params if scale == "shared" else {**params, "scale": scale})


def _towards(toward: str | Sequence[str], n: int, labels: tuple[str, ...]) -> tuple[str, ...]:
    if labels and (not isinstance(toward, str) or toward):
        raise MaterialsError("Maps of several classes have `labels`, so `toward` has no meaning. Leave it out.")
    found = (toward,) * n if isinstance(toward, str) else tuple(str(label) for label in toward)
    if len(found) != n:
        raise MaterialsError(f"`toward` has {len(found)} classes for {n} pictures. Give one for all, or one for each.")
    return found


def _require_labels(model: Model, known: Recorded, source: str) -> None:
    strange = sorted({*known.labels, *known.toward} - {"", *model.labels})
    if strange:
        raise MaterialsError(
            f"{source} has maps for {', '.join(map(repr, strange))}, which the model does not have among its labels: "
            f"{', '.join(model.labels)}. Record maps for these."
        )


def _layers_for(
    model: Model, known: Recorded, places: Sequence[int], targets: Ints | None, *, source: str
) -> list[Sequence[int]]:
    """Return which maps of each picture are shown: all, or those of the target class."""
    every = range(known.maps.shape[1])
    if targets is None or not known.labels:
        toward = [known.toward[position] for position in places]
        require_recorded(model, toward, targets, source=source, advice=_RECORD_ALL)
        return [every] * len(places)
    wanted = [model.labels[column] for column in columns_of(model, None, targets, n=len(places))]
    absent = sorted({*wanted} - {*known.labels})
    if absent:
        raise MaterialsError(
            f"{source} has no map for the class {', '.join(map(repr, absent))}. It has maps for: {', '.join(known.labels)}."
        )
    return [[known.labels.index(label)] for label in wanted]
