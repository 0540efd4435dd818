"""`understudy probe run`, as its user meets it."""

from pathlib import Path

import pytest

from tests.shell import understudy
from understudy.schema import Verdicts

QUICK = ("--seeds", "2", "--n-train", "150", "--n-test", "60", "--trainer-param", "n_epochs=2")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_both_models_are_trained_and_judged_over_seeds() -> None:
    found = Verdicts.model_validate_json(understudy("probe", "run", "label_hint", *QUICK, "--json").out)
    assert (found.concept, found.n_objects, found.test) == ("label hint", 60, "runs")
    assert found.repeats is not None
    assert found.repeats.n == 2


def test_kept_results_can_be_judged_again_by_their_folder_and_know_their_concept() -> None:
    once = understudy("probe", "run", "rotation", *QUICK, "--out", "kept", "--json").out
    again = understudy("probe", "kept", "--json").out
    assert once == again


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("rotate",), "'rotate' is not among the concepts. Did you mean 'rotation'? Known: average_intensity"),
        (("rotation", "--data", "nothing"), "'nothing' is not among the datasets."),
        (("rotation", "--data", "loan_cases"), "Only pictures can be turned"),
        (("rotation", "--trainer-param", "epochs"), "'epochs' is not a parameter. Write it as name=value."),
        (("rotation", "--trainer-param", "n_epoch=2"), "did you mean n_epochs?"),
        (("rotation", "--n-train", "3"), "The objects to train with lack a class. Ask for more of them."),
    ],
)
def test_a_mistake_gets_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    shown = understudy("probe", "run", *words)
    assert shown.code == 2
    assert sentence in shown.err
    assert "Traceback" not in shown.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--html", "picture.txt"), "--html takes a path that ends in .html, not 'picture.txt'."),
        (("--svg", "picture.jpg"), "A picture ends in .html, .svg, .png or .pdf, not in '.jpg'; rename picture.jpg."),
        (("--alpha", "3"), "The threshold is 3.0; it lies between 0 and 1, such as 0.05."),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused_before_anything_is_trained(words: tuple[str, ...], sentence: str) -> None:
    shown = understudy("probe", "run", "rotation", *QUICK, "--out", "kept", *words)
    assert (shown.code, shown.err.strip()) == (2, sentence)
    assert not Path("kept").exists()
