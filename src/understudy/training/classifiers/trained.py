"""Trained classifiers: a recipe carried out, from cases to a file with its card."""

import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch

from understudy.inference.classifier_recipes import RECIPES, Recipe, stage_epochs
from understudy.roles import Variables
from understudy.sources.cases import Cases, Ints
from understudy.training.classifiers.loops import (
    Best,
    Progress,
    Rows,
    TrainingPhase,
    cross_entropy,
    fit,
    latents_of,
    rightly_found,
    rows_from_part,
)
from understudy.training.classifiers.nets import Net, net_from_recipe
from understudy.training.classifiers.onnx_graph import onnx_from_net
from understudy.training.classifiers.prototypes import prototype_loss, push, set_prototypes


@dataclass(frozen=True)
class Trained:
    """A classifier ready to be written, and what was learned on the way."""

    content: bytes
    """The ONNX file."""
    card: dict[str, Any]
    """Without accuracies, which are those of the file and are measured on it."""
    net: Net


def trained_from_recipe(recipe: Recipe, cases: Cases, *, tell: Callable[[Progress], None] | None = None) -> Trained:
    """Learn from the cases, by way of a linear head where prototypes follow, and export."""
    train, validation = rows_from_part(cases.train), rows_from_part(cases.validation)
    generator = torch.Generator().manual_seed(recipe.seed)
    net = net_from_recipe(recipe, cases.legend, len(cases.labels), generator)
    chosen: Ints = np.zeros(0, dtype=np.int64)
    provenance: dict[str, Any] = {"recipe": asdict(recipe)}
    if recipe.n_prototypes:
        first = replace(RECIPES[recipe.starts_from], seed=recipe.seed, n_epochs=stage_epochs(recipe)[0])
        begun = fit(net, TrainingPhase(first, cross_entropy, tell=tell), train, validation)
        provenance["first_stage"] = {"recipe": first.name, **asdict(begun)}
        best, chosen = _with_prototypes(net, recipe, train, validation, tell)
    else:
        best = fit(net, TrainingPhase(recipe, cross_entropy, tell=tell), train, validation)
    provenance |= {"best_epoch": best.epoch, "software": _software()}
    return Trained(onnx_from_net(net), _card(recipe, cases, chosen) | {"provenance": provenance}, net)


def _with_prototypes(
    net: Net, recipe: Recipe, train: Rows, validation: Rows, tell: Callable[[Progress], None] | None
) -> tuple[Best, Ints]:
    rng = np.random.default_rng(recipe.seed)
    begun = rightly_found(net, train) if recipe.clusters_of == "right" else train
    head = set_prototypes(net, begun, n_each=recipe.n_prototypes, rng=rng)

    def pushed(one: Net) -> Ints:
        return push(head, latents_of(one, train), train.labels)

    # A run cut short must still end with prototypes on cases.
    settled = replace(recipe, first_push=min(recipe.first_push, recipe.n_epochs - 1))
    stage = TrainingPhase(settled, prototype_loss(recipe.separation), tell=tell, push=pushed)
    best = fit(net, stage, train, validation)
    return best, pushed(net)


def _card(recipe: Recipe, cases: Cases, chosen: Ints) -> dict[str, Any]:
    legend = cases.legend
    is_codes = isinstance(legend, Variables)
    prototypes = [[int(one) for one in row if one >= 0] for row in cases.train.inputs[chosen]]
    return {
        "format": 1,
        "name": recipe.name,
        "takes": "codes" if is_codes else "tokens",
        "labels": cases.labels,
        "features": legend.features if isinstance(legend, Variables) else (),
        "values": legend.values if isinstance(legend, Variables) else (),
        "words": () if isinstance(legend, Variables) else legend.words,
        "prototypes": prototypes,
        "prototype_labels": [cases.labels[int(one)] for one in cases.train.labels[chosen]],
    }


def _software() -> dict[str, str]:
    return {"python": platform.python_version(), "torch": str(torch.__version__), "numpy": np.__version__}
