"""Every path ends across the boundary, and nothing that was sampled is nearer."""

from typing import Any

import numpy as np
import pytest

from tests.explainers import known_models as known
from tests.explainers.stage import LABELS, VARIABLES, VOCABULARY, Formula, OpenFormula, explainer, fields, predicted
from understudy.errors import MaterialsError
from understudy.explainers.decision_boundary import edit_path
from understudy.sources.edits import edited_rows

ROWS, TEXTS = known.table_rows(25, 5), known.sentences(25, 5)
STAGES = [("table", "known_rows", ROWS), ("text", "known_sentences", TEXTS)]
both = pytest.mark.parametrize(("name", "background", "inputs"), STAGES, ids=["rows", "texts"])


def explained(name: str, background: str, row: known.Floats, **params: Any) -> tuple[dict[str, Any], Formula]:
    model = OpenFormula(name)
    said = (
        explainer("decision_boundary", background, **params)
        .explain(model, row[None], None, np.random.default_rng(1))
        .explanations
    )
    return dict(fields(said[0])), model


def edited(row: known.Floats, edits: list[dict[str, Any]]) -> known.Floats:
    """Apply the edits that people read."""
    changed = row.copy()
    for edit in edits:
        if "feature" in edit:
            place = VARIABLES.features.index(edit["feature"])
            assert VARIABLES.values[place][int(row[place])] == edit["old"]
            changed[place] = VARIABLES.values[place].index(edit["new"])
        else:
            assert VOCABULARY.words[int(row[edit["position"]])] == edit["old"]
            changed[edit["position"]] = VOCABULARY.words.index(edit["new"])
    return changed


@both
def test_every_path_ends_across_the_boundary(name: str, background: str, inputs: known.Floats) -> None:
    for row in inputs:
        said, model = explained(name, background, row)
        end = edited(row, said["steps"][-1]["edits"])
        assert LABELS[predicted(model, end[None])[0]] == said["toward"] != LABELS[predicted(model, row[None])[0]]


@both
def test_no_sampled_candidate_has_fewer_edits(name: str, background: str, inputs: known.Floats) -> None:
    for row in inputs:
        said, model = explained(name, background, row)
        whole = row[row >= 0]
        sampled = np.vstack([asked[:, : len(whole)] for asked in model.asked])
        crosses = (model._margins(sampled) > 0) != (model._margins(whole[None])[0] > 0)
        assert len(said["steps"][-1]["edits"]) == (sampled[crosses] != whole).sum(axis=1).min()


@both
def test_each_step_adds_one_edit_and_says_its_margin(name: str, background: str, inputs: known.Floats) -> None:
    for row in inputs[:8]:
        said, model = explained(name, background, row, n_steps=99)
        assert [len(step["edits"]) for step in said["steps"]] == list(range(1, len(said["steps"]) + 1))
        for step in said["steps"]:
            assert step["margin"] == pytest.approx(model._margins(edited(row, step["edits"])[None])[0], abs=1e-5)


def test_the_next_edit_is_the_one_that_changes_the_margin_least() -> None:
    steps = edit_path(np.zeros(3), np.ones(3), lambda rows: rows @ np.array([5.0, 1.0, -2.0]))
    assert [step.places for step in steps] == [(1,), (1, 2), (1, 2, 0)]


def test_only_the_last_steps_are_shown() -> None:
    row = next(text for text in TEXTS if len(explained("text", "known_sentences", text)[0]["steps"]) > 1)
    said, _ = explained("text", "known_sentences", row, n_steps=1)
    assert len(said["steps"]) == 1
    assert len(said["steps"][0]["edits"]) > 1


def test_among_equals_the_likest_to_the_model_is_taken() -> None:
    said, model = explained("table", "known_rows", ROWS[0])
    sampled = np.vstack(model.asked)
    across = sampled[(known.table_margins(sampled) > 0) != (known.table_margins(ROWS[:1]) > 0)]
    n_edits = (across != ROWS[0]).sum(axis=1)
    apart = ((known.table_hidden(across) - known.table_hidden(ROWS[:1])) ** 2).sum(axis=1)
    end = edited(ROWS[0], said["steps"][-1]["edits"])
    mine = ((known.table_hidden(end[None]) - known.table_hidden(ROWS[:1])) ** 2).sum()
    assert mine == pytest.approx(apart[n_edits == n_edits.min()].min())


def test_the_published_sum_may_take_more_edits_for_nearer_hidden_values() -> None:
    pairs = [
        [len(explained("table", "known_rows", row, nearest=way)[0]["steps"][-1]["edits"]) for row in ROWS]
        for way in ("edits", "sum")
    ]
    assert all(few <= many for few, many in zip(*pairs, strict=True))
    assert sum(pairs[0]) < sum(pairs[1])


def test_a_boundary_that_nothing_crosses_leaves_a_path_without_steps() -> None:
    model = Formula("table", factor=0.0)
    said: Any = (
        explainer("decision_boundary", n_samples=50)
        .explain(model, ROWS[:1], None, np.random.default_rng(1))
        .explanations[0]
    )
    assert fields(said)["steps"] == []


def test_edits_change_one_to_three_variables_and_every_value_as_often() -> None:
    rows = edited_rows(np.array([0.0, 1.0, 2.0, 0.0]), [2, 3, 4, 1], 60_000, 3, np.random.default_rng(1))
    n_edits = (rows != np.array([0, 1, 2, 0])).sum(axis=1)
    assert np.bincount(n_edits)[1:] / 60_000 == pytest.approx([1 / 3] * 3, abs=0.01)
    assert (rows[:, 3] == 0).all()
    changed = rows[rows[:, 2] != 2, 2]
    assert np.bincount(changed.astype(int))[[0, 1, 3]] / len(changed) == pytest.approx([1 / 3] * 3, abs=0.01)


def test_a_model_with_three_labels_is_refused() -> None:
    model = Formula("table")
    model.labels = ("a", "b", "c")  # type: ignore[misc, assignment]
    with pytest.raises(MaterialsError, match=r"the model has 3\. Bind a model with two labels"):
        explainer("decision_boundary").explain(model, ROWS[:1], None, np.random.default_rng(1))
