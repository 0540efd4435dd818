"""Grids of pictures that explain a whole model: by logit, by score, by counterfactuals."""

from io import BytesIO
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd
from PIL import Image
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.explainers.inputs import column_of, log_odds, require_two_labels
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Pixels, Rng, Sample
from understudy.schema import AssetPath, DatasetRef, GridCell, PictureGrid, Record, ShownPicture
from understudy.sources.logit_columns import (
    Binning,
    certainty_headings,
    columns_of_logits,
    rows_without_reuse,
    start_candidates,
    target_logits,
)
from understudy.sources.picture_pools import answers_to_pool, model_inputs
from understudy.sources.pictures import picture_from_pixels
from understudy.worlds.families import world_from_toml, world_named
from understudy.worlds.pictures import Staging, attribute_rows, direction_of, moved_rows
from understudy.worlds.world import World

# Pictures of a sample: the file that an item shows, with its size.


class SamplePicture(NamedTuple):
    """A picture, and the bytes behind it."""

    shown: ShownPicture
    content: bytes


class ScoredPictures(NamedTuple):
    """The items of a sample that show pictures, and what the model answers to each."""

    places: list[int]
    answers: Floats


def scored_pictures(model: Model, sample: Sample) -> ScoredPictures:
    """Let a model answer to the pictures of a sample, without writing any as a file."""
    if sample.pictures is not None:
        n = sample.pictures.shape[0]
        return ScoredPictures([*range(n)], answers_to_pool(model, sample.pictures, 0, n))
    if sample.inputs is None or not len(sample.contents):
        raise MaterialsError("A score grid needs pictures with inputs for the model. Name a dataset of pictures.")
    places = [position for position in range(len(sample.contents)) if _address_in(sample, position) is not None]
    return ScoredPictures(places, model.predict(sample.inputs[places]) if places else sample.inputs[:0])


def picture_at(sample: Sample, place: int) -> SamplePicture:
    """Return the picture of an item; a lazy one is written as a file now."""
    address = _address_in(sample, place)
    if address is None:
        raise MaterialsError(f"Item {place + 1} of the dataset shows no picture. Name a dataset whose items show some.")
    content = sample.assets[address]
    width, height = Image.open(BytesIO(content)).size
    return SamplePicture(ShownPicture(file=address, width=width, height=height), content)


def _address_in(sample: Sample, place: int) -> str | None:
    """Return the address of the first picture that an item shows, if it shows any."""
    values = [value for value in sample.contents[place].values() if isinstance(value, str)]
    return next((value for value in values if value in sample.assets), None)


@register("model_explainers", "logit_grid")
class LogitGrid(Record):
    """Shows pictures in five columns by the model's logit; every row has one random picture of each column.

    The baseline of Sixt, Schuessler, Popescu, Weiß and Landgraf (2022): 10 rows from 3,000 pictures.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"picture_grid"})
    dataset: DatasetRef | None = None
    """The dataset of the pictures; by default the one bound to the condition."""
    n: int = Field(default=3000, ge=5, le=1_000_000)
    """How many pictures to choose from."""
    n_rows: int = Field(default=10, ge=1, le=1000)
    binning: Binning = "quantile"
    """quantile: each column has a fifth of the pictures, as the paper says; symmetric: borders at equal distances from 0,
    by percentiles 20 and 60 of the absolute logit, as the code of the study computes them."""

    def explain_model(self, model: Model, sample: Sample, rng: Rng) -> Explained:
        """Return the grid."""
        require_two_labels(model)
        scored = scored_pictures(model, sample)
        columns = columns_of_logits(log_odds(scored.answers), self.binning)
        places = np.array(scored.places, dtype=np.int64)[rows_without_reuse(columns, self.n_rows, rng)]
        pictures = {int(place): picture_at(sample, int(place)) for place in places.ravel()}
        grid = PictureGrid(
            column_headings=certainty_headings(model.labels),
            rows=tuple(tuple(GridCell(picture=pictures[int(place)].shown) for place in row) for row in places),
        )
        return Explained((grid,), {picture.shown.file: picture.content for picture in pictures.values()})


# Rendered counterfactuals: the same animal drawn again with relevant attributes moved, for any model over a world.


@register("model_explainers", "rendered_counterfactuals")
class RenderedCounterfactuals(Record):
    """Shows in each row one picture at five logits, reached by moving relevant attributes and rendering again.

    The ideal counterfactual explanation, as an upper bound for methods that must generate pictures. The pictures must be
    items of `rendered_world` with the same world; needs the extra `scenes`.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"picture_grid"})
    moved: tuple[str, ...] = Field(min_length=1)
    """The attributes that move together: those that the model is known to rely on."""
    world: str = "sixt2022"
    """A world that comes with the package."""
    file: AssetPath | None = None
    """In place of `world`: a world of your own, as a TOML file."""
    dataset: DatasetRef | None = None
    """The dataset of the pictures; by default the one bound to the condition."""
    n: int = Field(default=500, ge=10, le=1_000_000)
    """How many pictures decide about targets and directions."""
    n_rows: int = Field(default=10, ge=1, le=1000)
    percentile: float = Field(default=90, gt=50, le=100)
    """The outer targets are this percentile of the absolute logit, the inner ones its median."""
    tolerance: float = Field(default=0.1, gt=0)
    """How far a logit may be from its target."""

    def explain_model(self, model: Model, sample: Sample, rng: Rng) -> Explained:
        """Return the grid; logits that miss their targets are refused."""
        require_two_labels(model)
        if sample.pictures is None:
            raise MaterialsError(
                "Counterfactuals are rendered from pictures of a world. Bind the dataset rendered_world."
            )
        world = self._world()
        rows = attribute_rows(world, pd.DataFrame({name: list(held) for name, held in sample.attributes.items()}))
        logits = log_odds(scored_pictures(model, sample).answers)

        def logits_of(pixels: Pixels) -> Floats:
            return log_odds(model.predict(model_inputs(pixels)))

        staging = Staging(world, sample.pictures.shape[1], logits_of, self.moved, self.tolerance)
        targets = target_logits(logits, percentile=self.percentile)
        direction = direction_of(staging, rows, logits)
        found = moved_rows(
            staging, rows, start_candidates(logits, rng), direction=direction, targets=targets, n=self.n_rows
        )
        missed = float(np.abs(np.stack([row.logits for row in found]) - targets).max())
        if missed > self.tolerance:
            raise MaterialsError(
                f"A counterfactual misses its logit by {missed:.3f}, but at most {self.tolerance:g} is allowed. Raise "
                "`tolerance`, or bind a model that answers more smoothly."
            )
        files: dict[str, bytes] = {}
        cells = tuple(tuple(_cell(pixels, files) for pixels in row.pictures) for row in found)
        return Explained((PictureGrid(rows=cells, column_headings=certainty_headings(model.labels)),), files)

    def _world(self) -> World:
        return world_named(self.world) if self.file is None else world_from_toml(Path(self.file))


def _cell(pixels: Pixels, files: dict[str, bytes]) -> GridCell:
    picture = picture_from_pixels(pixels)
    files[picture.address] = picture.content
    height, width = pixels.shape[:2]
    return GridCell(picture=ShownPicture(file=picture.address, width=width, height=height))


# Score grid: example pictures, sorted by how likely the model finds a class.


@register("model_explainers", "score_grid")
class ScoreGrid(Record):
    """Shows, in rows from low to high, pictures to which the model gives higher and higher probabilities of a class.

    The baseline of Sixt, Schuessler, Popescu, Weiß and Landgraf (2022), with 10 bins of 5 pictures each.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"picture_grid"})
    dataset: DatasetRef | None = None
    """The dataset of the pictures; by default the one bound to the condition."""
    n: int = Field(default=500, ge=1, le=1_000_000)
    """How many pictures to sort."""
    label: str | None = None
    """The class to explain. Default: the second one."""
    n_rows: int = Field(default=10, ge=1, le=1000)
    n_columns: int = Field(default=5, ge=1, le=1000)
    binning: Literal["quantiles", "equal_width"] = "quantiles"
    """quantiles: rows with equally many pictures; equal_width: rows of equal ranges of the probability."""
    shows_scores: bool = True
    """Whether a heading next to each row gives its range."""

    def explain_model(self, model: Model, sample: Sample, rng: Rng) -> Explained:
        """Return the grid; cells stay empty if a row has too few pictures."""
        column = column_of(model, self.label)
        scored = scored_pictures(model, sample)
        if not scored.places:
            raise MaterialsError("The dataset of a score grid has no pictures. Name a dataset whose items show some.")
        shown = np.array(scored.places, dtype=np.int64)
        scores = np.asarray(scored.answers[:, column], dtype=np.float64)
        bins = self._bins(scores)
        rows = [shown[self._chosen(np.flatnonzero(bins == k), rng)] for k in range(self.n_rows)]
        pictures = {int(k): picture_at(sample, int(k)) for row in rows for k in row}
        cells = tuple(
            (*(GridCell(picture=pictures[int(k)].shown) for k in row), *(None,) * (self.n_columns - len(row)))
            for row in rows
        )
        headings = tuple(self._heading(scores[bins == k], k) for k in range(self.n_rows)) if self.shows_scores else ()
        grid = PictureGrid(rows=cells, row_headings=headings)
        return Explained((grid,), {picture.shown.file: picture.content for picture in pictures.values()})

    def _bins(self, scores: Floats) -> Ints:
        if self.binning == "equal_width":
            return np.minimum((scores * self.n_rows).astype(np.int64), self.n_rows - 1)
        if len(scores) < self.n_rows:
            raise MaterialsError(
                f"A score grid of {self.n_rows} rows has {len(scores)} pictures. Give more pictures, or fewer rows."
            )
        # Ranks instead of quantile edges, because many equal scores would leave rows empty.
        ranks = np.empty(len(scores), dtype=np.int64)
        ranks[np.argsort(scores, kind="stable")] = np.arange(len(scores))
        return ranks * self.n_rows // len(scores)

    def _chosen(self, places: Ints, rng: Rng) -> Ints:
        n_chosen = min(self.n_columns, len(places))
        return np.asarray(rng.choice(places, size=n_chosen, replace=False) if n_chosen else places, dtype=np.int64)

    def _heading(self, scores: Floats, row: int) -> str:
        if self.binning == "equal_width":
            return f"{row / self.n_rows:.0%} to {(row + 1) / self.n_rows:.0%}"
        return f"{scores.min():.0%} to {scores.max():.0%}"
