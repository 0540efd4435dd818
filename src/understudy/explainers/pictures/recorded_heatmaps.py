"""Recorded heat maps: what any library, such as captum, said about each picture, kept in a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from understudy.errors import MaterialsError
from understudy.explainers.pictures.explained_pictures import ExplainedPicture, pictures_of_inputs
from understudy.explainers.pictures.given_maps import grids_of_pictures
from understudy.explainers.pictures.heatmap_recording import Recorded, read_recorded, recorded, write_recorded
from understudy.explainers.pictures.own_scale import OwnScale, on_own_scale
from understudy.explainers.reading import columns_of, require_recorded
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng, Sample
from understudy.schema import AssetPath, Heatmap, Record, Ref, heatmap_layer

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
