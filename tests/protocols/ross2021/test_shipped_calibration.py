"""The calibration page that is shipped: told from its numbers, and the people who were fitted are those who come."""

from pathlib import Path

import pytest

from understudy.actions.casts import DIALS
from understudy.protocols.ross2021.calibration import GRID, person_from
from understudy.protocols.ross2021.calibration_page import calibration_markdown
from understudy.protocols.ross2021.calibration_rows import MODELS_OF, Calibration

DOCS = Path(__file__).parents[3] / "docs"


def shipped(name: str = "calibration") -> Calibration:
    return Calibration.model_validate_json((DOCS / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["calibration", "calibration-digits"])
def test_a_shipped_page_follows_from_its_shipped_numbers(name: str) -> None:
    page = calibration_markdown(shipped(name), figure=f"{name}.svg")
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == page


def test_the_shipped_page_has_all_strategies_on_both_data_sets_over_twenty_seeds() -> None:
    held = shipped()
    assert set(held.strategies) == set(GRID)
    assert {(row.strategy, row.data, row.model) for row in held.rows} == {
        (strategy, data, model) for strategy in held.strategies for data in held.data for model in MODELS_OF[data]
    }
    assert held.likeness("dial_features_matcher", "dsprites").n_seeds == 20


def test_the_page_of_digits_plays_the_matcher_that_the_other_page_fitted_with_seven_models() -> None:
    held, fitted = shipped("calibration-digits"), {fit.strategy: fit.parameters for fit in shipped().fits}
    assert all(fit.parameters == fitted[fit.strategy] for fit in held.fits)
    assert {decoder.model for decoder in held.decoders} == set(MODELS_OF["mnist"])
    assert held.likeness("dial_features_matcher", "mnist").n_seeds == 20


def test_the_shipped_features_matcher_solves_as_many_sprites_as_people_within_fifteen_points() -> None:
    assert round(shipped().worst_gap("dial_features_matcher", "dsprites"), 9) <= 0.15
    assert "That interval reaches beyond 0.15" in (DOCS / "calibration.md").read_text(encoding="utf-8")


def test_the_cast_of_dials_holds_the_fitted_people() -> None:
    cast = {member.participant.name: member.participant for member in DIALS.members}
    assert set(cast) == set(GRID)
    for fit in shipped().fits:
        assert cast[fit.strategy] == person_from(fit.strategy, fit.parameters)
