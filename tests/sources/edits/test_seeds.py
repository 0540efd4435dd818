"""Seeds: what a study shows and says of edited cases stays what it was when its seed was first used."""

from typing import Any

import numpy as np
import pytest

from tests.explainers.stage import fields
from understudy import registry
from understudy.schema import Ref, digest_of

MODELS = {"income_cases": "income-mlp", "review_lines": "reviews-lstm"}


def model_of(source: str) -> dict[str, Any]:
    return {"name": "trained_classifier", "params": {"name": MODELS[source]}}


def shown_pairs(source: str, **settings: Any) -> str:
    params = {"source": source, "model": model_of(source), **settings}
    drawn = registry.create("datasets", Ref(name="counterfactuals", params=params)).draw(20, np.random.default_rng(1))
    return digest_of({"pairs": list(drawn.contents)})


def said_of(method: str, source: str, part: str) -> str:
    """Return the digest of what is named, without numbers: their last digits depend on the machine."""
    inputs = registry.create("datasets", Ref(name=source)).draw(4, np.random.default_rng(1)).inputs
    explainer = registry.create("explainers", Ref(name=method, params={"background": source}))
    model = registry.create("models", Ref.model_validate(model_of(source)))
    said = [
        fields(explainer.explain(model, row[None], None, np.random.default_rng(1)).explanations[0])[part]
        for row in inputs
    ]
    named: list[Any] = [[_with_ends(one.get("edits", one)) for one in explained] for explained in said]
    return digest_of({"named": named})


def _with_ends(edits: Any) -> Any:
    """Call the two ends of an edit what they were called when the digests were taken."""
    new = {"old": "from", "new": "to"}
    return [{new.get(k, k): part for k, part in edit.items()} for edit in edits] if isinstance(edits, list) else edits


PAIRS = {
    "income_cases": {"matched": "13dcb071f3eb14ab", "paper": "ae9ee36b45117280"},
    "review_lines": {"matched": "fbe487eb29c9fb10", "paper": "ff84be33901b94b4"},
}


@pytest.mark.parametrize("source", PAIRS)
def test_a_seed_makes_the_same_pairs(source: str) -> None:
    assert {counts: shown_pairs(source, edit_counts=counts)[:16] for counts in PAIRS[source]} == PAIRS[source]


@pytest.mark.parametrize(
    ("method", "source", "wanted"),
    [
        ("decision_boundary", "income_cases", "1217f4ce30579b4d"),
        ("decision_boundary", "review_lines", "d9ed64321cb73a64"),
        ("anchor", "review_lines", "4aef4747fd55216e"),
    ],
)
def test_a_seed_makes_the_same_explanations(method: str, source: str, wanted: str) -> None:
    part = "steps" if method == "decision_boundary" else "conditions"
    assert said_of(method, source, part)[:16] == wanted
