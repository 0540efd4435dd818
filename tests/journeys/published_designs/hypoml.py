"""HypoML: two models under test."""

from tests.journeys.published_designs.parts import LABEL, hypothesis, stage
from understudy.schema import Study


def hml() -> Study:
    """HML: two models answer two data sets; objects are items, tests are paired by object."""
    objects = {
        "name": "listed",
        "params": {"items": [{"content": {"object": k}, "attributes": {"label": "AB"[k % 2]}} for k in range(60)]},
    }
    plain = {
        "name": "hml",
        "title": "Does the concept help the model?",
        "seed": 5,
        "participants": "models",
        "factors": [
            {"name": "training", "scope": "between", "levels": ["M", "M_plus"]},
            {"name": "data", "scope": "within", "levels": ["D", "D_plus"], "order": "fixed_order"},
        ],
        "assignment": {"quota": 1, "policy": "parity"},
        "item_sets": [{"name": "objects", "n_items": 60, "dataset": objects}],
        "flow": [{"kind": "loop", "block_id": "data_sets", "over": "data",
                  "blocks": [stage("test", "objects", LABEL, keys={"output": "label"}, order="given")]}],
        "measures": [{"name": "right", "measure": "correct"}],
        "plan": {"outcomes": [{"name": "correctness", "measure": "right", "summary": "none"}],
                 "hypotheses": [hypothesis("A6", "correctness", {"name": "paired_t", "params": {"paired_by": "item"}}, factor="data",
                                           contrast=["D_plus", "D"], where="training == 'M'")]},
    }  # fmt: skip
    return Study.model_validate(plain)
