"""The ready practice: every control has to be used, and no question starts or can be left unsolved."""

from pathlib import Path
from typing import Any

import pytest

from tests.journeys.dials_study import dials_study
from understudy.prepare import prepare
from understudy.protocols.ross2021.practice import dials_practice


def questions(block_id: str) -> list[dict[str, Any]]:
    materials = prepare(dials_study(), Path()).materials
    return [dict(trial.params) for trial in materials.trials.values() if trial.block_id == block_id]


def test_practice_asks_for_every_kind_of_control() -> None:
    plain: list[dict[str, Any]] = [block.task.params for block in dials_practice(has_labels=True).blocks]
    assert {use for params in plain for use in params.get("uses", ())} == {"slider", "options", "overlay", "labels"}


@pytest.mark.parametrize(("block_id", "n"), [("practice_first", 1), ("practice_sliders", 2), ("practice_options", 2)])
def test_practice_is_over_only_when_it_is_solved(block_id: str, n: int) -> None:
    assert [question["skip_after_s"] for question in questions(block_id)] == [None] * n


def test_every_practice_with_options_needs_another_option() -> None:
    starts = [question["start"][:3] for question in questions("practice_options")]
    assert starts == [[1, 0, 0], [0, 0, 1]]


def test_practice_can_do_without_options() -> None:
    practice = dials_practice(has_options=False)
    assert [one.name for one in practice.item_sets] == ["practice_first", "practice_sliders"]
