"""Scores of decoders: known codes get known scores, shipped cards carry theirs, and printed ones are as stored."""

import os
from pathlib import Path

import numpy as np
import pytest

from understudy.actions.decoder_scores import error_without_dials, scores_from_codes, shared_of_truth
from understudy.inference import shipped_decoder
from understudy.protocols import published_results, ross2021_mnist, ross2021_synthetic
from understudy.protocols.ross2021.printed import MNIST_SCORES, SYNTHETIC_SCORES, automatic_scores_of

LEARNED = ("dsprites-ae", "dsprites-vae", "sinelines-ae", "sinelines-vae")
STORED = Path(os.environ.get("UNDERSTUDY_DATA", "")) / "interactive-reconstruction"
needs_stored = pytest.mark.skipif(
    "UNDERSTUDY_DATA" not in os.environ or not STORED.is_dir(), reason="UNDERSTUDY_DATA holds no stored references"
)


def test_codes_that_are_the_factors_score_one() -> None:
    pytest.importorskip("sklearn")
    factors = np.random.default_rng(0).uniform(size=(4000, 2))
    scores = scores_from_codes(factors * 3, factors, ("size", "hue"), np.random.default_rng(1))
    assert scores["mig"] == pytest.approx(1.0, abs=0.05)
    assert scores["dci"]["disentanglement"] == pytest.approx(1.0, abs=0.02)  # type: ignore[index,call-overload]


def test_every_dial_of_the_true_lines_changes_them() -> None:
    changes = error_without_dials(shipped_decoder("sinelines-gt"))
    assert len(changes) == 5
    assert min(changes) > 0


def test_a_decoder_without_held_out_codes_says_nothing_of_its_dials() -> None:
    assert error_without_dials(shipped_decoder("practice-disc")) == ()


def test_dials_of_a_true_model_are_about_themselves() -> None:
    shared = shared_of_truth(shipped_decoder("sinelines-gt").card)
    assert shared is not None
    assert shared.strongest == shared.factors


@pytest.mark.parametrize("name", LEARNED)
def test_a_shipped_card_says_what_training_would_write(name: str) -> None:
    said = shipped_decoder(name).card.provenance
    assert np.array(said["mutual_information_bits"], dtype=float).shape == (5, 5)
    assert said["mig"] == pytest.approx(np.mean(said["factor_gaps"]), abs=1e-6)  # type: ignore[arg-type]


def test_every_model_of_the_synthetic_study_is_scored() -> None:
    study = ross2021_synthetic()
    printed = published_results(study)
    assert printed is not None
    found = automatic_scores_of(study, printed)
    assert list(found.ours) == list(SYNTHETIC_SCORES)
    assert all(value.mig is not None and value.shared is not None for value in found.ours.values())


@pytest.mark.parametrize("score", ["mig", "dci_paper", "dci"])
def test_the_order_of_the_shipped_models_is_the_published_one(score: str) -> None:
    study = ross2021_synthetic()
    printed = published_results(study)
    assert printed is not None
    ours = automatic_scores_of(study, printed).ours
    for data in ("dsprites", "sinelines"):
        scores = [getattr(ours[f"{data}, {model}"], score) for model in ("ae", "vae", "gt")]
        assert scores == sorted(scores)


def test_decoders_that_are_not_there_are_named_and_stop_nothing(tmp_path: Path) -> None:
    study = ross2021_mnist(folder=str(tmp_path))
    printed = published_results(study)
    assert printed is not None
    found = automatic_scores_of(study, printed)
    assert found.ours == {}
    assert found.gaps[0].startswith("MNIST AE, 5: ")


@needs_stored
@pytest.mark.parametrize("group", [score for score in SYNTHETIC_SCORES if not score.endswith("gt")])
def test_printed_scores_are_the_stored_ones(group: str) -> None:
    folder = STORED / Path(*group.split(", "))
    printed = SYNTHETIC_SCORES[group]
    assert printed.error == pytest.approx(float((folder / "mse.txt").read_text()), abs=1e-6)
    assert printed.mig == pytest.approx(float((folder / "mig.txt").read_text()), abs=1e-6)
    assert printed.shared is not None
    np.testing.assert_allclose(printed.shared.bits, np.load(folder / "MI_matrix.npy"), atol=5.1e-5)


@needs_stored
@pytest.mark.parametrize("group", [score for score in MNIST_SCORES if score != "ig5"])
def test_printed_errors_on_digits_are_the_stored_ones(group: str) -> None:
    stored = float((STORED / "mnist" / group / "mse.txt").read_text())
    assert MNIST_SCORES[group].error == pytest.approx(stored, abs=1e-6)
