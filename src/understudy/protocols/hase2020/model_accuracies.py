"""Test accuracies of the trained classifiers in a study, from their cards."""

from collections.abc import Iterator, Mapping
from typing import Any

from understudy.errors import MaterialsError
from understudy.inference.shelf import models_folder
from understudy.schema import Study
from understudy.training.lookup import classifier_named

ROLES = {"trained_classifier": "Task model", "trained_prototypes": "Prototype"}
"""Catalogue name of a model -> its role in a simulatability study."""


def model_accuracies(study: Study, environment: Mapping[str, str]) -> dict[str, float]:
    """Return role -> accuracy in per cent, without classifiers that are not on this machine."""
    accuracies: dict[str, float] = {}
    for role, name in _named_classifiers(study.model_dump(mode="json")):
        try:
            accuracy: Any = classifier_named(name, models_folder(environment)).card.provenance.get("accuracy")
        except MaterialsError:
            continue
        if isinstance(accuracy, dict) and "test" in accuracy:
            accuracies[role] = 100 * float(accuracy["test"])
    return accuracies


def _named_classifiers(part: Any) -> Iterator[tuple[str, str]]:
    """Yield the role and name of every trained classifier at any depth of the study."""
    if isinstance(part, dict):
        params = part.get("params")
        if part.get("name") in ROLES and isinstance(params, dict) and params.get("name"):
            yield ROLES[part["name"]], str(params["name"])
        part = list(part.values())
    if isinstance(part, list):
        for ref in part:
            yield from _named_classifiers(ref)
