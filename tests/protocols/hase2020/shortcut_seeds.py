"""Seeds: how even the counterfactual items of a simulation study are, and what its best shortcut is, seed by seed.

Run it as `python -m tests.protocols.hase2020.shortcut_seeds` to print the table that the how-to page on simulatability
quotes; with a number, it tries so many seeds instead of 20, and with a second number, it begins there and not at 1.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd
from pydantic import TypeAdapter
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from understudy.check.shortcuts import BestRule, audited, best_rule_sentence
from understudy.datasets import ReviewLines, TextTable
from understudy.models import export_classifier
from understudy.prepare import Prepared, prepare
from understudy.protocols import PredictionProblem, Scope, Simulated, ready_study, simulation_study
from understudy.schema import Ref, Study, seed_from

N_SEEDS = 20
SHIPPED = ("hase2020-tabular", "hase2020-text")


class SeedResult(NamedTuple):
    """What one seed gives."""

    n_edits: dict[str, Counter[int]]
    """`same` or `changed` -> how many items have how many edits."""
    best: tuple[BestRule, ...]

    @property
    def is_even(self) -> bool:
        """Whether kept and changed items have each number of edits equally often."""
        return self.n_edits["same"] == self.n_edits["changed"]

    @property
    def is_luck(self) -> bool:
        """Whether no question has a rule that is better than the best rule by luck."""
        return all(best.is_luck for best in self.best)


def seeds_of(name: str, n_seeds: int = N_SEEDS, first: int = 1) -> Iterator[SeedResult]:
    """Prepare a shipped study, or `own-texts`, once for each seed and audit it."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        study = _own_texts(root) if name == "own-texts" else ready_study(name)
        # Shortcuts do not use explanations, which would take most of the time.
        plain = study.model_copy(update={"bindings": tuple(b for b in study.bindings if b.explainer is None)})
        for seed in range(first, first + n_seeds):
            yield _result(prepare(plain.model_copy(update={"seed": seed}), root), seed)


def _result(prepared: Prepared, seed: int) -> SeedResult:
    edited = {
        trial.stimulus_id: prepared.key.truth[trial.trial_id]
        for trial in prepared.materials.trials.values()
        if "keeps" in prepared.key.truth.get(trial.trial_id, {})
    }
    n_edits = {
        kept: Counter(int(str(truth["n_edits"])) for truth in edited.values() if truth["keeps"] == kept)
        for kept in ("same", "changed")
    }
    return SeedResult(n_edits, audited(prepared, np.random.default_rng(seed_from(seed, "shortcuts"))).best)


def _own_texts(folder: Path) -> Study:
    """Return a study of sentences from a CSV file, as the how-to page on texts makes one, with 16 cases in each test."""
    params = {"path": str(folder / "sentences.csv")}
    fitted_on, table = _sentences()
    table.to_csv(params["path"], index=False)
    cases = TextTable(path=params["path"]).whole()
    assert cases.inputs is not None
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(fitted_on["text"], fitted_on["label"])
    model = export_classifier(pipeline, folder / "mine", example=cases.inputs, takes="texts", legend=cases.legend)
    about = PredictionProblem(tuple(pipeline.classes_), "A computer model reads lines.", "sentence", is_text=True)
    simulated = Simulated(about, Ref(name="text_table", params=params), model, {})
    scope = Scope(n_items=16, n_examples=8, quota=20, minutes=15, reward=3.0)
    return simulation_study("own-texts", "Do my explanations help?", simulated, scope, seed=1)


def _sentences() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return sentences to fit a model on, and others to ask about."""
    drawn = ReviewLines(split="train").draw(900, np.random.default_rng(1))
    texts = [" ".join(TypeAdapter(list[str]).validate_python(content["tokens"])) for content in drawn.contents]
    table = pd.DataFrame({"text": texts, "label": drawn.attributes["label"]})
    return table[:100], table[100:].drop_duplicates("text")


def table_of(name: str, results: list[SeedResult], first: int = 1) -> str:
    """Return one line for each seed, and how many are even and how many have no more than luck."""
    lines = [f"{name}: edits of kept | changed items; best rule of the edited cases"]
    for seed, result in enumerate(results, start=first):
        counts = " | ".join(str(dict(sorted(result.n_edits[kept].items()))) for kept in ("same", "changed"))
        lines.append(f"  seed {seed}: {counts}; {best_rule_sentence(result.best[-1])}")
    n_even, n_luck = (sum(kind) for kind in zip(*((r.is_even, r.is_luck) for r in results), strict=True))
    return "\n".join([*lines, f"  {n_even} of {len(results)} even, {n_luck} of {len(results)} with no more than luck"])


if __name__ == "__main__":
    n_wanted, begun = (*map(int, sys.argv[1:3]), *(N_SEEDS, 1)[len(sys.argv) - 1 :])
    for study_name in (*SHIPPED, "own-texts"):
        sys.stdout.write(table_of(study_name, list(seeds_of(study_name, n_wanted, begun)), begun) + "\n")
