"""Rendered counterfactuals reach their logits by the named attributes alone."""

from functools import cache

import numpy as np
import pytest

pytest.importorskip("numba", reason="needs the extra scenes")

from understudy.datasets import RenderedWorld
from understudy.errors import MaterialsError
from understudy.explainers import RenderedCounterfactuals
from understudy.roles import Floats, Pixels, Sample
from understudy.schema import PictureGrid
from understudy.sources.logit_columns import start_candidates, target_logits
from understudy.sources.pictures import Picture
from understudy.worlds.pictures import MovedRow, Staging, attribute_rows, direction_of, moved_rows
from understudy.worlds.sampling import sample
from understudy.worlds.sixt2022 import sixt2022

WORLD, EDGE = sixt2022(), 16
BACKGROUND, HUE = WORLD.names.index("background"), WORLD.names.index("hue")


def redness(pixels: Pixels) -> Floats:
    """Return a logit that rises as a picture becomes red, mostly by its background."""
    values = pixels.astype(np.float64)
    logits: Floats = 12 * (values[..., 0] - values[..., 2]).mean(axis=(1, 2)) / 255
    return logits


@cache
def rows_at(*moved: str, percentile: float = 80, n: int = 5) -> tuple[list[MovedRow], Floats, tuple[float, ...]]:
    staging = Staging(WORLD, EDGE, redness, moved)
    rows = attribute_rows(WORLD, sample(WORLD, 80, 3))
    logits = redness(staging.drawn(rows))
    targets = target_logits(logits, percentile=percentile)
    found = moved_rows(
        staging,
        rows,
        start_candidates(logits, np.random.default_rng(1)),
        direction=direction_of(staging, rows, logits),
        targets=targets,
        n=n,
    )
    return found, rows, targets


def test_logits_reach_their_targets() -> None:
    found, _, targets = rows_at("background", "hue")
    assert np.stack([row.logits for row in found]) == pytest.approx(np.tile(targets, (5, 1)), abs=0.1)


def test_pictures_have_the_logits_and_attributes_that_are_stored() -> None:
    (row, *_), _, _ = rows_at("background", "hue")
    assert redness(row.pictures) == pytest.approx(row.logits)
    again = Staging(WORLD, EDGE, redness, ("background", "hue")).drawn(row.attributes)
    assert np.array_equal(again, row.pictures)


def test_everything_else_stays_exactly_as_it_was() -> None:
    found, rows, _ = rows_at("background", "hue")
    others = [k for k in range(len(WORLD.names)) if k not in (BACKGROUND, HUE)]
    for row in found:
        assert (row.attributes[:, others] == rows[row.start, others]).all()
        assert np.ptp(row.attributes[:, BACKGROUND]) > 0.1
        assert (np.diff(row.attributes[:, HUE]) > 0).any()


def test_attributes_stay_within_what_the_world_can_draw() -> None:
    found, _, _ = rows_at("background", "hue")
    moved = np.concatenate([row.attributes for row in found])
    for number, attribute in enumerate(WORLD.attributes):
        low, high = attribute.law.limits
        assert moved[:, number].min() >= low - 1e-9
        assert moved[:, number].max() <= high + 1e-9


def test_targets_out_of_reach_are_refused_in_one_sentence() -> None:
    with pytest.raises(
        MaterialsError, match=r"Only 0 of 2 rows reach logits .* by moving shape\. Name more attributes"
    ):
        rows_at("shape", percentile=100, n=2)


class Redness:
    """The same as a model."""

    labels = ("Peeky", "Stretchy")

    def predict(self, inputs: Floats) -> Floats:
        shares = 1 / (1 + np.exp(-12 * (inputs[:, 0] - inputs[:, 2]).mean(axis=(1, 2))))
        return np.column_stack([1 - shares, shares])


def drawn(n: int = 60) -> Sample:
    return RenderedWorld(edge=EDGE).draw(n, np.random.default_rng(1))


def test_the_explainer_returns_a_grid_with_its_pictures() -> None:
    explainer = RenderedCounterfactuals(moved=("background",), n_rows=3, percentile=80)
    found = explainer.explain_model(Redness(), drawn(), np.random.default_rng(2))
    (grid,) = found.explanations
    assert isinstance(grid, PictureGrid)
    assert (len(grid.rows), len(grid.rows[0])) == (3, 5)
    assert grid.column_headings[0] == "Very certain Peeky"
    assert {cell.picture.file for row in grid.rows for cell in row if cell} == found.files.keys()
    assert all(Picture(address, content).address == address for address, content in found.files.items())


def test_an_unknown_attribute_is_refused() -> None:
    explainer = RenderedCounterfactuals(moved=("fur",), n_rows=1)
    with pytest.raises(MaterialsError, match="has no attribute 'fur'"):
        explainer.explain_model(Redness(), drawn(), np.random.default_rng(2))


def test_pictures_of_something_else_are_refused() -> None:
    explainer = RenderedCounterfactuals(moved=("legs",))
    bare = Sample([{}], {}, np.zeros((1, 1)))
    with pytest.raises(MaterialsError, match="Bind the dataset rendered_world"):
        explainer.explain_model(Redness(), bare, np.random.default_rng(2))


def test_a_model_that_always_says_the_same_has_no_counterfactuals() -> None:
    class Constant(Redness):
        def predict(self, inputs: Floats) -> Floats:
            return np.full((len(inputs), 2), 0.5)

    with pytest.raises(MaterialsError, match="do not change with background"):
        RenderedCounterfactuals(moved=("background",)).explain_model(Constant(), drawn(), np.random.default_rng(2))
