"""Test accuracies of the trained classifiers that a study names, as their cards tell them."""

from collections.abc import Iterator, Mapping
from typing import Any

from understudy.errors import MaterialsError
from understudy.inference.shelf import models_folder
from understudy.schema import Study
from understudy.training.lookup import classifier_named

ROLES = {"trained_classifier": "Task model", "trained_prototypes": "Prototype"}
"""Model of the catalogue -> what its classifier is to a study of simulatability."""


def model_accuracies(study: Study, environment: Mapping[str, str]) -> dict[str, float]:
    """Return role -> accuracy in per cent; a classifier that is not on this machine is left out."""
    found: dict[str, float] = {}
    for role, name in _named_classifiers(study.model_dump(mode="json")):
        try:
            told: Any = classifier_named(name, models_folder(environment)).card.provenance.get("accuracy")
        except MaterialsError:
            continue
        if isinstance(told, dict) and "test" in told:
            found[role] = 100 * float(told["test"])
    return found


def _named_classifiers(part: Any) -> Iterator[tuple[str, str]]:
    """Yield the role and name of every trained classifier, however deep in the study it is named."""
    if isinstance(part, dict):
        params = part.get("params")
        if part.get("name") in ROLES and isinstance(params, dict) and params.get("name"):
            yield ROLES[part["name"]], str(params["name"])
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            yield from _named_classifiers(one)
