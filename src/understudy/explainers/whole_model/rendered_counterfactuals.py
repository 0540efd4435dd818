"""Rendered counterfactuals: the same animal drawn again with relevant attributes moved, for any model over a world."""

from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.explainers.reading import log_odds, require_two_labels
from understudy.explainers.whole_model.sample_pictures import scored_pictures
from understudy.registry import register
from understudy.roles import Explained, Floats, Model, Pixels, Rng, Sample
from understudy.schema import AssetPath, DatasetRef, GridCell, PictureGrid, Record, ShownPicture
from understudy.sources.logit_columns import certainty_headings, start_candidates, target_logits
from understudy.sources.picture_pools import model_inputs
from understudy.sources.pictures import picture_from_pixels
from understudy.sources.worlds import (
    Staging,
    World,
    attribute_rows,
    direction_of,
    moved_rows,
    world_from_toml,
    world_named,
)


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
