"""How a classifier learns from one batch."""

import torch
from torch import Tensor, nn

from understudy.training.classifier_data import CaseRows
from understudy.training.losses import PrototypeWeights, prototype_loss
from understudy.training.nets.classifiers import ClassifierNet
from understudy.training.nets.prototypes import Prototypes
from understudy.training.recipes import ClassifierRecipe


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
