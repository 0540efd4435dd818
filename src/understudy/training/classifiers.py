"""Classifiers of cases: their data, the steps of training, prototypes, and export."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from understudy.roles import Floats, Ints, Rng
from understudy.sources.cases import PADDING, Cases, Part
from understudy.training.classifier_nets import ClassifierNet, CodesBody, classifier_from_recipe
from understudy.training.export import Ends, onnx_from_module
from understudy.training.loop import (
    BestEpoch,
    ExportedNet,
    Progress,
    Schedule,
    Watchers,
    seeded_once,
    software_versions,
    train,
)
from understudy.training.losses import PrototypeWeights, prototype_loss
from understudy.training.prototypes import Prototypes
from understudy.training.recipes import ClassifierRecipe, classifier_recipe, stage_epochs

CHUNK = 2048


@dataclass(frozen=True)
class CaseRows:
    """One part of the cases as tensors."""

    inputs: Tensor
    labels: Tensor

    def __len__(self) -> int:
        """Count the cases."""
        return len(self.labels)

    def batch(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Return inputs, without needless padding, and labels."""
        return without_padding(self.inputs[places]), self.labels[places]

    def chunks(self) -> Iterable[tuple[Tensor, Tensor]]:
        """Yield all cases in their order, as many at once as memory allows."""
        for places in torch.arange(len(self)).split(CHUNK):
            yield self.batch(places)


def rows_from_part(part: Part) -> CaseRows:
    """Turn cases into tensors."""
    return CaseRows(torch.from_numpy(part.inputs).long(), torch.from_numpy(part.labels).long())


@torch.no_grad()
def accuracy(net: ClassifierNet, rows: CaseRows) -> float:
    """Return the share of cases that the net classifies correctly."""
    net.eval()
    n_correct = sum(int((net(inputs).argmax(1) == labels).sum()) for inputs, labels in rows.chunks())
    return n_correct / len(rows)


@torch.no_grad()
def latents_of(net: ClassifierNet, rows: CaseRows) -> Tensor:
    """Return the last hidden layer of every case."""
    net.eval()
    return torch.cat([net.latents(inputs) for inputs, _ in rows.chunks()])


@torch.no_grad()
def is_correct(net: ClassifierNet, rows: CaseRows) -> Tensor:
    """Return whether the net classifies each case correctly."""
    net.eval()
    return torch.cat([net(inputs).argmax(1) == labels for inputs, labels in rows.chunks()])


def correctly_classified(net: ClassifierNet, rows: CaseRows) -> CaseRows:
    """Return the cases that the net classifies correctly."""
    chosen = is_correct(net, rows)
    return CaseRows(rows.inputs[chosen], rows.labels[chosen])


def without_padding(inputs: Tensor) -> Tensor:
    """Drop the columns that are padding in every row."""
    width = int((inputs != PADDING).any(0).sum())
    return inputs[:, :width]


# Export of classifiers, with all their outputs.


def onnx_from_classifier(net: ClassifierNet) -> bytes:
    """Write a classifier with all its outputs.

    One input (`codes` or `tokens`) and these outputs: `probabilities`, `margins`, `latents`, for prototypes
    `similarities`, and for tokens `word_vectors`, which depends on no input.
    """
    similarities = ("similarities",) if isinstance(net.head, Prototypes) else ()
    shown = ("probabilities", "margins", "latents", *similarities)
    if isinstance(net.body, CodesBody):
        codes = torch.zeros(2, len(net.body.starts), dtype=torch.long)
        return onnx_from_module(_ClassifierOutputs(net), codes, Ends("codes", shown))
    # The longer row comes first, as packing demands while it is traced.
    tokens = torch.tensor([[0, 0, 0], [0, 0, -1]])
    ends = Ends("tokens", (*shown, "word_vectors"), free_axes=("rows", "length"))
    return onnx_from_module(_ClassifierOutputs(net), tokens, ends)


class _ClassifierOutputs(nn.Module):
    """All outputs of a classifier at once."""

    def __init__(self, net: ClassifierNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, inputs: Tensor) -> tuple[Tensor, ...]:
        latents = self.net.latents(inputs)
        head, body = self.net.head, self.net.body
        similarities: tuple[Tensor, ...] = ()
        if isinstance(head, Prototypes):
            similarities = (head.similarities(latents),)
            evidence = head.evidence(similarities[0])
        else:
            evidence = head(latents)
        word_vectors = () if isinstance(body, CodesBody) else (body.words.weight,)
        return evidence.softmax(1), evidence[:, 1] - evidence[:, 0], latents, *similarities, *word_vectors


# How a classifier learns from one batch.


class ClassifierSteps:
    """Steps of a classifier, with a linear head or with prototypes."""

    def __init__(self, recipe: ClassifierRecipe, rows: CaseRows, net: ClassifierNet) -> None:
        self.recipe, self.rows, self.net = recipe, rows, net
        self.module: nn.Module = net
        self.optimisers: tuple[torch.optim.Optimizer, ...] = (_optimiser(recipe, net),)

    def noise(self, n: int, generator: torch.Generator) -> tuple[Tensor, ...]:
        """Draw nothing: dropout can use only the global generator of torch."""
        return ()

    def step(self, places: Tensor, *noise: Tensor) -> Tensor:
        """Learn from one batch and return its loss."""
        optimiser = self.optimisers[0]
        optimiser.zero_grad(set_to_none=True)
        loss = self._loss(*self.rows.batch(places))
        loss.backward()
        if self.recipe.max_gradient is not None:
            nn.utils.clip_grad_norm_(self.net.parameters(), self.recipe.max_gradient)
        optimiser.step()
        return loss.detach()

    def _loss(self, inputs: Tensor, labels: Tensor) -> Tensor:
        latents, head = self.net.latents(inputs), self.net.head
        if isinstance(head, Prototypes):
            recipe = self.recipe
            weights = PrototypeWeights(recipe.separation, recipe.clustering, recipe.grounding)
            return prototype_loss(head, latents, labels, weights)
        return nn.functional.cross_entropy(head(latents), labels)


def _optimiser(recipe: ClassifierRecipe, net: ClassifierNet) -> torch.optim.Optimizer:
    prototypes = [net.head.places] if isinstance(net.head, Prototypes) else []
    weights = [parameter for parameter in net.parameters() if all(parameter is not places for places in prototypes)]
    groups = [{"params": weights, "weight_decay": recipe.weight_decay}]
    if prototypes:
        # A prototype is a case and not a weight: shrinking it would only push it off the cases.
        groups.append({"params": prototypes, "weight_decay": 0.0})
    if recipe.method == "adam":
        return torch.optim.Adam(groups, lr=recipe.learning_rate)
    return torch.optim.SGD(groups, lr=recipe.learning_rate, momentum=recipe.momentum)


# Placing prototypes: where they start, and how they are moved onto cases (Chen et al., 2019).

Marks: TypeAlias = npt.NDArray[np.bool_]
N_ROUNDS = 50


def set_prototypes(net: ClassifierNet, rows: CaseRows, *, n_each: int, rng: Rng) -> Prototypes:
    """Replace the linear head by prototypes at the cluster centres of each class, moved onto cases at once."""
    latents = latents_of(net, rows).numpy().astype(np.float64)
    labels = rows.labels.numpy()
    n_classes = int(labels.max()) + 1
    centres = [centres_of(latents[labels == label], n_each, rng) for label in range(n_classes)]
    head = Prototypes(n_classes, n_each, latents.shape[1])
    with torch.no_grad():
        head.places.copy_(torch.from_numpy(np.concatenate(centres)))
    net.head = head
    move_onto_cases(head, latents_of(net, rows), rows.labels)
    return head


def centres_of(points: Floats, n: int, rng: Rng) -> Floats:
    """Return n cluster centres by k-means, started far from each other."""
    # With fewer distinct points than centres, k-means++ would divide by a distance of zero.
    if len(np.unique(points, axis=0)) < n:
        return points[rng.integers(len(points), size=n)]
    centres = points[[int(rng.integers(len(points)))]]
    while len(centres) < n:
        nearest = _squared(points, centres).min(axis=1)
        centres = np.vstack([centres, points[[int(rng.choice(len(points), p=nearest / nearest.sum()))]]])
    for _ in range(N_ROUNDS):
        owner = _squared(points, centres).argmin(axis=1)
        moved = np.array([points[owner == k].mean(axis=0) if (owner == k).any() else centres[k] for k in range(n)])
        if np.allclose(moved, centres):
            break
        centres = moved
    return centres


def move_onto_cases(head: Prototypes, latents: Tensor, labels: Tensor, *, allowed: Marks | None = None) -> Ints:
    """Move each prototype onto the nearest case of its class that no other has taken, and return the rows of those cases.

    Only allowed cases are taken, where a class has enough of them.
    """
    taken = np.zeros(len(labels), dtype=bool)
    if allowed is not None:
        n_allowed = np.bincount(labels.numpy()[allowed], minlength=head.n_classes)
        taken = ~allowed & (n_allowed >= head.n_each)[labels.numpy()]
    chosen = np.zeros(len(head.places), dtype=np.int64)
    with torch.no_grad():
        for prototype in range(len(head.places)):
            distances = (latents - head.places[prototype]).square().sum(1).numpy().astype(np.float64)
            is_open = (labels.numpy() == prototype // head.n_each) & ~taken
            chosen[prototype] = int(np.argmin(np.where(is_open, distances, np.inf)))
            taken[chosen[prototype]] = True
        head.places.copy_(latents[torch.from_numpy(chosen)])
    return chosen


def _squared(points: Floats, centres: Floats) -> Floats:
    return ((points[:, None, :] - centres[None]) ** 2).sum(axis=2)


# Training a classifier: from a recipe and its cases to an ONNX file and the content of its card.


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
