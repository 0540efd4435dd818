"""Anchors hold on inputs nobody has drawn before, and are as short as those of anchor-exp."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.explainers import known_models as known
from tests.explainers.stage import VARIABLES, VOCABULARY, Formula, explainer, fields
from understudy.errors import MaterialsError
from understudy.schema import Explanation
from understudy.sources.edits import WordTable, choices_for, edited_texts

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "lime_anchor.json").read_text())
ROWS = known.table_rows(REFERENCE["n_items"], REFERENCE["item_seed"])
TEXTS = known.sentences(REFERENCE["n_items"], REFERENCE["item_seed"])
SAME_ROWS = {"name": "known_rows", "params": {"seed": REFERENCE["background_seed"]}}
THRESHOLD = 0.95
N_FRESH = 20_000
Rules = list[list[int]]


@cache
def rules_of_rows() -> Rules:
    said = (
        explainer("anchor", SAME_ROWS, n_background=REFERENCE["n_background"])
        .explain(Formula("table"), ROWS, None, np.random.default_rng(1))
        .explanations
    )
    return [[VARIABLES.features.index(condition["feature"]) for condition in conditions(each)] for each in said]


@cache
def rules_of_texts(*, allows_empty: bool = False) -> Rules:
    made = explainer("anchor", "known_sentences", allows_empty=allows_empty)
    said = made.explain(Formula("text"), TEXTS, None, np.random.default_rng(1)).explanations
    return [[condition["position"] for condition in conditions(each)] for each in said]


def conditions(said: Explanation) -> list[dict[str, Any]]:
    found: Any = fields(said)["conditions"]
    return list(found)


def fresh_precision_of_rows(rules: Rules, rows: known.Floats) -> known.Floats:
    shares = []
    for rule, row in zip(rules, ROWS, strict=True):
        changed = rows.copy()
        changed[:, rule] = row[rule]
        is_second = known.table_margins(row[None])[0] > 0
        shares.append(((known.table_margins(changed) > 0) == is_second).mean())
    return np.array(shares)


def fresh_precision_of_texts(rules: Rules) -> known.Floats:
    shares, rng = [], np.random.default_rng(77)
    for rule, row in zip(rules, TEXTS, strict=True):
        ids = row[row >= 0]
        choices = choices_for(ids.astype(np.int64), WordTable(*known.word_table()), n_choices=100, temperature=0.4)
        changes = (rng.random((10_000, len(choices.places))) < 0.5) & ~np.isin(choices.places, rule)
        is_second = known.text_margins(ids[None])[0] > 0
        shares.append(
            (
                (known.text_margins(edited_texts(ids, choices, changes, rng.random(changes.sum()))) > 0) == is_second
            ).mean()
        )
    return np.array(shares)


def draws_from_background(n: int) -> known.Floats:
    background = known.table_rows(REFERENCE["n_background"], REFERENCE["background_seed"])
    return background[np.random.default_rng(77).integers(len(background), size=n)]


def mean_length(rules: Rules, among: Any) -> float:
    return float(np.mean([len(rule) for rule, is_in in zip(rules, among, strict=True) if is_in]))


@pytest.mark.slow
def test_rules_of_rows_hold_on_fresh_draws() -> None:
    precision = fresh_precision_of_rows(rules_of_rows(), draws_from_background(N_FRESH))
    assert (precision >= THRESHOLD).mean() >= 0.95


def test_rules_of_rows_hold_on_rows_that_are_not_in_the_background() -> None:
    precision = fresh_precision_of_rows(rules_of_rows(), known.table_rows(N_FRESH, 1234))
    assert (precision >= THRESHOLD).mean() >= 0.9
    assert precision.min() >= THRESHOLD - 0.02


@pytest.mark.slow
def test_rules_of_texts_hold_on_fresh_draws() -> None:
    assert (fresh_precision_of_texts(rules_of_texts()) >= THRESHOLD).mean() >= 0.95


@pytest.mark.parametrize("theirs", REFERENCE["anchor_rows"])
def test_rules_of_rows_are_no_longer_than_those_of_anchor_exp_that_hold(theirs: Rules) -> None:
    among = fresh_precision_of_rows(theirs, draws_from_background(N_FRESH)) >= THRESHOLD
    assert mean_length(rules_of_rows(), among) <= mean_length(theirs, among)


@pytest.mark.parametrize("theirs", REFERENCE["anchor_texts"])
def test_rules_of_texts_are_no_longer_than_those_of_anchor_exp_that_hold(theirs: Rules) -> None:
    """It may say that no condition is needed, so for this comparison ours may, too."""
    among = fresh_precision_of_texts(theirs) >= THRESHOLD
    assert mean_length(rules_of_texts(allows_empty=True), among) <= mean_length(theirs, among)


def test_conditions_name_the_values_of_the_row_and_the_predicted_label() -> None:
    said: Any = explainer("anchor").explain(Formula("table"), ROWS[:1], None, np.random.default_rng(1)).explanations[0]
    numbers = [VARIABLES.features.index(condition["feature"]) for condition in fields(said)["conditions"]]
    assert numbers == sorted(numbers)
    assert [condition["value"] for condition in fields(said)["conditions"]] == [
        VARIABLES.values[j][int(ROWS[0, j])] for j in numbers
    ]
    assert fields(said)["label"] == ("above" if known.table_margins(ROWS[:1])[0] > 0 else "below")


def test_conditions_of_a_text_name_the_words_at_their_places() -> None:
    said: Any = (
        explainer("anchor", "known_sentences")
        .explain(Formula("text"), TEXTS[:5], None, np.random.default_rng(1))
        .explanations
    )
    for one in said:
        assert all(fields(one)["tokens"][each["position"]] == each["token"] for each in fields(one)["conditions"])


def test_coverage_is_the_share_of_the_background_that_meets_the_rule() -> None:
    background = known.table_rows(500, REFERENCE["background_seed"])
    made = explainer("anchor", SAME_ROWS, n_background=500)
    said: Any = made.explain(Formula("table"), ROWS[:1], None, np.random.default_rng(1)).explanations[0]
    rule = [VARIABLES.features.index(condition["feature"]) for condition in fields(said)["conditions"]]
    met = (background[:, rule] == ROWS[0, rule]).all(axis=1).mean()
    assert fields(said)["coverage"] == pytest.approx(met, abs=1e-6)


def test_a_model_that_always_answers_the_same_needs_no_condition() -> None:
    said: Any = (
        explainer("anchor")
        .explain(Formula("table", factor=0.0), ROWS[:1], None, np.random.default_rng(1))
        .explanations[0]
    )
    assert fields(said)["conditions"] == []
    assert fields(said)["precision"] == 1.0


def test_the_published_programs_way_is_an_option_that_promises_less() -> None:
    made = explainer("anchor", SAME_ROWS, n_background=3000, certifies="tolerance", beam_width=1)
    said = made.explain(Formula("table"), ROWS, None, np.random.default_rng(1)).explanations
    rules = [[VARIABLES.features.index(condition["feature"]) for condition in conditions(each)] for each in said]
    precision = fresh_precision_of_rows(rules, draws_from_background(N_FRESH))
    assert (precision >= THRESHOLD).mean() < 0.95
    assert (precision >= THRESHOLD - 0.05).mean() >= 0.95


def test_texts_need_vectors_of_words() -> None:
    bare = {"name": "known_sentences", "params": {"vectors": False}}
    with pytest.raises(MaterialsError, match=r"nor the model has a vector for each word"):
        explainer("anchor", bare).explain(Formula("text"), TEXTS[:1], None, np.random.default_rng(1))


def test_what_the_model_learned_about_words_stands_in_for_vectors() -> None:
    model = Formula("text")
    model.word_vectors = known.VECTORS  # type: ignore[attr-defined]
    bare = {"name": "known_sentences", "params": {"vectors": False}}
    said: Any = explainer("anchor", bare).explain(model, TEXTS[:1], None, np.random.default_rng(1)).explanations[0]
    assert fields(said)["precision"] >= THRESHOLD


def test_words_give_way_to_like_words_of_the_same_part_of_speech() -> None:
    ids = np.array([10, 7, known.FULL_STOP])
    choices = choices_for(ids, WordTable(*known.word_table()), n_choices=5, temperature=0.4)
    chances = np.diff(choices.cumulative, prepend=0.0, axis=1)
    offered = [choices.words[k][chances[k] > 0] for k in range(len(choices.places))]
    assert list(choices.places) == [0]
    assert {VOCABULARY.tags[k] for k in offered[0]} == {VOCABULARY.tags[10]}
    assert 10 not in offered[0]
    assert len(offered[0]) <= 5
