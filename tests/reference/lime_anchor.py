"""Writes what lime and anchor-exp say about the known models, to which tests compare our own explainers.

Needs neither this package nor its dependencies, only: pip install lime==0.2.0.1 && pip install --no-deps anchor-exp==0.0.2.0
Usage: python tests/reference/lime_anchor.py
"""

import json
import sys
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from anchor.anchor_base import AnchorBaseBeam  # noqa: E402
from anchor.anchor_tabular import AnchorTabularExplainer  # noqa: E402
from lime.lime_tabular import LimeTabularExplainer  # noqa: E402
from lime.lime_text import LimeTextExplainer  # noqa: E402

from tests.explainers import known_models as known  # noqa: E402

Floats = known.Floats
N_ITEMS, N_BACKGROUND = 100, 3000
ITEM_SEED, BACKGROUND_SEED = 5, 7
NAMES = {j: [str(code) for code in range(size)] for j, size in enumerate(known.SIZES)}


def row_probabilities(rows: Any) -> Floats:
    return known.probabilities(known.table_margins(np.asarray(rows, dtype=np.float64)))


def text_probabilities(texts: list[str]) -> Floats:
    number = {word: k for k, word in enumerate(known.WORDS)}
    rows = [[number[word] for word in text.split()] for text in texts]
    ids = np.full((len(rows), max(1, *map(len, rows))), -1.0)
    for k, row in enumerate(rows):
        ids[k, : len(row)] = row
    return known.probabilities(known.text_margins(ids))


def lime_of_rows(seed: int) -> list[dict[str, Any]]:
    explainer = LimeTabularExplainer(
        known.table_rows(N_BACKGROUND, BACKGROUND_SEED), categorical_features=list(NAMES), categorical_names=NAMES,
        random_state=seed,
    )  # fmt: skip
    said = []
    for row in known.table_rows(N_ITEMS, ITEM_SEED):
        one = explainer.explain_instance(row, row_probabilities, num_features=5)
        said.append({"weights": {str(j): round(float(w), 5) for j, w in one.as_map()[1]},
                     "baseline": round(float(one.intercept[1]), 6)})  # fmt: skip
    return said


def lime_of_texts(seed: int) -> list[dict[str, Any]]:
    explainer = LimeTextExplainer(random_state=seed)
    said = []
    for ids in known.sentences(N_ITEMS, ITEM_SEED):
        text = " ".join(known.WORDS[int(k)] for k in ids if k >= 0)
        one = explainer.explain_instance(text, text_probabilities, num_features=5)
        said.append({"weights": {word: round(float(w), 5) for word, w in one.as_list()},
                     "baseline": round(float(one.intercept[1]), 6)})  # fmt: skip
    return said


def anchors_of_rows(seed: int) -> list[list[int]]:
    np.random.seed(seed)  # noqa: NPY002, what anchor-exp draws from
    explainer = AnchorTabularExplainer(
        ["below", "above"], list(map(str, NAMES)), known.table_rows(N_BACKGROUND, BACKGROUND_SEED), NAMES
    )
    said = []
    for row in known.table_rows(N_ITEMS, ITEM_SEED):
        one = explainer.explain_instance(
            row, lambda rows: row_probabilities(rows).argmax(axis=1), threshold=0.95, delta=0.05, tau=0.1, batch_size=50
        )
        said.append(sorted(int(j) for j in one.features()))
    return said


def word_edits() -> Any:
    """Load the one file of the package that replaces words; it needs NumPy only."""
    path = HERE.parents[1] / "src" / "understudy" / "sources" / "edits" / "word_edits.py"
    spec = spec_from_file_location("word_edits", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def anchors_of_texts(seed: int) -> list[list[int]]:
    """Let anchor-exp search, with our replacement of words, because its own needs a language model."""
    edits, rng = word_edits(), np.random.default_rng(seed)
    table = edits.WordTable(*known.word_table())
    said = []
    for row in known.sentences(N_ITEMS, ITEM_SEED):
        ids = row[row >= 0]
        choices = edits.choices_for(ids.astype(np.int64), table, n_choices=100, temperature=0.4)
        is_second = known.text_margins(ids[None])[0] > 0

        def sample(
            present: list[int], n: int, compute_labels: bool = True, ids: Any = ids, choices: Any = choices,
            is_second: Any = is_second,
        ) -> Any:  # fmt: skip
            changes = rng.random((n, len(choices.places))) < 0.5
            changes[:, present] = False
            texts = edits.edited_texts(ids, choices, changes, rng.random(changes.sum()))
            labels = ((known.text_margins(texts) > 0) == is_second).astype(int) if compute_labels else []
            return texts, (~changes).astype(int), labels

        found = AnchorBaseBeam.anchor_beam(
            sample, delta=0.1, epsilon=0.15, batch_size=100, desired_confidence=0.95, stop_on_first=True
        )
        said.append([int(choices.places[k]) for k in found["feature"]])
    return said


if __name__ == "__main__":
    made = {
        "made_by": {name: version(name) for name in ("lime", "anchor_exp", "numpy", "scikit-learn")},
        "n_items": N_ITEMS, "n_background": N_BACKGROUND, "item_seed": ITEM_SEED, "background_seed": BACKGROUND_SEED,
        "lime_rows": [lime_of_rows(seed) for seed in range(4)],
        "lime_texts": [lime_of_texts(seed) for seed in range(4)],
        "anchor_texts": [anchors_of_texts(seed) for seed in range(2)],
        "anchor_rows": [anchors_of_rows(seed) for seed in range(2)],
    }  # fmt: skip
    (HERE / "lime_anchor.json").write_text(json.dumps(made, indent=None, separators=(",", ":")) + "\n")
