"""Block bootstraps through the catalogue: what is a block, what is a difference, and which interval is shown."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analyses.reference_rows import estimate, limits, shuffled
from understudy.schema import Estimate
from understudy.statistics.bootstrap import bootstrap_difference, bootstrap_mean

PARAMS = {"n_resamples": 800}
CHANGE: dict[str, Any] = {"factor": "phase", "contrast": ("post", "pre")}
ARMS: dict[str, Any] = {"factor": "arm", "contrast": ("lime", "none")}


def scores(n_people: int = 12, n_items: int = 8, *, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, (n_people, 1)) + rng.normal(0, 1, (1, n_items)) + rng.normal(0, 1, (n_people, n_items))


def rows_of(matrix: Any, *, prefix: str = "p", **levels: str) -> pd.DataFrame:
    frame = pd.DataFrame(matrix, columns=[f"i{k}" for k in range(matrix.shape[1])])
    frame = frame.assign(participant=[f"{prefix}{k:02d}" for k in range(len(frame))])
    long = frame.melt(id_vars="participant", var_name="item", value_name="value")
    return long.dropna().assign(**levels)


def change_rows(post: Any, pre: Any) -> pd.DataFrame:
    return shuffled(pd.concat([rows_of(post, phase="post"), rows_of(pre, phase="pre")]))


def bootstrap(name: str, rows: pd.DataFrame, *, seed: int = 0, **fields: Any) -> Estimate:
    return estimate(name, rows, seed=seed, params=PARAMS | fields.pop("params", {}), **fields)


def test_change_within_people_is_taken_item_by_item() -> None:
    post, pre = scores(seed=1), scores(seed=2)
    found = bootstrap("two_way_bootstrap", change_rows(post, pre), **CHANGE)
    kernel = bootstrap_mean(post - pre, rng=np.random.default_rng(0), n_resamples=800)
    assert (found.effect, *limits(found)) == pytest.approx((kernel.estimate, *kernel.interval))
    assert found.p_value == kernel.p_centred


def test_both_intervals_are_reported_by_both_analyses() -> None:
    rows = change_rows(scores(seed=1), scores(seed=2))
    two_way = bootstrap("two_way_bootstrap", rows, **CHANGE)
    people = bootstrap("participant_bootstrap", rows, **CHANGE)
    own, other = limits(people), (two_way.details["participants_only_low"], two_way.details["participants_only_high"])
    assert other == pytest.approx(own, abs=0.15)
    assert people.details["two_way_low"] == pytest.approx(limits(two_way)[0], abs=0.15)


def test_items_answered_once_only_are_left_out_of_a_change() -> None:
    post, pre = scores(seed=1), scores(seed=2)
    post[0, :3] = np.nan
    found = bootstrap("two_way_bootstrap", change_rows(post, pre), **CHANGE)
    assert found.effect == pytest.approx(np.nanmean(post - pre))
    assert found.n_rows == 2 * 12 * 8 - 6
    assert "Left out: 3 of 189 rows" in found.notes[0]


def test_groups_of_people_share_their_items() -> None:
    lime, none = scores(10, seed=1), scores(7, seed=2)
    rows = shuffled(pd.concat([rows_of(lime, arm="lime"), rows_of(none, prefix="q", arm="none")]))
    found = bootstrap("two_way_bootstrap", rows, **ARMS)
    kernel = bootstrap_difference(lime, none, rng=np.random.default_rng(0), n_resamples=800)
    assert (found.effect, *limits(found)) == pytest.approx((kernel.estimate, *kernel.interval))
    assert found.n_sessions == 17


def test_groups_with_items_of_their_own_draw_them_apart() -> None:
    lime, none = scores(10, seed=1), scores(7, 5, seed=2)
    others = rows_of(none, prefix="q", arm="none")
    rows = pd.concat([rows_of(lime, arm="lime"), others.assign(item="other-" + others["item"])])
    found = bootstrap("two_way_bootstrap", shuffled(rows), **ARMS)
    kernel = bootstrap_difference(lime, none, items_are_shared=False, rng=np.random.default_rng(0), n_resamples=800)
    assert limits(found) == pytest.approx(tuple(kernel.interval))


def test_a_mean_is_held_against_chance() -> None:
    rows = rows_of((scores() > 0).astype(float))
    found = bootstrap("two_way_bootstrap", rows, against=0.5)
    kernel = bootstrap_mean((scores() > 0) - 0.5, rng=np.random.default_rng(0), n_resamples=800)
    assert found.effect == pytest.approx(rows["value"].mean())
    assert limits(found) == pytest.approx(tuple(limit + 0.5 for limit in kernel.interval))
    assert found.p_value == kernel.p_centred


def test_a_mean_alone_is_only_estimated() -> None:
    found = bootstrap("two_way_bootstrap", rows_of(scores()))
    assert found.p_value is None
    assert "Estimation only" in found.notes[0]


@pytest.mark.parametrize(
    ("method", "field"), [("centred", "p_centred"), ("sign", "p_sign"), ("published", "p_published")]
)
def test_p_values_are_of_the_kind_asked_for(method: str, field: str) -> None:
    rows = change_rows(scores(seed=1), scores(seed=2))
    found = bootstrap("two_way_bootstrap", rows, params={"p_method": method}, **CHANGE)
    kernel = bootstrap_mean(scores(seed=1) - scores(seed=2), rng=np.random.default_rng(0), n_resamples=800)
    assert found.p_value == getattr(kernel, field)


def test_levels_of_items_cannot_be_paired_item_by_item() -> None:
    easy, hard = rows_of(scores(seed=1), phase="post"), rows_of(scores(seed=2), phase="pre")
    rows = pd.concat([easy, hard.assign(item="hard-" + hard["item"])])
    with pytest.raises(ValueError, match="same item at both levels"):
        bootstrap("two_way_bootstrap", rows, **CHANGE)
    found = bootstrap("participant_bootstrap", rows, **CHANGE)
    assert found.effect == pytest.approx(scores(seed=1).mean() - scores(seed=2).mean())
    assert "two_way_low" not in found.details


def test_one_number_per_person_needs_no_items() -> None:
    means = pd.DataFrame({"participant": [f"p{k}" for k in range(12)], "value": scores().mean(axis=1)})
    found = bootstrap("participant_bootstrap", means, against=0.0)
    assert (found.n_sessions, found.n_rows) == (12, 12)
    assert found.effect == pytest.approx(scores().mean())


def test_a_repeated_answer_to_an_item_is_refused() -> None:
    rows = rows_of(scores())
    with pytest.raises(ValueError, match="repeat another row's participant and item"):
        bootstrap("two_way_bootstrap", pd.concat([rows, rows.head(1)]))


def test_people_who_met_an_item_twice_are_still_drawn_as_people() -> None:
    rows = change_rows(scores(seed=1), scores(seed=2)).drop(columns="phase")
    found = bootstrap("participant_bootstrap", rows, against=0.0)
    means = (scores(seed=1).mean(axis=1) + scores(seed=2).mean(axis=1)) / 2
    assert found.effect == pytest.approx(means.mean())
    assert found.details["standard_error"] == pytest.approx(means.std() / 12**0.5, rel=0.1)
    assert any("met an item several times" in note for note in found.notes)
