"""The sixt2022 world has the numbers that follow from its definition, each within the error of its sample."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from understudy.errors import MaterialsError
from understudy.worlds.audit import audit, best_accuracy, joint, ranges
from understudy.worlds.families import checked, world_from_toml, world_named, world_names
from understudy.worlds.sampling import Mode, clones, clones_at, sample, unbiased
from understudy.worlds.sixt2022 import AS_IN_CODE, Sixt2022Options, sixt2022
from understudy.worlds.world import World, toml_from_world

N = 40_000
WORLD = sixt2022()
TABLE = sample(WORLD, N, 1)
STRETCHY = TABLE[TABLE["class"] == "Stretchy"]
MODES: tuple[Mode, ...] = ("all_parents", "class_only")


def close(share: float, n: int) -> object:
    """Four standard errors of a share, and half of the last printed place."""
    return pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / n) + 0.005)


def test_the_best_rule_over_legs_is_right_in_962_of_1000() -> None:
    assert best_accuracy(WORLD, TABLE, ("legs",)) == pytest.approx(0.962, abs=4 * math.sqrt(0.962 * 0.038 / N))


def test_the_best_rule_over_legs_and_hue_is_right_in_994_of_1000() -> None:
    assert best_accuracy(WORLD, TABLE, ("legs", "hue")) == pytest.approx(0.994, abs=4 * math.sqrt(0.994 * 0.006 / N))


@pytest.mark.parametrize(
    ("low", "high", "share"),
    [(0.48, 0.6, 0.925), (0.6, 0.7, 0.76), (0.7, 0.8, 0.57), (0.8, 1.0, 0.5), (0.0, 1.0, 0.66)],
)
def test_a_stretchy_is_red_as_often_as_its_legs_say(low: float, high: float, share: float) -> None:
    rows = STRETCHY[(STRETCHY["legs"] >= low) & (STRETCHY["legs"] < high)]
    assert (rows["hue"] > 0.5).mean() == close(share, len(rows))


def test_hue_tells_the_classes_apart_in_the_overlap() -> None:
    rows = TABLE[TABLE["legs"].between(0.48, 0.52)]
    assert len(rows) / N == close(0.077, N)
    assert ((rows["hue"] > 0.5) == (rows["class"] == "Stretchy")).mean() == close(0.927, len(rows))


@pytest.mark.parametrize("world", [WORLD, sixt2022(AS_IN_CODE)])
def test_shape_follows_legs_and_tells_nothing_in_the_overlap(world: World) -> None:
    table = sample(world, N, 2)
    is_round, legs = table["shape"] > 0.5, table["legs"]
    overlap = legs.between(0.48, 0.52)
    assert is_round[legs > 0.6].mean() == close(0.84, int((legs > 0.6).sum()))
    assert is_round[overlap].mean() == close(0.5, int(overlap.sum()))
    assert is_round[table["class"] == "Stretchy"].mean() == close(0.79, N // 2)


def test_every_attribute_fills_the_range_that_its_law_names() -> None:
    reports = {report.name: report for report in ranges(WORLD, TABLE)}
    # The spread of roll is a thirtieth of its range, so that its ends are never drawn.
    assert [name for name, report in reports.items() if not report.fills_limits] == ["roll"]
    assert reports["yaw"].limits == (0, 2 * math.pi)
    assert reports["x"].limits == reports["y"].limits == (-0.8, 0)


def test_the_ranges_of_the_code_are_an_option() -> None:
    limits = {
        report.name: report.limits for report in ranges(sixt2022(AS_IN_CODE), sample(sixt2022(AS_IN_CODE), 100, 1))
    }
    assert limits["yaw"] == (-math.pi, 0)
    assert limits["background"] == (0, 1)


def test_the_middle_of_the_shapes_is_uniform_in_the_paper_and_not_in_the_code() -> None:
    at_ends = {}
    for world in (WORLD, sixt2022(AS_IN_CODE)):
        table = sample(world, N, 3)
        inside = table["shape"][table["legs"].between(0.45, 0.55)]
        at_ends[world.name] = [((inside < 0.1) | (inside > 0.9)).mean(), stats.kstest(inside, "uniform").pvalue]
        n = len(inside)
    # Beta(0.3, 0.3) has 0.595 of its mass below 0.1 and above 0.9, a uniform one 0.2.
    assert at_ends["sixt2022"][0] == close(0.2, n)
    assert at_ends["sixt2022"][1] > 0.001
    assert at_ends["sixt2022-code"][0] == close(0.595, n)


def test_the_world_of_the_paper_has_the_distributions_of_its_table_5() -> None:
    table_5 = {
        "x": stats.uniform(-0.8, 0.8),
        "y": stats.uniform(-0.8, 0.8),
        "background": stats.uniform(0.05, 0.9),
        "yaw": stats.uniform(0, 2 * math.pi),
        "roll": _truncated(0.03 * math.pi / 4, math.pi / 4),
        "pitch": _truncated(math.pi / 8, math.pi / 6),
        "bending": _truncated(math.pi / 20, math.pi / 10),
    }
    p_values = {name: stats.kstest(TABLE[name], law.cdf).pvalue for name, law in table_5.items()}
    assert min(p_values.values()) > 0.001, p_values


def _truncated(sd: float, high: float) -> Any:
    return stats.truncnorm(-high / sd, high / sd, scale=sd)


def test_only_the_world_of_the_paper_has_its_name() -> None:
    paper = Sixt2022Options()
    changes: list[dict[str, object]] = [
        {}, {"background": "code"}, {"yaw": "code"}, {"shape_middle": "code"}, {"compresses_red": False}, {"hue_slope": 3.5},
        {"hue_slope": 1e-7}, {"hue_unbiased": 0.0}, {"shape_unbiased": 0.5}, {"hue_slope": 3.5, "shape_unbiased": 0.5},
    ]  # fmt: skip
    worlds = [sixt2022(base.model_copy(update=change)) for base in (paper, AS_IN_CODE) for change in changes]
    by_name: dict[str, World] = {}
    for world in worlds:
        assert by_name.setdefault(world.name, world) == world, f"{world.name} is two worlds"
        assert checked(world) == world
    assert [world.name for world in worlds if world == WORLD] == ["sixt2022"]
    assert sixt2022(AS_IN_CODE).name == "sixt2022-code"
    assert all(world_named(name).name == name for name in world_names())


def test_a_changed_world_cannot_keep_the_name_of_the_one_it_was_copied_from(tmp_path: Path) -> None:
    noisy = WORLD.model_copy(update={"label_noise": 0.1})
    with pytest.raises(MaterialsError, match=r"'sixt2022' belongs to a world .* differs from it in `label_noise`"):
        sample(noisy, 10, 1)
    former = sixt2022(AS_IN_CODE).model_copy(update={"name": "sixt2022"})
    path = tmp_path / "mine.toml"
    path.write_text(toml_from_world(former), encoding="utf-8")
    with pytest.raises(MaterialsError, match=r"differs from it in shape, background, yaw\. Give it another name"):
        world_from_toml(path)
    path.write_text(toml_from_world(former.model_copy(update={"name": "mine"})), encoding="utf-8")
    assert world_from_toml(path).name == "mine"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["legs", "hue", "shape", "background"])
def test_an_intervention_leaves_everything_else_identical(name: str, mode: Mode) -> None:
    table = TABLE.head(200)
    copies = clones(WORLD, table, [name], seed=5, mode=mode)
    same = [column for column in table.columns if column not in ("id", "original_id", "changed", name)]
    pd.testing.assert_frame_equal(copies[same], table[same])
    assert (copies[name] != table[name]).mean() > 0.95
    assert copies["original_id"].tolist() == table["id"].tolist()


def test_cutting_all_parents_makes_hue_independent_of_legs_and_class() -> None:
    copies = clones(WORLD, TABLE, ["hue"], seed=5)
    is_red, is_stretchy = copies["hue"] > 0.5, copies["class"] == "Stretchy"
    assert abs(np.corrcoef(copies["hue"], copies["legs"])[0, 1]) < 4 / math.sqrt(N)
    assert is_red[is_stretchy].mean() == close(0.5, N // 2)


def test_cutting_the_class_alone_keeps_what_legs_say_about_hue() -> None:
    copies = clones(WORLD, TABLE, ["hue"], seed=5, mode="class_only")
    overlap = copies["legs"].between(0.48, 0.52)
    agrees = (copies["hue"] > 0.5) == (copies["class"] == "Stretchy")
    before, after = (np.corrcoef(held["hue"], held["legs"])[0, 1] for held in (TABLE, copies))
    assert agrees[overlap].mean() == close(0.5, int(overlap.sum()))
    assert after == pytest.approx(before, abs=6 / math.sqrt(N))


def test_cutting_the_class_alone_keeps_what_legs_say_about_shape() -> None:
    copies = clones(WORLD, TABLE, ["shape"], seed=5, mode="class_only")
    far = copies["legs"] > 0.6
    assert (copies["shape"][far] > 0.5).mean() == close(0.84, int(far.sum()))


def test_redrawn_legs_follow_the_class_prior_and_not_the_label() -> None:
    copies = clones(WORLD, TABLE, ["legs"], seed=5, mode="class_only")
    assert (copies["legs"][copies["class"] == "Peeky"] > 0.52).mean() == close(0.4615, N // 2)


def test_an_unbiased_set_keeps_the_causes_that_are_named() -> None:
    table = unbiased(WORLD, N, 7, keeps=("legs",))
    assert best_accuracy(WORLD, table, ("legs",)) == pytest.approx(0.962, abs=4 * math.sqrt(0.962 * 0.038 / N))
    assert abs(np.corrcoef(table["shape"], table["legs"])[0, 1]) < 4 / math.sqrt(N)


def test_several_attributes_can_be_cut_together() -> None:
    copies = clones(WORLD, TABLE.head(50), ["shape", "hue", "background"], seed=5)
    assert set(copies["changed"]) == {"shape+hue+background"}
    assert (copies["legs"] == TABLE["legs"].head(50)).all()


def test_a_clone_can_be_given_a_value() -> None:
    copies = clones_at(WORLD, TABLE.head(10), "hue", 0.9)
    assert set(copies["hue"]) == {0.9}


@pytest.mark.parametrize(
    ("names", "sentence"),
    [(["arms"], "has no attribute 'arms'. Choose from: legs, hue"), ([], "No attribute was named")],
)
def test_an_attribute_that_is_not_there_cannot_be_cut(names: list[str], sentence: str) -> None:
    with pytest.raises(MaterialsError, match=sentence):
        clones(WORLD, TABLE.head(5), names, seed=1)


def test_a_clone_is_not_cloned_again() -> None:
    copies = clones(WORLD, TABLE.head(5), ["hue"], seed=1)
    with pytest.raises(MaterialsError, match="are clones already"):
        clones(WORLD, copies, ["hue"], seed=1)


def test_a_value_outside_the_bounds_is_refused() -> None:
    with pytest.raises(MaterialsError, match="'hue' cannot be 3"):
        clones_at(WORLD, TABLE.head(5), "hue", 3)


def test_boosted_trees_find_legs_and_hue_and_nothing_else() -> None:
    found = audit(WORLD, 1)
    assert found.accuracy == pytest.approx(0.992, abs=4 * math.sqrt(0.992 * 0.008 / 2000))
    assert sorted(found.importances, key=lambda name: -found.importances[name])[:2] == ["legs", "hue"]
    assert found.importances["shape"] < 0.01
    assert sum(found.importances.values()) == pytest.approx(1)


def test_the_joint_distribution_counts_every_row_once() -> None:
    counts = joint(WORLD, TABLE, "legs", "hue", n_bins=20).counts
    assert sum(part.sum() for part in counts.values()) == N
    # Fig. 3: a Peeky with legs near the middle is never red, apart from the unbiased share.
    assert counts["Peeky"][9, 15:].sum() < 0.1 * counts["Peeky"][9].sum()
