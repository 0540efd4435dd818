"""The audit finds rules that answer without understanding, and only those."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import understudy as us
from tests.small_studies import RIGHT_OR_WRONG, consent, debrief, two_groups
from understudy.check.shortcuts import Audit, audited, best_rule_sentence
from understudy.prepare import Prepared, prepare


def prepared(items: list[dict[str, Any]], *, reveals: tuple[str, ...] = ("prediction",)) -> Prepared:
    task = {
        "name": "judge",
        "params": {"questions": [RIGHT_OR_WRONG], "keys": {"guess": "answer"}, "reveals": list(reveals)},
    }
    dataset = {"name": "listed", "params": {"items": items}}
    stages = [{"kind": "stage", "block_id": name, "items": "cases", "task": task} for name in ("first", "second")]
    study = two_groups(
        item_sets=[{"name": "cases", "n_items": len(items), "dataset": dataset}],
        flow=[consent(), *stages, debrief()],
    )
    return prepare(study, Path())


def item(k: int, n_edits: int = 1, *, prediction: str = "yes", answer: str = "yes") -> dict[str, Any]:
    original = {name: f"{name}{k}" for name in "abc"}
    edited = {name: value + ("!" if place < n_edits else "") for place, (name, value) in enumerate(original.items())}
    return {
        "content": {"original": original, "edited": edited},
        "attributes": {"prediction": prediction, "answer": answer},
    }


def audit_of(items: list[dict[str, Any]], **options: Any) -> Audit:
    return audited(prepared(items, **options), np.random.default_rng(1))


def balanced(k: int) -> dict[str, Any]:
    return {"prediction": "yes" if k % 2 else "no", "answer": "yes" if k // 2 % 2 else "no"}


def test_balanced_items_give_nothing_away() -> None:
    found = audit_of([item(k, n_edits=1 + k // 4 % 2, **balanced(k)) for k in range(32)])
    assert found.shortcuts == ()
    assert found.n_questions == 1
    assert found.n_rules > 5


def test_a_number_of_edits_that_tells_whether_the_prediction_changes_is_found() -> None:
    rows = [balanced(k) for k in range(32)]
    found = audit_of(
        [item(k, n_edits=1 if row["prediction"] == row["answer"] else 2, **row) for k, row in enumerate(rows)]
    )
    best = found.shortcuts[0]
    assert best.rule == "answer the shown prediction when the number of edits is less than 2"
    assert (best.accuracy, best.n_items, best.blocks) == (1.0, 32, ("first", "second"))
    assert best.p_any < 0.05


def test_the_best_rule_is_told_with_its_luck_even_where_nothing_is_given_away() -> None:
    [best] = audit_of([item(k, n_edits=1 + k // 4 % 2, **balanced(k)) for k in range(32)]).best
    assert best.is_luck
    assert best.found.low < best.found.accuracy <= best.luck.at_most < 0.9
    assert best_rule_sentence(best).endswith("so this may be luck.")


def test_the_best_rule_is_more_than_luck_where_edits_give_answers_away() -> None:
    rows = [balanced(k) for k in range(32)]
    items = [item(k, n_edits=1 if row["prediction"] == row["answer"] else 2, **row) for k, row in enumerate(rows)]
    [best] = audit_of(items).best
    assert not best.is_luck
    assert best_rule_sentence(best).endswith("so this is more than luck.")


@pytest.mark.parametrize("name", ["ross2021-synthetic", "kim2022-prototree-distinction"])
def test_questions_of_the_same_blocks_are_told_apart(name: str) -> None:
    lines = us.check(name).shortcuts
    assert len(set(lines)) == len(lines)
    assert sum("the best of" in line for line in lines) > 1


def test_many_more_items_show_weaker_shortcuts() -> None:
    few, many = (
        audit_of([item(k, n_edits=1 + k // 4 % 2, **balanced(k)) for k in range(n)]).best[0].visible_from
        for n in (16, 96)
    )
    assert few is not None
    assert many is not None
    assert many < few - 0.1


def test_answers_that_are_mostly_one_option_are_found() -> None:
    found = audit_of([item(k, answer="yes" if k % 8 else "no") for k in range(32)], reveals=())
    assert [shortcut.rule for shortcut in found.shortcuts] == ["always answer 'yes'"]
    assert found.shortcuts[0].accuracy == 28 / 32


def test_a_shown_label_that_is_the_answer_is_found() -> None:
    found = audit_of([item(k, prediction=word, answer=word) for k, word in enumerate(("yes", "no") * 10)])
    assert "answer the shown prediction" in [shortcut.rule for shortcut in found.shortcuts]


def judged(said: Sequence[str], *, shows: float = 0.0) -> Prepared:
    """People say whether the model is right, which it is about every second item; `said` is what it predicts."""
    items = [
        {
            "content": {"text": f"case {k}"},
            "attributes": {"model_is": "right" if k % 2 else "wrong", "prediction": word, "score": shows * (k % 2)},
        }
        for k, word in enumerate(said)
    ]
    rating = {"kind": "rating", "question_id": "agreement", "prompt": "Is the model right?", "points": 4}
    task = {"name": "judge", "params": {"questions": [rating], "reveals": ["prediction", "score"]}}
    study = two_groups(
        item_sets=[{"name": "cases", "n_items": len(items), "dataset": {"name": "listed", "params": {"items": items}}}],
        flow=[consent(), {"kind": "stage", "block_id": "rate", "items": "cases", "task": task}, debrief()],
        measures=[{"name": "correct", "measure": "recognised", "blocks": ["rate"]}],
    )
    return prepare(study, Path())


def test_a_predicted_class_that_tells_whether_the_model_is_right_is_found_with_its_interval() -> None:
    prepared = judged([("a" if k % 3 else "b") if k % 2 else ("c" if k % 10 else "a") for k in range(40)])
    best = audited(prepared, np.random.default_rng(1)).shortcuts[0]
    assert best.rule == "say that the model is right when the shown prediction is a, b"
    assert best.low < best.accuracy < best.high
    assert best.chance == 0.5


def test_a_predicted_class_that_is_as_often_right_as_wrong_is_not_reported() -> None:
    found = audited(judged(["abcd"[k // 2 % 4] for k in range(40)]), np.random.default_rng(1))
    assert found.n_questions == 1
    assert found.shortcuts == ()


def test_a_shown_number_that_tells_whether_the_model_is_right_is_found() -> None:
    found = audited(judged(["abcd"[k // 2 % 4] for k in range(40)], shows=0.9), np.random.default_rng(1))
    assert found.shortcuts[0].rule == "say that the model is right when the shown score is at least 0.9"


def test_false_alarms_are_about_as_rare_as_stated() -> None:
    rng = np.random.default_rng(5)
    n_false = 0
    for _ in range(40):
        answers = rng.permutation(["yes", "no"] * 12)
        items = [item(k, n_edits=int(rng.integers(1, 4)), answer=str(answer)) for k, answer in enumerate(answers)]
        audit = audited(prepared(items, reveals=()), rng, n_shuffles=199)
        n_false += any(shortcut.p_any < 0.05 for shortcut in audit.shortcuts)
    assert n_false <= 6


def test_few_items_are_not_audited() -> None:
    assert audit_of([item(k) for k in range(4)]).n_questions == 0
