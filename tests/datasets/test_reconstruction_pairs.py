"""Starts and targets that a study names itself."""

import json

import numpy as np
import pytest

from understudy.datasets.reconstruction import Reconstruction
from understudy.decoding import shipped_decoder
from understudy.errors import MaterialsError

PAIRS = (((0.0, 0.0), (0.6, 0.3)), ((1.0, 1.0), (0.1, 0.9)))


def test_given_pairs_come_as_they_are_and_in_their_order() -> None:
    sample = Reconstruction(decoder="practice-disc", pairs=PAIRS).draw(5, np.random.default_rng(1))
    assert [one["start"] for one in sample.contents] == [[0.0, 0.0], [1.0, 1.0]]
    assert [json.loads(str(one)) for one in sample.attributes["target_code"]] == [[0.6, 0.3], [0.1, 0.9]]


def test_a_pair_outside_the_dials_is_refused() -> None:
    dataset = Reconstruction(decoder="practice-disc", pairs=(((0.0, 0.0), (0.6, 1.3)),))
    with pytest.raises(MaterialsError, match="does not fit decoder 'practice-disc': dial 2 lies between 0 and 1"):
        dataset.draw(1, np.random.default_rng(1))


def test_pairs_leave_nothing_to_a_matched_seed() -> None:
    with pytest.raises(ValueError, match="leave one of them out"):
        Reconstruction(decoder="practice-disc", pairs=PAIRS, matched_seed=1)


@pytest.mark.parametrize("chosen", [0, 1, 2])
def test_the_shapes_of_practice_differ_and_grow(chosen: int) -> None:
    decoder = shipped_decoder("practice-shape")
    shape = np.eye(3)[chosen]
    small, large = decoder.decode(np.stack([[*shape, 0.2], [*shape, 0.8]]))
    other = decoder.decode(np.array([[*np.roll(shape, 1), 0.8]]))[0]
    assert set(np.unique(large)) == {0.0, 1.0}
    assert small.sum() < large.sum() < large.sum() + np.abs(large - other).sum() - 50
