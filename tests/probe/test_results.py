"""Results are aligned by id, checked, and refused with a sentence where they do not fit."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from tests.probe.result_samples import Frames, frames
from understudy.errors import ResultsError, UnderstudyError
from understudy.probe import (
    correctness_from_text,
    equal,
    exponential,
    linear,
    probe,
    results_from_frames,
    within,
)


def small(**columns: list[object]) -> Frames:
    """Four tables of four objects, the same but for the label of PP's last."""
    base = {"id": ["a", "b", "c", "d"], "truth": ["x", "y", "x", "y"], "label": ["x", "y", "y", "y"], **columns}
    made = {word: pd.DataFrame(base) for word in ("PP", "PD", "MP", "MD")}
    made["PP"] = made["PP"].assign(label=["x", "y", "x", "y"])
    return made  # type: ignore[return-value]


def fault_of(made: Frames, **options: object) -> str:
    with pytest.raises(ResultsError) as found:
        results_from_frames(made, **options)  # type: ignore[arg-type]
    return str(found.value)


def test_rows_are_matched_by_id_and_not_by_position() -> None:
    made = frames(n=50)
    shuffled = {**made, "MD": made["MD"].sample(frac=1, random_state=1)}
    straight, crooked = results_from_frames(made), results_from_frames(shuffled)
    assert (straight.correctness == crooked.correctness).all()


def test_ids_written_as_numbers_and_as_texts_are_the_same() -> None:
    made = small(id=[1, 2, 3, 4])
    made["MD"] = made["MD"].assign(id=["1", "2", "3", "4"]).iloc[::-1]
    made["MP"] = made["MP"].assign(id=[1.0, 2.0, 3.0, 4.0])
    assert list(results_from_frames(made).ids) == ["1", "2", "3", "4"]


def test_labels_are_right_when_they_equal_the_truth() -> None:
    found = results_from_frames(small())
    assert found.correctness.sum(axis=1).tolist() == [4, 3, 3, 3]
    assert found.correctness.dtype == np.bool_


def test_numbers_are_compared_as_numbers() -> None:
    made = small(truth=["1", "2", "1", "2"], label=["1.0", "2.0", "2", "2"])
    made["PP"] = made["MD"]
    assert results_from_frames(made).correctness[3].tolist() == [True, True, False, True]


# Scores


def test_a_score_is_certainty_times_correctness() -> None:
    found = results_from_frames(small(uncertainty=[0.0, 0.25, 0.5, 1.0]))
    assert found.scores().tolist()[3] == [1.0, 0.75, 0.0, 0.0]


def test_confidence_is_one_minus_uncertainty() -> None:
    confident = results_from_frames(small(confidence=[1.0, 0.75, 0.5, 0.0]))
    assert confident.scores().tolist()[3] == [1.0, 0.75, 0.0, 0.0]


def test_the_score_can_be_as_printed_or_correctness_alone() -> None:
    found = results_from_frames(small(uncertainty=[0.5, 0.25, 0.5, 1.0]))
    assert found.scores("as_printed").tolist()[3] == [0.5, 0.25, 0.0, 1.0]
    assert found.scores("correctness").tolist()[3] == [1, 1, 0, 1]
    assert found.uncertainty is not None
    assert found.uncertainty[3].tolist() == [0.5, 0.25, 0.5, 1.0]


def test_as_printed_scores_nothing_without_uncertainties() -> None:
    assert not results_from_frames(small()).scores("as_printed").any()


def test_a_column_of_correctness_needs_no_labels() -> None:
    made = {one: frame.drop(columns="label") for one, frame in small(correctness=[1, 0.5, 0, 1]).items()}
    assert results_from_frames(made).scores().tolist()[0] == [1.0, 0.5, 0.0, 1.0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [(within(0.5), [1, 1, 0, 0]), (linear(2.0), [1, 0.75, 0.5, 0]), (exponential(1.0), [1, 0.6065, 0.3679, 0.0498])],
)
def test_values_are_scored_by_their_error(function: Callable[..., np.ndarray], expected: list[float]) -> None:
    made = small(truth=[1.0, 2.0, 3.0, 4.0], label=[1.0, 2.5, 2.0, 7.0])
    made["PP"] = made["MD"]
    found = results_from_frames(made, correctness=function)
    assert found.scores()[3].astype(float) == pytest.approx(expected, abs=1e-4)


def test_any_function_of_truth_and_label_can_say_what_is_right() -> None:
    found = results_from_frames(small(), correctness=lambda truth, label: np.where(truth == label, 1.0, 0.5))
    assert found.scores().tolist()[3] == [1.0, 1.0, 0.5, 1.0]


def test_functions_of_an_error_can_be_named_in_words() -> None:
    truth, label = np.array([1.0, 2.0]), np.array([1.5, 4.0])
    assert correctness_from_text("within:0.5")(truth, label).tolist() == [True, False]
    assert correctness_from_text("equal") is equal


@pytest.mark.parametrize("text", ["near:2", "linear", "linear:x", "linear:0", "within:-1"])
def test_an_unknown_function_is_refused(text: str) -> None:
    with pytest.raises(UnderstudyError, match=r"it (can|must) be"):
        correctness_from_text(text)


def test_words_have_no_error() -> None:
    with pytest.raises(UnderstudyError, match="not all numbers"):
        results_from_frames(small(), correctness=linear(1.0))


# Faults


def test_missing_ids_are_named_with_the_way_out() -> None:
    made = small()
    made["MD"] = made["MD"].iloc[:3]
    assert fault_of(made) == (
        "M on D has 3 rows and lacks 1 of the 4 ids of the four tables, such as 'd'. Add them, or leave those objects "
        "out with incomplete='drop' (--incomplete drop)."
    )


def test_tables_of_the_same_length_with_other_ids_are_refused() -> None:
    made = small()
    made["MD"] = made["MD"].assign(id=["a", "b", "c", "e"])
    assert len(fault_of(made).splitlines()) == 4


def test_duplicated_ids_are_refused() -> None:
    made = small()
    made["MP"] = made["MP"].assign(id=["a", "a", "c", "d"])
    assert fault_of(made) == "M on D+ has 1 id more than once, such as 'a'; each object has one row."


def test_a_row_without_an_id_is_refused() -> None:
    made = small()
    made["PD"] = made["PD"].assign(id=["a", "", "c", "d"])
    assert fault_of(made) == "M+ on D has 1 row without an id, first in row 2."


def test_truth_must_agree() -> None:
    made = small()
    made["MD"] = made["MD"].assign(truth=["x", "y", "x", "x"])
    assert fault_of(made) == (
        "The truth of 1 object differs between M+ on D+ and M on D, such as id 'd': 'y' and 'x'. Truth belongs to the "
        "object and must be the same."
    )


@pytest.mark.parametrize("value", [1.2, -0.1, float("inf")])
def test_correctness_outside_0_and_1_is_refused(value: float) -> None:
    said = fault_of(small(correctness=[1.0, value, 0.0, 1.0]))
    assert said.splitlines()[0].startswith("M+ on D+ has 1 value of correctness not between 0 and 1, such as")


def test_confidence_in_percent_is_refused() -> None:
    assert "values of confidence not between 0 and 1, such as 90 for id 'a'" in fault_of(
        small(confidence=[90, 80, 70, 60])
    )


def test_nan_is_refused_with_the_way_out() -> None:
    said = fault_of(small(uncertainty=[0.1, float("nan"), 0.2, 0.3])).splitlines()
    assert said[0] == (
        "M+ on D+ has no uncertainty in 1 row, such as id 'b'. Fill them in, or leave those objects out with "
        "incomplete='drop' (--incomplete drop)."
    )
    assert len(said) == 4


def test_text_where_a_number_belongs_is_refused() -> None:
    assert fault_of(small(uncertainty=["0.1", "low", "0.2", "0.3"])) == (
        "M+ on D+ has 'low' as uncertainty, which is not a number."
    )


def test_a_missing_column_is_named() -> None:
    made = small()
    made["MD"] = made["MD"].drop(columns="truth")
    assert fault_of(made) == "M on D has no column 'truth'; its columns are: id, label."


def test_a_missing_table_is_named() -> None:
    made = small()
    del made["MD"]
    assert fault_of(made).startswith("Results of M on D are missing; all four are needed")


def test_a_column_in_some_tables_only_is_refused() -> None:
    made = small()
    made["MD"] = made["MD"].assign(uncertainty=0.1)
    assert "'uncertainty' is missing in M+ on D+, M+ on D, M on D+; give it in all four" in fault_of(made)


def test_uncertainty_and_confidence_together_are_refused() -> None:
    assert "give one" in fault_of(small(uncertainty=[0.1] * 4, confidence=[0.9] * 4))


def test_a_column_and_a_function_of_correctness_are_refused() -> None:
    assert "give one" in fault_of(small(correctness=[1] * 4), correctness=equal)


def test_a_function_that_gives_the_wrong_number_of_scores_is_refused() -> None:
    assert "gives 1 numbers for 4 objects" in fault_of(small(), correctness=lambda *_: np.ones(1))


def test_every_fault_is_named_at_once() -> None:
    made = small()
    made["MD"] = made["MD"].drop(columns="truth")
    made["MP"] = made["MP"].drop(columns="label")
    assert len(fault_of(made).splitlines()) == 2


# Dropping, counted


def test_incomplete_objects_can_be_left_out_and_are_counted() -> None:
    made = frames(n=20)
    made["MD"] = made["MD"].iloc[:-3]
    made["PP"].loc[2, "label"] = None
    found = results_from_frames(made, incomplete="drop")
    assert found.n_dropped == {"not_in_all_four": 3, "missing_value": 1}
    assert found.n == 16
    assert "x2" not in found.ids


def test_the_counts_stand_in_the_verdicts_even_when_nothing_was_dropped() -> None:
    assert probe(results_from_frames(frames())).n_dropped == {"not_in_all_four": 0, "missing_value": 0}


def test_dropping_everything_is_refused() -> None:
    made = small()
    made["MD"] = made["MD"].assign(id=["e", "f", "g", "d"])
    assert fault_of(made, incomplete="drop").startswith("1 object left for the test; at least 2 are needed")
