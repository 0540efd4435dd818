"""Training a classifier: from a recipe and its cases to an ONNX file and the content of its card."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from understudy.sources.cases import Cases, Ints
from understudy.training.classifier_data import (
    CaseRows,
    accuracy,
    correctly_classified,
    is_correct,
    latents_of,
    rows_from_part,
)
from understudy.training.classifier_export import onnx_from_classifier
from understudy.training.classifier_steps import ClassifierSteps
from understudy.training.early_stopping import BestEpoch
from understudy.training.exported_net import ExportedNet
from understudy.training.loop import Progress, Schedule, Watchers, seeded_once, train
from understudy.training.nets.classifiers import ClassifierNet, classifier_from_recipe
from understudy.training.nets.prototypes import Prototypes
from understudy.training.prototype_placement import move_onto_cases, set_prototypes
from understudy.training.recipes import ClassifierRecipe, classifier_recipe, stage_epochs
from understudy.training.software import software_versions


@dataclass(frozen=True)
class TrainedClassifier(ExportedNet):
    """A classifier as an ONNX file, and what was learned on the way."""

    prototypes: Ints
    """The training cases that became prototypes; none for a linear head."""
    net: ClassifierNet


@dataclass(frozen=True)
class Stage:
    """What one stage of training has besides its recipe."""

    train: CaseRows
    validation: CaseRows
    progress: Callable[[Progress], None] | None = None
    project: Callable[[], object] | None = None
    """Moves prototypes onto cases."""


def trained_classifier(
    recipe: ClassifierRecipe, cases: Cases, *, progress: Callable[[Progress], None] | None = None
) -> TrainedClassifier:
    """Train on the cases, first with a linear head if the recipe has prototypes, and export."""
    stage = Stage(rows_from_part(cases.train), rows_from_part(cases.validation), progress=progress)
    generator = torch.Generator().manual_seed(recipe.seed)
    net = classifier_from_recipe(recipe, cases.legend, len(cases.labels), generator)
    prototypes: Ints = np.zeros(0, dtype=np.int64)
    provenance: dict[str, Any] = {"software": software_versions()}
    if recipe.starts_from:
        first = replace(classifier_recipe(recipe.starts_from), seed=recipe.seed, n_epochs=stage_epochs(recipe)[0])
        begun = run_stage(net, first, stage)
        provenance["first_stage"] = {"recipe": first.name, "epoch": begun.epoch, "validation": begun.best_score}
    if recipe.n_prototypes:
        curve: list[Progress] = []
        set_head = _clustered_head if recipe.starts_from else _random_head
        head = set_head(net, recipe, stage)
        best, prototypes = _with_prototypes(net, recipe, replace(stage, progress=_noted(curve, progress)), head)
        provenance["loss_by_epoch"] = [round(passed.loss, 5) for passed in curve]
        provenance["validation_by_epoch"] = [round(passed.validation or 0.0, 5) for passed in curve]
    else:
        best = run_stage(net, recipe, stage)
    provenance["best_epoch"] = best.epoch
    return TrainedClassifier(onnx_from_classifier(net), provenance, prototypes, net)


def run_stage(net: ClassifierNet, recipe: ClassifierRecipe, stage: Stage) -> BestEpoch:
    """Learn until patience ends, and leave the net as it was after its best epoch.

    The order of cases and what dropout leaves out follow from the seed of the recipe alone.
    """
    torch.manual_seed(recipe.seed)  # dropout can use only the global generator
    steps = ClassifierSteps(recipe, stage.train, net)
    best = BestEpoch(
        net,
        lambda: accuracy(net, stage.validation),
        recipe.patience,
        project=stage.project,
        first_projection=recipe.first_push,
    )
    schedule = Schedule(
        name=recipe.name,
        places=torch.arange(len(stage.train)),
        batch=recipe.batch,
        n_epochs=recipe.n_epochs,
        generator=seeded_once(recipe.seed),
        rate=torch.optim.lr_scheduler.LambdaLR(steps.optimisers[0], lambda epoch: 1 / (1 + recipe.slowing * epoch)),
    )
    train(steps, schedule, Watchers(progress=stage.progress, best=best))
    return best


def _noted(curve: list[Progress], progress: Callable[[Progress], None] | None) -> Callable[[Progress], None]:
    """Return a callback that keeps how each epoch went, and passes it on."""

    def note(passed: Progress) -> None:
        curve.append(passed)
        if progress is not None:
            progress(passed)

    return note


def _clustered_head(net: ClassifierNet, recipe: ClassifierRecipe, stage: Stage) -> Prototypes:
    """Replace the linear head by prototypes at clusters of cases as the first stage sees them."""
    clustered = correctly_classified(net, stage.train) if recipe.prototypes_from == "right" else stage.train
    return set_prototypes(net, clustered, n_each=recipe.n_prototypes, rng=np.random.default_rng(recipe.seed))


def _random_head(net: ClassifierNet, recipe: ClassifierRecipe, stage: Stage) -> Prototypes:
    """Replace the linear head by prototypes at random places of the space that the net is yet to learn."""
    head = Prototypes(int(stage.train.labels.max()) + 1, recipe.n_prototypes, recipe.n_latent)
    with torch.no_grad():
        head.places.uniform_(generator=torch.Generator().manual_seed(recipe.seed))
    net.head = head
    return head


def _with_prototypes(
    net: ClassifierNet, recipe: ClassifierRecipe, stage: Stage, head: Prototypes
) -> tuple[BestEpoch, Ints]:
    """Train net and prototypes together, and return the best epoch with the cases that became prototypes."""

    def project() -> Ints:
        allowed = is_correct(net, stage.train).numpy() if recipe.prototypes_from == "right" else None
        return move_onto_cases(head, latents_of(net, stage.train), stage.train.labels, allowed=allowed)

    # A run cut short must still end with prototypes on cases.
    settled = replace(recipe, first_push=min(recipe.first_push, recipe.n_epochs - 1))
    best = run_stage(net, settled, replace(stage, project=project))
    return best, project()
