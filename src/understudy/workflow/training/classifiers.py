"""Training of classifiers: a recipe by name, carried out, measured on its file, and written with a card."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from understudy.extras import optional
from understudy.inference.classifier import Classifier, classifier_from_bytes
from understudy.inference.classifier_card import ClassifierCard
from understudy.inference.classifier_recipes import RECIPES, Recipe, stage_epochs
from understudy.inference.classifier_shelf import PAPER
from understudy.inference.quantization import quantized
from understudy.schema import Json, canonical_json, json_from_record
from understudy.sources.cases import Cases, Part, SplitRule
from understudy.training.classifiers.case_sources import cases_of_recipe


class WrittenClassifier(NamedTuple):
    """A classifier on disk."""

    path: Path
    classifier: Classifier
    accuracy: dict[str, float]
    """The share of right answers in each part."""


@dataclass(frozen=True)
class ClassifierOrder:
    """Where and how a recipe is to be carried out; what is absent stays as the recipe says."""

    out: Path
    data: Path
    """The data folder."""
    split: SplitRule = "leak_free"
    n_epochs: int | None = None
    seed: int | None = None
    precision: Literal["float32", "float16", "int8"] = "float32"


def classifier_names() -> tuple[str, ...]:
    """Return every classifier that can be trained, with its collection."""
    return tuple(sorted(f"{one.collection}/{name}" for name, one in RECIPES.items()))


def recipe_of(name: str) -> Recipe | None:
    """Return the recipe of a classifier, by its name with or without its collection."""
    recipe = RECIPES.get(name.rpartition("/")[2])
    return recipe if recipe is not None and name in {recipe.name, f"{recipe.collection}/{recipe.name}"} else None


def n_passes_of(recipe: Recipe, order: ClassifierOrder) -> int:
    """Return how many passes over the cases a recipe takes at most."""
    return sum(stage_epochs(_ordered(recipe, order)))


def train_classifier(
    recipe: Recipe, order: ClassifierOrder, *, on_pass: Callable[[], None] | None = None
) -> WrittenClassifier:
    """Train a classifier, measure its file on every part, and write NAME.onnx and NAME.json.

    Under the split of the paper the name ends in `-paper`, so that neither takes the place of the other.
    """
    optional("torch", extra="torch")
    optional("onnx", extra="torch")
    trained: Any = optional("understudy.training.classifiers.trained", extra="torch")
    cases = cases_of_recipe(recipe, order.data, order.split)
    tell = None if on_pass is None else lambda _progress: on_pass()
    outcome = trained.trained_from_recipe(_ordered(recipe, order), cases, tell=tell)
    content = quantized(outcome.content, order.precision)
    card = ClassifierCard.model_validate(json.loads(json.dumps(outcome.card)))
    classifier = classifier_from_bytes(content, card)
    accuracy = measured(classifier, cases)
    found: Json = {
        "split": order.split,
        "accuracy": dict(accuracy),
        "n_cases": {name: len(cases.part(name).labels) for name in ("train", "validation", "test")},
        "digest": hashlib.sha256(content).hexdigest(),
    }
    name = f"{card.name}{PAPER}" if order.split == "paper" else card.name
    card = card.model_copy(update={"name": name, "provenance": {**card.provenance, **found}})
    return WrittenClassifier(
        _written(card, content, order.out), Classifier(card, content, classifier.session), accuracy
    )


def measured(classifier: Classifier, cases: Cases) -> dict[str, float]:
    """Return the share of cases of each part whose label the classifier finds."""
    return {name: _share_right(classifier, cases.part(name)) for name in ("train", "validation", "test")}


def _share_right(classifier: Classifier, part: Part) -> float:
    return round(float(np.mean(classifier.predict(part.inputs).argmax(axis=1) == part.labels)), 6)


def _ordered(recipe: Recipe, order: ClassifierOrder) -> Recipe:
    return replace(
        recipe,
        n_epochs=order.n_epochs or recipe.n_epochs,
        seed=recipe.seed if order.seed is None else order.seed,
    )


def _written(card: ClassifierCard, content: bytes, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{card.name}.onnx"
    path.write_bytes(content)
    path.with_suffix(".json").write_text(canonical_json(json_from_record(card)), encoding="utf-8")
    return path
