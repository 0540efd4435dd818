"""Disentanglement scores against stored values, known answers and each other."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from understudy.sources import sprites
from understudy.sources.small_pictures import tenth_held_out
from understudy.statistics.arrays import Floats
from understudy.statistics.disentanglement import (
    concentration,
    dci,
    dci_from_importances,
    dci_legacy,
    gaps,
    mig,
    mutual_information,
    mutual_information_matrix,
)

DATA = Path(os.environ.get("UNDERSTUDY_DATA", ""), "interactive-reconstruction")
with_data = pytest.mark.skipif(
    not os.environ.get("UNDERSTUDY_DATA") or not DATA.is_dir(),
    reason="needs UNDERSTUDY_DATA with the stored references",
)


def held_out_factors(dataset: str) -> Floats:
    if dataset == "dsprites":
        return sprites.factors_from_places(tenth_held_out(sprites.N_INSTANCES).held_out)
    factors: Floats = np.load(DATA / "sinelines_z.npy")
    return factors[tenth_held_out(len(factors)).held_out]


@with_data
@pytest.mark.parametrize("dataset", ["dsprites", "sinelines"])
@pytest.mark.parametrize("model", ["ae", "vae"])
def test_the_gap_of_each_stored_matrix_is_the_stored_gap(dataset: str, model: str) -> None:
    folder = DATA / dataset / model
    stored = float((folder / "mig.txt").read_text())
    assert mig(np.load(folder / "MI_matrix.npy"), held_out_factors(dataset)) == pytest.approx(stored, abs=1e-12)


@with_data
def test_legacy_scores_of_the_released_codes_are_near_those_of_all_codes() -> None:
    pytest.importorskip("sklearn", reason="needs the extra sklearn")
    folder = DATA / "sinelines" / "vae"
    codes = np.array(json.loads((folder / "config.json").read_text())["z"])
    scores = dci_legacy(codes, held_out_factors("sinelines")[: len(codes)], np.random.default_rng(0))
    stored = json.loads((folder / "dci.json").read_text())
    assert scores.disentanglement == pytest.approx(stored["disentanglement"], abs=0.03)
    assert scores.completeness == pytest.approx(stored["completeness"], abs=0.03)


def test_information_of_a_copy_is_its_entropy() -> None:
    values = np.repeat(np.arange(4.0), 25)
    assert mutual_information(values, values) == pytest.approx(2.0)


def test_independent_factors_share_nothing_and_have_no_gap() -> None:
    one, other = np.tile(np.arange(20.0), 20), np.repeat(np.arange(20.0), 20)
    shared = mutual_information_matrix(np.column_stack([other, other]), one[:, None])
    assert shared.shape == (2, 1)
    assert mig(shared, one[:, None]) == pytest.approx(0.0, abs=1e-12)


def test_the_gap_is_told_for_each_factor() -> None:
    factors = np.column_stack([np.tile(np.arange(20.0), 20), np.repeat(np.arange(20.0), 20)])
    codes = np.column_stack([factors[:, 0], factors[:, 1], factors[:, 1]])
    assert gaps(mutual_information_matrix(codes, factors), factors).round(6).tolist() == [1.0, 0.0]


def test_concentration_is_one_for_one_column_and_zero_for_all_alike() -> None:
    assert concentration(np.array([[0.0, 3.0, 0.0], [1.0, 1.0, 1.0]])) == pytest.approx([1.0, 0.0], abs=1e-8)


def test_disentangled_and_complete_are_different_things() -> None:
    # Two dimensions that each follow the one factor alone: disentangled, not complete.
    importances = np.array([[0.5, 0.0], [0.5, 0.0], [0.0, 1.0]])
    disentanglement, completeness = dci_from_importances(importances)
    assert disentanglement == pytest.approx(1.0)
    assert completeness == pytest.approx(1 - 0.5 * np.log(2) / np.log(3))


def test_regressors_find_a_permutation_and_both_roles_agree_on_it() -> None:
    pytest.importorskip("sklearn", reason="needs the extra sklearn")
    factors = np.random.default_rng(1).uniform(size=(400, 3))
    codes = factors[:, [2, 0, 1]]
    for score in (dci, dci_legacy):
        found = score(codes, factors, np.random.default_rng(2))
        assert min(found.disentanglement, found.completeness, found.informativeness_test) > 0.95
    assert dci(codes, factors, np.random.default_rng(2)).importances.argmax(axis=0).tolist() == [1, 2, 0]
