"""Omission says what the margin loses, and Composite says everything its parts say."""

from typing import Any

import numpy as np
import pytest

from tests.explainers import known_models as known
from tests.explainers.stage import Formula, OpenFormula, PrototypeFormula, explainer, fields
from understudy import registry
from understudy.schema import Ref, Several

ROWS, TEXTS = known.table_rows(6, 5), known.sentences(6, 5)


def test_a_word_weighs_what_the_margin_loses_without_it() -> None:
    made = explainer("omission", "known_sentences", max_shown=99)
    said: Any = made.explain(OpenFormula("text"), TEXTS[:1], None, np.random.default_rng(1)).explanations[0]
    without = np.repeat(TEXTS[:1], len(fields(said)["tokens"]), axis=0)
    np.fill_diagonal(without, -1)
    lost = known.text_margins(TEXTS[:1]) - known.text_margins(without)
    assert said.kind == "token_attribution"
    assert fields(said)["weights"] == pytest.approx(np.where(np.abs(lost) >= 0.1, lost, 0.0), abs=1e-5)


def test_the_total_is_the_margin_toward_the_named_label() -> None:
    for label, sign in (("above", 1), ("below", -1)):
        made = explainer("omission", n_background=300, toward=label)
        said: Any = made.explain(OpenFormula("table"), ROWS[:1], None, np.random.default_rng(1)).explanations[0]
        assert fields(said)["total"] == pytest.approx(sign * known.table_margins(ROWS[:1])[0], abs=1e-5)
        assert fields(said)["toward"] == label


def test_no_more_is_shown_than_wanted_from_for_to_against() -> None:
    said: Any = (
        explainer("omission", n_background=300, max_shown=3)
        .explain(OpenFormula("table"), ROWS, None, np.random.default_rng(1))
        .explanations
    )
    assert all(len(fields(one)["features"]) <= 3 for one in said)
    assert all(fields(one)["weights"] == sorted(fields(one)["weights"], reverse=True) for one in said)


def test_the_parts_of_a_composite_say_what_they_say_alone() -> None:
    on = {"background": "known_rows", "n_background": 300}
    parts = [{"name": name, "params": {**on}} for name in ("prototype", "omission")]
    made = registry.create("explainers", Ref(name="composite", params={"parts": parts}))
    together = made.explain(PrototypeFormula("table"), ROWS, None, np.random.default_rng(1)).explanations
    alone = [explainer(name, n_background=300).explain(PrototypeFormula("table"), ROWS, None, np.random.default_rng(2)).explanations for name in ("prototype", "omission")]  # fmt: skip
    assert [one.parts for one in together if isinstance(one, Several)] == [*zip(*alone, strict=True)]


def test_all_the_published_methods_go_together() -> None:
    parts: list[Any] = [
        {"name": name, "params": {"background": "known_rows", "n_background": 300, **more}}
        for name, more in (("lime", {}), ("anchor", {"beam_width": 1}), ("decision_boundary", {"n_steps": 1}))
    ]
    made = registry.create("explainers", Ref(name="composite", params={"parts": parts}))
    said: Any = made.explain(Formula("table"), ROWS[:1], None, np.random.default_rng(1)).explanations[0]
    assert [part["kind"] for part in fields(said)["parts"]] == ["attribution", "rule", "path"]
