"""LIME against the library lime, and against what can be known without it."""

import json
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.explainers import known_models as known
from tests.explainers.stage import VARIABLES, Formula, OpenFormula, explainer, fields
from understudy.errors import MaterialsError
from understudy.schema import Explanation

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "lime_anchor.json").read_text())
ROWS = known.table_rows(REFERENCE["n_items"], REFERENCE["item_seed"])
TEXTS = known.sentences(REFERENCE["n_items"], REFERENCE["item_seed"])
SAME_ROWS = {"name": "known_rows", "params": {"seed": REFERENCE["background_seed"]}}
SLACK = 0.02


Weights = list[dict[str, float]]


def said_of_rows(seed: int) -> Weights:
    made = explainer("lime", SAME_ROWS, sampling="values", n_background=REFERENCE["n_background"])
    said = made.explain(Formula("table"), ROWS, None, np.random.default_rng(seed)).explanations
    return [{name.split()[1]: weight for name, weight in pairs(one, "features").items()} for one in said]


def said_of_texts(seed: int) -> Weights:
    said = (
        explainer("lime", "known_sentences")
        .explain(Formula("text"), TEXTS, None, np.random.default_rng(seed))
        .explanations
    )
    return [{word: weight for word, weight in pairs(one, "tokens").items() if weight} for one in said]


def pairs(one: Explanation, names: str) -> dict[str, float]:
    payload: Any = fields(one)
    return dict(zip(payload[names], payload["weights"], strict=True))


def overlap(first: Weights, second: Weights) -> float:
    return float(np.mean([len(a.keys() & b.keys()) / max(len(b), 1) for a, b in zip(first, second, strict=True)]))


def distance(first: Weights, second: Weights) -> float:
    apart = [abs(a[name] - b[name]) for a, b in zip(first, second, strict=True) for name in a.keys() & b.keys()]
    return float(np.mean(apart))


@pytest.mark.parametrize(("kind", "ours"), [("lime_rows", said_of_rows), ("lime_texts", said_of_texts)])
def test_features_and_weights_are_as_close_to_lime_as_lime_with_another_seed(
    kind: str, ours: Callable[[int], Weights]
) -> None:
    theirs: list[Weights] = [[one["weights"] for one in said] for said in REFERENCE[kind]]
    mine = [ours(seed) for seed in range(len(theirs))]
    across, within = list(product(mine, theirs)), list(combinations(theirs, 2))
    assert np.mean([overlap(a, b) for a, b in across]) >= np.mean([overlap(a, b) for a, b in within]) - SLACK
    assert np.mean([distance(a, b) for a, b in across]) <= 1.05 * np.mean([distance(a, b) for a, b in within])


def test_the_baseline_is_as_close_to_lime_as_lime_with_another_seed() -> None:
    made = explainer("lime", SAME_ROWS, sampling="values", n_background=REFERENCE["n_background"])
    said: Any = [
        fields(explanation)["baseline"]
        for explanation in made.explain(Formula("table"), ROWS, None, np.random.default_rng(3)).explanations
    ]
    first, second = (np.array([one["baseline"] for one in said]) for said in REFERENCE["lime_rows"][:2])
    assert np.abs(np.array(said) - first).mean() <= 1.5 * np.abs(second - first).mean()


def test_rows_are_explained_with_their_values_from_for_to_against() -> None:
    payload = fields(
        explainer("lime").explain(Formula("table"), ROWS[:1], None, np.random.default_rng(1)).explanations[0]
    )
    assert payload["weights"] == sorted(payload["weights"], reverse=True)
    numbers = [VARIABLES.features.index(name) for name in payload["features"]]
    assert payload["values"] == [VARIABLES.values[j][int(ROWS[0, j])] for j in numbers]
    assert payload["total"] == pytest.approx(payload["baseline"] + sum(payload["weights"]), abs=1e-5)


def test_the_other_label_has_the_opposite_weights() -> None:
    for_second, for_first = (
        pairs(explainer("lime", toward=label).explain(Formula("table"), ROWS[:1], None, np.random.default_rng(1)).explanations[0], "features")
        for label in ("above", "below")
    )  # fmt: skip
    assert for_first == pytest.approx({name: -weight for name, weight in for_second.items()}, abs=2e-6)


@pytest.mark.parametrize("method", ["lime", "omission"])
def test_the_total_for_the_other_label_lies_on_the_other_side_of_even(method: str) -> None:
    for_second, for_first = (
        fields(explainer(method, n_background=300, toward=label).explain(Formula("table"), ROWS[:1], None, np.random.default_rng(1)).explanations[0])
        for label in ("above", "below")
    )  # fmt: skip
    assert (for_second["against"], for_first["against"]) == ("below", "above")
    assert for_first["total"] == pytest.approx(2 * for_second["even"] - for_second["total"], abs=1e-5)


def test_a_word_weighs_the_same_at_all_its_places_and_punctuation_nothing() -> None:
    ids = np.array([[10.0, 12.0, 10.0, 40.0, known.FULL_STOP, -1.0]])
    said: Any = (
        explainer("lime", "known_sentences")
        .explain(Formula("text"), ids, None, np.random.default_rng(1))
        .explanations[0]
    )
    assert said.kind == "token_attribution"
    assert fields(said)["tokens"] == ["w10", "w12", "w10", "w40", "."]
    assert fields(said)["weights"][0] == fields(said)["weights"][2]
    assert fields(said)["weights"][4] == 0.0


def test_a_text_without_words_is_explained_by_its_baseline() -> None:
    ids = np.array([[known.FULL_STOP, -1.0]])
    said: Any = (
        explainer("lime", "known_sentences")
        .explain(Formula("text"), ids, None, np.random.default_rng(1))
        .explanations[0]
    )
    assert fields(said)["weights"] == [0.0]
    assert fields(said)["baseline"] == 0.5


def test_an_explanation_does_not_depend_on_what_is_explained_with_it() -> None:
    made = explainer("lime")
    alone = made.explain(OpenFormula("table"), ROWS[:1], None, np.random.default_rng(1)).explanations
    assert made.explain(OpenFormula("table"), ROWS[:3], None, np.random.default_rng(1)).explanations[0] == alone[0]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"background": "loan_cases"}, "'loan_cases' cannot be a background.*Name a dataset with a legend"),
        ({"toward": "sideways"}, "'sideways', which is not a label of the model. Its labels are: below, above"),
    ],
)
def test_a_setting_that_does_not_fit_is_refused(params: dict[str, str], words: str) -> None:
    made = explainer("lime", **params)
    with pytest.raises(MaterialsError, match=words):
        made.explain(Formula("table"), ROWS, None, np.random.default_rng(1))


def test_inputs_of_another_width_are_refused() -> None:
    with pytest.raises(MaterialsError, match="has 12 variables, but the explained inputs have 11"):
        explainer("lime").explain(Formula("table"), ROWS[:, 1:], None, np.random.default_rng(1))
