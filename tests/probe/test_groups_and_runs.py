"""Sub-groups of objects, and repeated training runs."""

import numpy as np
import pandas as pd
import pytest

from tests.probe.result_samples import ROTATION, Frames, frames
from understudy.errors import ResultsError
from understudy.probe import SETS, FourResults, probe, results_from_frames
from understudy.probe.comparisons import compared_runs
from understudy.probe.paired_tests import two_way_mean
from understudy.statistics.multiple_comparisons import holm

LEVEL = {"PP": 0.75, "PD": 0.75, "MP": 0.75, "MD": 0.75}


def grouped() -> FourResults:
    return results_from_frames(frames())


# Groups


def test_every_group_has_verdicts_of_its_own() -> None:
    found = probe(grouped(), groups="truth")
    assert found.group_by == "truth"
    assert [group.name for group in found.groups] == ["boot", "coat", "shirt"]
    assert sum(group.n for group in found.groups) == found.n_objects


def test_a_group_alone_has_the_uncorrected_p_values_of_its_objects() -> None:
    results = grouped()
    [group] = [one for one in probe(results, groups="size").groups if one.name == "small"]
    alone = probe(results.part(results.grouping("size") == "small"))
    assert [analysis.p for analysis in group.verdicts.analyses] == pytest.approx(
        [analysis.p for analysis in alone.analyses], rel=1e-12
    )


def test_each_comparison_is_corrected_over_the_groups() -> None:
    found = probe(grouped(), groups="truth").groups
    p = [one.verdicts.analyses[5].p for one in found]
    assert [one.verdicts.analyses[5].p_adjusted for one in found] == pytest.approx(holm(p).tolist())


def test_with_holm_the_family_is_all_tests_of_all_groups() -> None:
    found = probe(grouped(), groups="truth", correction="holm").groups
    p = [test.p for one in found for test in one.verdicts.analyses]
    adjusted = [test.p_adjusted for one in found for test in one.verdicts.analyses]
    assert adjusted == pytest.approx(holm(p).tolist())


def test_the_correction_over_groups_can_be_left_out() -> None:
    found = probe(grouped(), groups="truth", group_correction="none").groups
    assert all(test.p == test.p_adjusted for one in found for test in one.verdicts.analyses)


def test_missing_group_values_are_a_group() -> None:
    made = frames()
    for frame in made.values():
        frame.loc[:9, "size"] = None
    found = probe(results_from_frames(made), groups="size")
    assert {group.name: group.n for group in found.groups}["missing"] == 10


def test_groups_of_one_are_counted_and_named() -> None:
    made = {one: frame.assign(maker=["only", *["other"] * 399]) for one, frame in frames().items()}
    found = probe(results_from_frames(made), groups="maker")
    assert found.n_dropped["in_groups_of_one"] == 1
    assert found.notes == ("Groups of one object cannot be tested and are left out of the groups: only.",)


def test_an_unknown_group_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ResultsError, match="To group by, there are: truth, size"):
        probe(grouped(), groups="shape")


def test_a_column_with_a_value_for_each_object_makes_no_groups() -> None:
    made = {one: frame.assign(number=range(400)) for one, frame in frames().items()}
    with pytest.raises(ResultsError, match="'number' has 400 values; at most 200"):
        probe(results_from_frames(made), groups="number")


def test_classes_that_are_numbers_are_written_and_sorted_as_such() -> None:
    made = {one: frame.assign(truth=[10, 9] * 200, label=[10, 9] * 200) for one, frame in frames().items()}
    found = probe(results_from_frames(made), groups="truth")
    assert [group.name for group in found.groups] == ["9", "10"]


# Runs


def runs(n_runs: int, run_sd: float, *, seed: int = 0, n: int = 150) -> tuple[FourResults, ...]:
    """Draw scores whose mean differs from run to run and is the same in all four sets on the whole."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, 0.1, n)
    found = []
    for number in range(n_runs):
        made: Frames = {}
        for one in SETS:
            scores = 0.5 + rng.normal(0, run_sd) + ease + rng.normal(0, 0.1, n)
            made[one] = pd.DataFrame({"id": range(n), "truth": range(n), "correctness": scores.clip(0, 1)})
        found.append(results_from_frames(made, name=f"seed {number}"))
    return tuple(found)


def test_shares_count_the_runs_that_would_say_so_alone() -> None:
    shares = [ROTATION, ROTATION, ROTATION, LEVEL]
    repeated = [results_from_frames(frames(share, seed=k)) for k, share in enumerate(shares)]  # type: ignore[arg-type]
    found = probe(repeated).repeats
    assert found is not None
    alone = [probe(one).hypotheses[8].state == "confirmed" for one in repeated]
    assert found.n == 4
    assert found.shares["H9"] == sum(alone) / 4


def test_the_test_over_runs_is_the_two_way_test_of_differences() -> None:
    repeated = runs(5, 0.05)
    found = probe(repeated)
    scores = np.stack([one.scores() for one in repeated]).astype(float)
    expected = two_way_mean(scores[:, 0] - scores[:, 3])
    assert found.test == "runs"
    assert found.analyses[0].p == pytest.approx(expected.p_value)
    assert found.repeats is not None
    assert found.repeats.run_test[0].run_sd == pytest.approx(expected.run_sd)


def test_runs_that_differ_by_chance_seldom_confirm_anything_together_but_often_alone() -> None:
    together = [probe(runs(5, 0.05, seed=k, n=60)) for k in range(60)]
    wrong = np.mean([analysis.outcome != "~" for found in together for analysis in found.analyses])
    alone = np.mean([found.repeats.shares["H9"] for found in together if found.repeats])
    assert wrong < 0.08
    assert alone > 0.25


def test_runs_are_aligned_by_id() -> None:
    first, *others = runs(3, 0.05)
    order = np.random.default_rng(1).permutation(first.n)
    mixed = first.part(np.ones(first.n, dtype=bool))
    shuffled = FourResults(mixed.ids[order], mixed.truth[order], mixed.correctness[:, order], name="seed 0")
    a, b = probe((first, *others)), probe((shuffled, *others))
    assert [analysis.p for analysis in a.analyses] == pytest.approx([analysis.p for analysis in b.analyses])


def test_runs_on_other_objects_are_refused() -> None:
    first, second = runs(2, 0.05)
    part = second.part(np.arange(second.n) > 0)
    with pytest.raises(ResultsError, match="Runs 'seed 0' and 'seed 1' differ in 1 object, such as '0'"):
        probe((first, part))


def test_runs_with_another_truth_are_refused() -> None:
    first, second = runs(2, 0.05)
    other = FourResults(second.ids, second.truth + 1, second.correctness, name="seed 1")
    with pytest.raises(ResultsError, match="The truth of 150 objects differs between runs 'seed 0' and 'seed 1'"):
        probe((first, other))


def test_two_runs_come_with_a_warning() -> None:
    assert any("Use five." in note for note in probe(runs(2, 0.05)).notes)


def test_a_variance_between_runs_that_is_cut_at_zero_is_named_as_an_assumption() -> None:
    # Runs whose scores are copies of each other cannot differ, whatever the objects do.
    same = [results_from_frames(frames(ROTATION, seed=1), name=f"run-{number}") for number in range(3)]
    found = probe(same)
    assert found.repeats is not None
    assert all(test.run_sd == 0 for test in found.repeats.run_test)
    assert found.notes[0].startswith("A1, A2, A3, A4, A5 and A6: The variance between runs was estimated below 0")
    assert "assumes that training again changes nothing" in found.notes[0]


def note_on(first: list[list[float]]) -> str:
    """Return the note on A1 where M+ on D+ scores runs x objects like this and M on D scores 0."""
    scores = np.zeros((len(first), 4, len(first[0])))
    scores[:, SETS.index("PP")] = first
    return compared_runs(scores).comparisons[0].note


def test_a_variance_between_objects_that_is_cut_at_zero_is_named_as_an_assumption() -> None:
    assert "no object is easier than another" in note_on([[0.0, 0.1, 0.0], [0.5, 0.4, 0.5], [1.0, 1.0, 1.0]])


def test_variances_that_are_both_cut_at_zero_are_named_together() -> None:
    assert "neither runs nor objects differ" in note_on([[0.9, 0.1], [0.1, 0.8]])


def test_variances_above_zero_are_not_remarked_on() -> None:
    assert note_on([[0.0, 0.3, 0.6], [0.2, 0.5, 0.9], [0.4, 0.8, 1.0]]) == ""


def test_groups_of_repeated_runs_are_tested_over_runs() -> None:
    repeated = [results_from_frames(frames(seed=0)), results_from_frames(frames(seed=0)), results_from_frames(frames())]
    found = probe(repeated, groups="size")
    assert {group.verdicts.test for group in found.groups} == {"runs"}


def test_no_run_at_all_is_refused() -> None:
    with pytest.raises(ResultsError, match="There are no results"):
        probe([])


def test_the_interval_of_a_mean_score_stays_among_the_scores() -> None:
    runs = [results_from_frames(frames({"PP": share, "PD": 0.5, "MP": 0.5, "MD": 0.5})) for share in (0.6, 0.99)]
    found = next(result for result in probe(runs).results if result.id == "PP")
    assert (found.low, found.high) == (0.0, 1.0)


def test_numbers_of_objects_say_that_they_are_those_of_one_run() -> None:
    planned, unplanned = (probe(runs(3, 0.02), difference=difference).notes for difference in (0.05, None))
    assert set(planned) - set(unplanned) == {
        "Numbers of objects are planned for one run; how much runs differ is not in them."
    }
