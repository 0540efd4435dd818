"""Worlds with known causes: draw pictures from one, and measure what a model of pictures relies on in it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import NonNegativeInt

from understudy.actions.importance import ImportanceOptions, ModelName, n_pictures, relevance_key, table_from_key
from understudy.actions.worlds import pictures_of, world_from_source
from understudy.api.border import Count, Edge, with_guarded_methods
from understudy.api.explaining import ModelLike
from understudy.api.findings import printed
from understudy.api.progress import progress
from understudy.cli.worlds_view import print_key
from understudy.deferred.pandas import pd
from understudy.models.picture_models import PictureModel, picture_model
from understudy.registry import create
from understudy.report.material_figures import importance_chart
from understudy.roles import Floats, Model, Pixels
from understudy.schema import Ref, RelevanceKey
from understudy.schema.readable import table_html, titled_html
from understudy.sources.picture_pools import model_inputs
from understudy.sources.pictures import picture_from_pixels
from understudy.worlds.families import checked
from understudy.worlds.sampling import sample
from understudy.worlds.world import World

if TYPE_CHECKING:
    import altair as alt

_N_SHOWN = 12


@dataclass(frozen=True)
class WorldPictures:
    """Pictures of a world, with the attributes that they were drawn from.

    Examples
    --------
    >>> len(draw_world("sixt2022", 3, edge=16).labels)
    3
    """

    world: World
    pixels: Pixels
    """Pictures as people see them: (n, height, width, 3), from 0 to 255."""
    attributes: pd.DataFrame
    """A row for each picture; the column `class` is its class."""

    def __len__(self) -> int:
        """Return how many pictures there are."""
        return len(self.pixels)

    @property
    def inputs(self) -> Floats:
        """The pictures as models take them: (n, 3, height, width), from 0 to 1."""
        return model_inputs(self.pixels)

    @property
    def labels(self) -> list[str]:
        """The class of each picture."""
        return [str(name) for name in self.attributes["class"]]

    def __repr__(self) -> str:
        """Say how many pictures of which world there are."""
        return f"{len(self)} pictures of the world {self.world.name} ({', '.join(self.world.classes)})"

    def _repr_html_(self) -> str:
        shown = [_tile(pixels, label) for pixels, label in zip(self.pixels[:_N_SHOWN], self.labels, strict=False)]
        return titled_html(repr(self), f'<div style="display:flex;flex-wrap:wrap;gap:8px">{"".join(shown)}</div>')


@with_guarded_methods
@dataclass(frozen=True, repr=False)
class Importance:
    """What a model relies on in a world: how much its answers change when each attribute is redrawn.

    Examples
    --------
    >>> found = importance("sixt2022", "model.onnx")  # doctest: +SKIP
    >>> found.relevant  # doctest: +SKIP
    ('legs', 'background')
    """

    key: RelevanceKey
    """Everything that was measured, as a study about this model needs it."""

    @property
    def relevant(self) -> tuple[str, ...]:
        """The attributes that the model relies on."""
        return tuple(row.attribute for row in self.key.attributes if row.verdict == "relevant")

    def table(self) -> pd.DataFrame:
        """Return a row for each attribute, the one with the highest R² first."""
        return table_from_key(self.key)

    def figure(self) -> alt.LayerChart:
        """Return R² of each attribute with its interval as an Altair chart, with a line at the threshold."""
        return importance_chart(self.table(), self.key)

    def __str__(self) -> str:
        """Return the table and the verdicts as the command line prints them."""
        return printed(lambda console: print_key(self.key, console, more="give a larger n"))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        headings = ("attribute", "flips", "logit change", "R²", "low", "high", "verdict")
        right = "" if self.key.accuracy is None else f" {self.key.accuracy:.0%} of them classified as drawn."
        told = f"<p>{self.key.n} pictures.{right} Relevant: {', '.join(self.relevant) or 'nothing'}.</p>"
        rows = self.table().itertuples(index=False, name=None)
        return titled_html(f"What {self.key.model} relies on in {self.key.world}", told, table_html(headings, rows))


WorldLike: TypeAlias = Annotated[World | str | Path, 'a World, a name such as "sixt2022", or the path of a .toml file']
PictureModelLike: TypeAlias = ModelLike | Path


def draw_world(world: WorldLike, n: Count, *, seed: NonNegativeInt = 0, edge: Edge = 64) -> WorldPictures:
    """Draw pictures from a world: a name such as "sixt2022", a .toml file, or a `World`.

    Examples
    --------
    >>> draw_world("sixt2022", 2, edge=16).inputs.shape
    (2, 3, 16, 16)
    """
    known = _world(world)
    table = sample(known, n, seed)
    with progress("Drawing", n) as advance:
        parts = []
        for pixels in pictures_of(known, table, edge):
            parts.append(pixels)
            advance(len(pixels))
    return WorldPictures(known, np.concatenate(parts), table)


def importance(
    world: WorldLike,
    model: PictureModelLike,
    *,
    n: Count = 1000,
    edge: Edge | None = None,
    seed: NonNegativeInt = 0,
    mode: Literal["all_parents", "class_only"] = "all_parents",
) -> Importance:
    """Measure what a model of pictures relies on: change one attribute at a time, and watch the answer.

    The model is an ONNX file, the name of a trained one, a `Ref`, or an object with `labels` and `predict`, which gets
    pictures as (n, 3, height, width) from 0 to 1 and returns a probability for each label.

    Examples
    --------
    >>> class Bright:
    ...     labels = ("Peeky", "Stretchy")
    ...
    ...     def predict(self, inputs):
    ...         share = inputs.mean(axis=(1, 2, 3))
    ...         return np.stack([1 - share, share], axis=1)
    >>> importance("sixt2022", Bright(), n=20, edge=16).key.model
    'Bright'
    """
    known = _world(world)
    found = _picture_model(model, known, edge)
    options = ImportanceOptions(n=n, seed=seed, edge=found.edge, mode=mode)
    with progress("Drawing and asking", n_pictures(known, options)) as advance:
        named = ModelName(found.name, found.digest)
        return Importance(relevance_key(known, found.model, options, named=named, advance=advance))


def _world(world: World | str | Path) -> World:
    return checked(world) if isinstance(world, World) else world_from_source(str(world))


def _picture_model(model: Model | Ref | str | Path, world: World, edge: int | None) -> PictureModel:
    if isinstance(model, str | Path):
        return picture_model(str(model), world, edge=edge)
    known: Any = create("models", model) if isinstance(model, Ref) else model
    return PictureModel(known, _name_of(model), "", edge or ImportanceOptions().edge)


def _name_of(model: object) -> str:
    params: Mapping[str, Any] = model.params if isinstance(model, Ref) else {}
    path = params.get("path")
    if isinstance(path, str):
        return Path(path).stem
    return model.name if isinstance(model, Ref) else type(model).__name__


def _tile(pixels: Pixels, label: str) -> str:
    content = base64.b64encode(picture_from_pixels(pixels).content).decode()
    picture = (
        f'<img src="data:image/png;base64,{content}" width="96" alt="A {label}" style="image-rendering:pixelated">'
    )
    return f'<figure style="margin:0">{picture}<figcaption>{label}</figcaption></figure>'
