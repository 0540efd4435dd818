"""Accuracies of a study's classifiers are read off their cards."""

from pathlib import Path

from understudy.protocols import hase2020_tabular, loan_demo
from understudy.protocols.hase2020.printed import model_accuracies


def test_both_classifiers_of_a_study_are_found_wherever_they_are_named(tmp_path: Path) -> None:
    told = model_accuracies(hase2020_tabular(), {"UNDERSTUDY_MODELS": str(tmp_path)})
    assert set(told) == {"Task model", "Prototype"}
    assert all(60 < value <= 100 for value in told.values())


def test_a_study_without_trained_classifiers_has_none() -> None:
    assert model_accuracies(loan_demo(), {}) == {}


def test_a_classifier_that_is_not_here_is_left_out(tmp_path: Path) -> None:
    told = model_accuracies(hase2020_tabular(data="paper"), {"UNDERSTUDY_MODELS": str(tmp_path)})
    assert set(told) == {"Task model"}
