"""Adversarial steps: an InfoGAN, whose generator and critic learn against each other and share the code."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from understudy.training.decoders.loops import adam
from understudy.training.decoders.nets import Adversaries
from understudy.training.decoders.recipes import Recipe
from understudy.training.decoders.sources import Material

N_READ = 2
"""Continuous numbers that the reader must recover; the others are noise, though they became dials as well."""


class AdversarialStepper:
    """Steps of an InfoGAN: the generator learns first, then critic and reader, on the same batch."""

    def __init__(self, recipe: Recipe, material: Material, nets: Adversaries) -> None:
        self.recipe, self.material, self.nets = recipe, material, nets
        self.whole: nn.Module = nets.modules().to(material.train.device)
        judges = nn.ModuleList([nets.body, nets.critic, nets.reader])
        self.optimisers: tuple[torch.optim.Adam, ...] = (adam(recipe, nets.decoder), adam(recipe, judges))

    def step(self, places: Tensor, noise: Tensor) -> Tensor:
        """Learn from one batch and return the sum of both losses."""
        real, _ = self.material.source.batch(places)
        code, category = code_from_noise(noise, self.recipe.n_categories)
        made = self.nets.decoder(code).sigmoid()
        for_generator = self._generator_loss(made, code, category)
        self.whole.zero_grad(set_to_none=True)
        for_generator.backward()
        self.optimisers[0].step()
        self.whole.zero_grad(set_to_none=True)
        for_judges = self._judges_loss(real, made.detach(), code, category)
        for_judges.backward()
        self.optimisers[1].step()
        return (for_generator + for_judges).detach()

    def _generator_loss(self, made: Tensor, code: Tensor, category: Tensor) -> Tensor:
        hidden = self.nets.body(made)
        verdict = self.nets.critic(hidden)
        fooling = functional.binary_cross_entropy_with_logits(verdict, torch.ones_like(verdict))
        return fooling - self._recovered(hidden, code, category)

    def _judges_loss(self, real: Tensor, made: Tensor, code: Tensor, category: Tensor) -> Tensor:
        genuine = self.nets.critic(self.nets.body(real))
        hidden = self.nets.body(made)
        forged = self.nets.critic(hidden)
        telling = functional.binary_cross_entropy_with_logits(genuine, torch.ones_like(genuine))
        telling = telling + functional.binary_cross_entropy_with_logits(forged, torch.zeros_like(forged))
        return 0.5 * telling - self._recovered(hidden, code, category)

    def _recovered(self, hidden: Tensor, code: Tensor, category: Tensor) -> Tensor:
        """Return the bound on mutual information of code and picture, without the entropy of the prior."""
        n = self.recipe.n_categories
        read = self.nets.reader(hidden)
        of_category = (read[:, :n].log_softmax(1) * category).sum(1).mean()
        of_numbers = -0.5 * (read[:, n:] - code[:, n : n + N_READ]).square().sum(1).mean()
        return of_category + of_numbers


def code_from_noise(noise: Tensor, n_categories: int) -> tuple[Tensor, Tensor]:
    """Turn numbers between 0 and 1 into codes, and return their one-hot category as well."""
    chosen = (noise[:, :1] * n_categories).floor()
    category = (chosen == torch.arange(n_categories, device=noise.device)).float()
    return torch.cat([category, 2 * noise[:, n_categories:] - 1], dim=1), category
