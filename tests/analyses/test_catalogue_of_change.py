"""Change through the catalogue: against R, against its own definition, and what it leaves out and says."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analyses.reference_rows import estimate, limits
from tests.analyses.simulated_responses import CHANGE, R, phases
from understudy import registry
from understudy.errors import UnknownName
from understudy.schema import Estimate, Ref
from understudy.statistics.bootstrap import crossed_spread

LIME: dict[str, Any] = {"between": "method", "level": "lime"}


def change(rows: pd.DataFrame | None = None, *, seed: int = 0, direction: str = "different", **params: Any) -> Estimate:
    table = phases() if rows is None else rows
    return estimate("change", table, seed=seed, params={"n_resamples": 4000} | params, direction=direction, **CHANGE)


def test_change_within_the_condition_is_the_mean_of_pairs() -> None:
    found = change(**LIME)
    assert found.effect == pytest.approx(R["within_condition"]["estimate"])
    assert (found.n_sessions, found.n_rows, found.details["n_pairs"]) == (4, 224, 112)


@pytest.mark.parametrize(("name", "field"), [("two_way", "two_way"), ("participants_only", "people")])
def test_both_plain_intervals_are_those_of_r(name: str, field: str) -> None:
    found = change(**LIME)
    ours = found.details[f"{name}_low"], found.details[f"{name}_high"]
    assert ours == pytest.approx(tuple(R["within_condition"][field][1:]), abs=0.015)


def test_the_shown_interval_lies_between_the_liberal_and_the_conservative_one() -> None:
    found = change(**LIME)
    low, high = limits(found)
    assert low is not None
    assert high is not None
    widths = [found.details[f"{name}_high"] or 0 for name in ("participants_only", "two_way")]
    assert widths[0] < high < widths[1]


@pytest.mark.parametrize("method", ["lime", "decision_boundary"])
def test_the_published_way_is_that_of_r_within_the_error_of_resampling(method: str) -> None:
    found = change(method="published", between="method", level=method)
    mean, spread, half, p_value = R["published_two_way"][method]
    low, high = limits(found)
    error = spread / R["published_two_way"]["resamples"] ** 0.5
    assert found.effect == pytest.approx(mean, abs=4 * error)
    assert found.details["standard_error"] == pytest.approx(spread, rel=0.12)
    assert ((high or 0) - (low or 0)) / 2 == pytest.approx(half, rel=0.15)
    assert found.p_value == pytest.approx(p_value, abs=0.06)


def test_singular_fits_are_as_frequent_as_in_r() -> None:
    found = change(method="published", **LIME)
    share = (found.details["n_singular"] or 0) / 4000
    assert share == pytest.approx(R["published_two_way"]["n_singular"] / R["published_two_way"]["resamples"], abs=0.025)


def test_the_published_people_only_interval_is_reported_beside_it() -> None:
    found = change(method="published", **LIME)
    half = R["published_people"]["lime"][2]
    low, high = found.details["participants_only_low"] or 0, found.details["participants_only_high"] or 0
    assert (high - low) / 2 == pytest.approx(half, rel=0.15)


def test_answers_without_a_partner_are_counted_by_phase_and_left_out() -> None:
    rows = phases()
    is_gone = (rows["method"] == "lime") & (rows["phase"] == "after") & (rows["item"] < 5)
    found = change(rows[~is_gone], **LIME)
    assert (found.details["only_before"], found.details["only_after"]) == (20, 0)
    assert "0 in after and 20 in before" in found.notes[0]


def test_change_is_held_against_that_of_a_control() -> None:
    found = change(between="method", level="lime", reference="composite")
    lime, other = change(**LIME), change(between="method", level="composite")
    assert found.effect == pytest.approx((lime.effect or 0) - (other.effect or 0))
    assert [group.group for group in found.groups][2:] == ["composite, after", "composite, before"]


def test_the_spread_of_a_comparison_knows_that_items_are_shared() -> None:
    found = change(between="method", level="lime", reference="composite")
    rows = phases().pivot_table(index=["method", "participant"], columns=["phase", "item"], values="value")
    tables = [(rows.loc[name]["after"] - rows.loc[name]["before"]).to_numpy() for name in ("lime", "composite")]
    assert found.details["standard_error"] == pytest.approx(crossed_spread(tables).standard_error)


def test_everybody_together_needs_no_condition() -> None:
    rows = phases()
    wide = rows.pivot_table(index=["participant", "item"], columns="phase", values="value")
    assert change().effect == pytest.approx(float((wide["after"] - wide["before"]).mean()))


def test_people_who_took_two_conditions_are_one_block_the_published_way_and_two_within() -> None:
    rows = phases()
    rows["participant"] = rows["participant"] % 7
    rows = rows.drop_duplicates(["participant", "item", "phase", "method"])
    published = change(rows, method="published", **LIME)
    assert published.n_sessions == 7
    assert change(rows, **LIME).n_sessions <= 4


def test_a_person_who_met_an_item_twice_in_a_phase_is_refused() -> None:
    rows = phases()
    with pytest.raises(ValueError, match="repeat another row"):
        change(pd.concat([rows, rows.head(1)]))


def test_phases_without_a_common_item_cannot_be_paired() -> None:
    rows = phases()
    rows["item"] = rows["item"].astype(str) + np.where(rows["phase"] == "after", "x", "")
    with pytest.raises(ValueError, match="Nobody answered the same item"):
        change(rows)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"level": "lime"}, "`between` names no factor"),
        ({"between": "method", "reference": "lime"}, "needs another condition in `level`"),
        ({"between": "method", "level": "lime", "reference": "lime"}, "needs another condition in `level`"),
        ({"between": "method", "method": "published"}, "name it in `level`"),
    ],
)
def test_parameters_that_do_not_fit_are_refused_in_a_sentence(params: dict[str, Any], words: str) -> None:
    with pytest.raises(UnknownName, match=words):
        registry.create("analyses", Ref(name="change", params=params))
