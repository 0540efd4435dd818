"""Five columns of logits: as the paper bins them, as its code does, and rows that use no picture twice."""

import numpy as np
import pytest

from understudy.errors import MaterialsError
from understudy.sources.logit_columns import (
    certainty_headings,
    columns_of_logits,
    even_starts,
    rows_without_reuse,
    target_logits,
)

LOGITS = np.random.default_rng(1).normal(1, 2, 500)


def test_quantiles_put_a_fifth_of_the_pictures_into_each_column() -> None:
    columns = columns_of_logits(LOGITS, "quantile")
    assert np.bincount(columns).tolist() == [100] * 5
    assert all(LOGITS[columns == k].max() <= LOGITS[columns == k + 1].min() for k in range(4))


def test_equal_logits_still_fill_every_column() -> None:
    assert np.bincount(columns_of_logits(np.zeros(50), "quantile")).tolist() == [10] * 5


def test_symmetric_borders_are_midpoints_between_percentiles_of_the_absolute_logit() -> None:
    near, far = np.percentile(np.abs(LOGITS), [20, 60])
    borders = [-(near + far) / 2, -near / 2, near / 2, (near + far) / 2]
    expected = [sum(logit >= border for border in borders) for logit in LOGITS]
    assert columns_of_logits(LOGITS, "symmetric").tolist() == expected


def test_rows_take_one_picture_of_each_column_and_none_twice() -> None:
    columns = columns_of_logits(LOGITS, "quantile")
    places = rows_without_reuse(columns, 10, np.random.default_rng(2))
    assert (columns[places] == np.arange(5)).all()
    assert len(set(places.ravel().tolist())) == 50


def test_a_column_with_too_few_pictures_is_refused() -> None:
    columns = columns_of_logits(np.linspace(5, 9, 100), "symmetric")
    with pytest.raises(MaterialsError, match="Column 1 of the grid has 0 pictures for 10 rows"):
        rows_without_reuse(columns, 10, np.random.default_rng(2))


def test_rows_start_from_the_fifths_in_turn() -> None:
    starts = even_starts(LOGITS, 10, np.random.default_rng(3))
    assert columns_of_logits(LOGITS, "quantile")[starts].tolist() == [0, 1, 2, 3, 4] * 2
    assert len(set(starts.tolist())) == 10


def test_too_few_pictures_to_start_from_are_refused() -> None:
    with pytest.raises(MaterialsError, match="4 pictures are too few to start 10 rows from"):
        even_starts(LOGITS[:4], 10, np.random.default_rng(3))


@pytest.mark.parametrize("percentile", [80, 90, 95, 99])
def test_targets_are_symmetric_percentiles_of_the_absolute_logit(percentile: float) -> None:
    far = float(np.percentile(np.abs(LOGITS), percentile))
    median = float(np.median(np.abs(LOGITS)))
    assert target_logits(LOGITS, percentile=percentile) == pytest.approx((-far, -median, 0, median, far))


def test_headings_are_made_from_the_labels() -> None:
    assert certainty_headings(("Peeky", "Stretchy")) == (
        "Very certain Peeky", "Certain Peeky", "Unsure", "Certain Stretchy", "Very certain Stretchy",
    )  # fmt: skip
