"""The shown case is the nearest one, and importance is what its likeness loses."""

from typing import Any

import numpy as np
import pytest

from tests.explainers import known_models as known
from tests.explainers.stage import LABELS, VARIABLES, VOCABULARY, Formula, PrototypeFormula, explainer, fields
from understudy.errors import MaterialsError
from understudy.explainers.omission import fit_imputer, value_chances, worth_showing
from understudy.sources.cases import content_from_row

ROWS, TEXTS = known.table_rows(15, 5), known.sentences(15, 5)
both = pytest.mark.parametrize(
    ("name", "background", "inputs"),
    [("table", "known_rows", ROWS), ("text", "known_sentences", TEXTS)],
    ids=["rows", "texts"],
)


def said_of(name: str, background: str, inputs: known.Floats, **params: Any) -> list[dict[str, Any]]:
    made = explainer("prototype", background, n_background=300, **params)
    return [
        dict(fields(explanation))
        for explanation in made.explain(PrototypeFormula(name), inputs, None, np.random.default_rng(1)).explanations
    ]


@both
def test_the_shown_case_is_the_nearest_by_the_models_own_likeness(
    name: str, background: str, inputs: known.Floats
) -> None:
    model = PrototypeFormula(name)
    legend = VARIABLES if name == "table" else VOCABULARY
    for row, said in zip(inputs, said_of(name, background, inputs), strict=True):
        likeness = model.similarities(row[None])[0]
        assert said["similarity"] == pytest.approx(likeness.max(), abs=1e-6)
        assert said["case"] == content_from_row(model.prototype_inputs[int(np.argmax(likeness))], legend)
        assert said["label"] == model.prototype_labels[int(np.argmax(likeness))]


def test_importance_of_a_word_is_what_the_likeness_loses_without_it() -> None:
    model, row = PrototypeFormula("text"), TEXTS[0]
    said = said_of("text", "known_sentences", TEXTS[:1], max_shown=99)[0]
    nearest = int(np.argmax(model.similarities(row[None])[0]))
    sign = 1 if said["label"] == LABELS[1] else -1
    for place, weight in enumerate(said["importance"]["weights"]):
        without = row.copy()
        without[place] = -1
        lost = 10 * sign * (model.similarities(row[None]) - model.similarities(without[None]))[0, nearest]
        assert weight in (0.0, pytest.approx(lost, abs=1e-5))


def test_importance_of_a_value_is_what_the_likeness_loses_on_average_over_likely_values() -> None:
    model, row = PrototypeFormula("table"), ROWS[0]
    said = said_of("table", "known_rows", ROWS[:1], max_shown=99)[0]
    imputer = fit_imputer(_background(300), known.SIZES)
    nearest = int(np.argmax(model.similarities(row[None])[0]))
    sign = 1 if said["label"] == LABELS[1] else -1
    assert said["importance"]["features"]
    for name, weight in zip(said["importance"]["features"], said["importance"]["weights"], strict=True):
        place = VARIABLES.features.index(name)
        rows = np.repeat(row[None], known.SIZES[place], axis=0)
        rows[:, place] = np.arange(known.SIZES[place])
        usual = value_chances(imputer, row, place) @ model.similarities(rows)[:, nearest]
        assert weight == pytest.approx(10 * sign * (model.similarities(row[None])[0, nearest] - usual), abs=1e-4)


def _background(n: int) -> known.Floats:
    return known.table_rows(n, int(np.random.default_rng(0).integers(2**31)))


def test_the_imputer_finds_the_share_of_each_value_where_nothing_depends() -> None:
    rng = np.random.default_rng(3)
    rows = np.column_stack([rng.choice(3, 4000, p=[0.5, 0.3, 0.2]), rng.integers(2, size=4000)]).astype(np.float64)
    chances = value_chances(fit_imputer(rows, [3, 2]), np.array([0.0, 1.0]), 0)
    given = rows[rows[:, 1] == 1, 0].astype(int)
    assert chances == pytest.approx(np.bincount(given) / len(given), abs=1e-3)


@pytest.mark.parametrize(
    ("importance", "keeps", "places"),
    [
        ([0.02, -0.01], "largest", []),
        ([0.04, -0.02], "largest", [0]),
        ([0.15, 0.08, -0.07], "largest", [0, 1]),
        ([1.0, 0.2, -0.2, 0.05], "largest", [0, 1, 2]),
        ([0.9, 0.8, 0.7, 0.6, -0.2, -0.5], "largest", [0, 1, 2, 3]),
        ([0.9, 0.8, 0.7, 0.6, -0.2, -0.5], "ends", [0, 1, 4, 5]),
    ],
)
def test_what_is_worth_showing(importance: list[float], keeps: Any, places: list[int]) -> None:
    assert list(worth_showing(np.array(importance), most=4, keeps=keeps)) == places


def test_a_target_is_a_label_and_not_a_number_where_prototypes_are_of_another_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Turned(PrototypeFormula):
        labels = (LABELS[1], LABELS[0])

    monkeypatch.setattr("understudy.explainers.prototype.create", lambda *_: PrototypeFormula("table"))
    made = explainer("prototype", "known_rows", n_background=300, model="other")
    said = made.explain(Turned("table"), ROWS[:2], np.array([0, 1]), np.random.default_rng(1)).explanations
    assert [fields(explanation)["toward"] for explanation in said] == [LABELS[1], LABELS[0]]


def test_a_model_without_prototypes_is_refused() -> None:
    with pytest.raises(MaterialsError, match=r"has no prototypes\. Bind a prototype model"):
        explainer("prototype").explain(Formula("table"), ROWS, None, np.random.default_rng(1))


def test_the_unknown_word_must_be_known() -> None:
    with pytest.raises(MaterialsError, match="'<unk>', which the vocabulary does not have"):
        said_of("text", "known_sentences", TEXTS, replacement="unk")
