"""Starts and targets that a study names itself."""

import json
from typing import Any

import numpy as np
import pytest

from understudy.datasets.reconstruction import Reconstruction, codes_on_steps
from understudy.errors import MaterialsError
from understudy.inference import shipped_decoder
from understudy.roles import Sample
from understudy.schema import Ref

PAIRS = (((0.0, 0.0), (0.6, 0.3)), ((1.0, 1.0), (0.1, 0.9)))


def test_given_pairs_come_as_they_are_and_in_their_order() -> None:
    sample = Reconstruction(decoder="practice-disc", pairs=PAIRS).draw(5, np.random.default_rng(1))
    assert [content["start"] for content in sample.contents] == [[0.0, 0.0], [1.0, 1.0]]
    assert [json.loads(str(one)) for one in sample.attributes["target_code"]] == [[0.6, 0.3], [0.1, 0.9]]


def test_a_pair_outside_the_dials_is_refused() -> None:
    dataset = Reconstruction(decoder="practice-disc", pairs=(((0.0, 0.0), (0.6, 1.3)),))
    with pytest.raises(MaterialsError, match="does not fit decoder 'practice-disc': dial 2 lies between 0 and 1"):
        dataset.draw(1, np.random.default_rng(1))


def test_pairs_leave_nothing_to_a_matched_seed() -> None:
    with pytest.raises(ValueError, match="leave one out"):
        Reconstruction(decoder="practice-disc", pairs=PAIRS, matched_seed=1)


@pytest.mark.parametrize("chosen", [0, 1, 2])
def test_the_shapes_of_practice_differ_and_grow(chosen: int) -> None:
    decoder = shipped_decoder("practice-shape")
    shape = np.eye(3)[chosen]
    small, large = decoder.decode(np.stack([[*shape, 0.2], [*shape, 0.8]]))
    other = decoder.decode(np.array([[*np.roll(shape, 1), 0.8]]))[0]
    assert set(np.unique(large)) == {0.0, 1.0}
    assert small.sum() < large.sum() < large.sum() + np.abs(large - other).sum() - 50


def test_a_given_pair_that_is_solved_already_is_refused() -> None:
    dataset = Reconstruction(decoder="practice-disc", pairs=(((0.6, 0.3), (0.6, 0.3)),))
    with pytest.raises(
        MaterialsError, match=r"starts with an agreement of 1\.000, and at most 0\.899 leaves something"
    ):
        dataset.draw(1, np.random.default_rng(1))


def drawn(model: str, n: int = 60, **params: Any) -> Sample:
    distance = Ref(name="tolerance_band")
    dataset = Reconstruction(decoder=f"sinelines-{model}", distance=distance, matched_seed=2021, **params)
    return dataset.draw(n, np.random.default_rng(1))


def instances(model: str, sample: Sample) -> list[set[int]]:
    """Tell which held-out instances each target can be; two may share the same code once it is on the dials' steps."""
    card = shipped_decoder(f"sinelines-{model}").card
    codes = codes_on_steps(card, np.asarray(card.codes))
    targets = np.asarray([json.loads(str(one)) for one in sample.attributes["target_code"]])
    gaps = np.abs(codes - targets[:, None]).max(axis=2)
    return [set(np.flatnonzero(gap == gap.min())) for gap in gaps]


def test_every_model_asks_for_the_same_instances_even_where_a_start_was_solved() -> None:
    samples = {model: drawn(model, max_start=0.3) for model in ("ae", "vae", "gt")}
    assert {model: sum(map(int, sample.attributes["starts_rejected"])) > 0 for model, sample in samples.items()} == dict.fromkeys(samples, True)  # fmt: skip
    asked = zip(*(instances(model, sample) for model, sample in samples.items()), strict=True)
    assert all(set.intersection(*candidates) for candidates in asked)


def test_no_question_starts_above_the_highest_agreement() -> None:
    assert max(map(float, drawn("gt", max_start=0.1).attributes["start_agreement"])) <= 0.1


def test_no_more_questions_come_than_held_out_codes_allow() -> None:
    assert len(drawn("gt", 500).contents) == 125
