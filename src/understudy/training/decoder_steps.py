"""How autoencoders and InfoGANs learn from one batch."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from understudy.training.decoder_data import Material
from understudy.training.losses import autoencoder_loss
from understudy.training.nets.adversarial import Adversaries
from understudy.training.nets.autoencoders import Autoencoder
from understudy.training.recipes import DecoderRecipe

N_READ = 2
"""Continuous numbers that the reader must recover; the others are noise, though they became dials as well."""


class AutoencoderSteps:
    """Steps of an autoencoder, variational or not, or of supervised truth."""

    def __init__(self, recipe: DecoderRecipe, material: Material, nets: Autoencoder) -> None:
        self.recipe, self.material, self.nets = recipe, material, nets
        self.module: nn.Module = nets.modules().to(material.train.device)
        self.optimisers: tuple[torch.optim.Optimizer, ...] = (_adam(recipe, self.module),)

    def noise(self, n: int, generator: torch.Generator) -> tuple[Tensor, ...]:
        """Draw the noise that is added to the means of the posteriors."""
        return (torch.randn(n, self.recipe.n_dials, generator=generator, device=generator.device),)

    def step(self, places: Tensor, *noise: Tensor) -> Tensor:
        """Learn from one batch and return its loss."""
        optimiser = self.optimisers[0]
        optimiser.zero_grad(set_to_none=True)
        loss = autoencoder_loss(self.recipe, self.nets, self.material.source.batch(places), noise[0])
        loss.backward()
        optimiser.step()
        return loss.detach()


class AdversarialSteps:
    """Steps of an InfoGAN: the generator learns first, then critic and reader, on the same batch."""

    def __init__(self, recipe: DecoderRecipe, material: Material, nets: Adversaries) -> None:
        self.recipe, self.material, self.nets = recipe, material, nets
        self.module: nn.Module = nets.modules().to(material.train.device)
        judges = nn.ModuleList([nets.body, nets.critic, nets.reader])
        self.optimisers: tuple[torch.optim.Optimizer, ...] = (_adam(recipe, nets.decoder), _adam(recipe, judges))

    def noise(self, n: int, generator: torch.Generator) -> tuple[Tensor, ...]:
        """Draw numbers between 0 and 1, from which codes are made."""
        width = self.recipe.n_categories + self.recipe.n_dials
        return (torch.rand(n, width, generator=generator, device=generator.device),)

    def step(self, places: Tensor, *noise: Tensor) -> Tensor:
        """Learn from one batch and return the sum of both losses."""
        real, _ = self.material.source.batch(places)
        code, category = code_from_noise(noise[0], self.recipe.n_categories)
        generated = self.nets.decoder(code).sigmoid()
        generator_loss = self._generator_loss(generated, code, category)
        self.module.zero_grad(set_to_none=True)
        generator_loss.backward()
        self.optimisers[0].step()
        self.module.zero_grad(set_to_none=True)
        # Detached, so that this step does not reach the generator.
        judges_loss = self._judges_loss(real, generated.detach(), code, category)
        judges_loss.backward()
        self.optimisers[1].step()
        return (generator_loss + judges_loss).detach()

    def _generator_loss(self, generated: Tensor, code: Tensor, category: Tensor) -> Tensor:
        hidden = self.nets.body(generated)
        verdict = self.nets.critic(hidden)
        fooling = functional.binary_cross_entropy_with_logits(verdict, torch.ones_like(verdict))
        return fooling - self._recovered(hidden, code, category)

    def _judges_loss(self, real: Tensor, generated: Tensor, code: Tensor, category: Tensor) -> Tensor:
        genuine = self.nets.critic(self.nets.body(real))
        hidden = self.nets.body(generated)
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


def _adam(recipe: DecoderRecipe, module: nn.Module) -> torch.optim.Adam:
    parameters = list(module.parameters())
    # Only a capturable optimiser can be part of a CUDA graph.
    is_on_card = parameters[0].is_cuda
    return torch.optim.Adam(
        parameters,
        # A captured step reads its rate from memory; a plain number would stay what it was at the capture.
        lr=torch.tensor(recipe.learning_rate, device="cuda")
        if is_on_card and recipe.rate_falls
        else recipe.learning_rate,
        betas=recipe.betas,
        eps=recipe.epsilon,
        capturable=is_on_card,
        fused=is_on_card,
    )
