"""Assessment: codes of held-out instances, and how well the decoder rebuilds them."""

from dataclasses import dataclass

import torch
from torch import Tensor

from understudy.sources.arrays import Floats
from understudy.training.decoder_data import Material
from understudy.training.losses import reconstruction_loss
from understudy.training.nets.autoencoders import Autoencoder
from understudy.training.recipes import DecoderRecipe

CHUNK = 1024


@dataclass(frozen=True)
class Errors:
    """Means over instances of sums over their values."""

    squared_error: float
    log_loss: float | None
    """Binary cross-entropy, for pixels."""


@dataclass(frozen=True)
class Assessment:
    """How a trained model does on held-out instances."""

    codes: Floats
    """Whole inputs of the decoder: one-hot labels, then posterior means."""
    by_mean: Errors
    """Rebuilt from the codes: what people who turn dials can reach."""
    by_draw: Errors | None
    """Rebuilt from one draw of each posterior, as while learning; the errors published for variational models."""


@torch.no_grad()
def assess(recipe: DecoderRecipe, nets: Autoencoder, material: Material) -> Assessment:
    """Encode and rebuild every held-out instance."""
    nets.modules().eval()
    device = material.held_out.device
    generator = torch.Generator(device=device).manual_seed(recipe.seed)
    # Summed in 64 bits: 32 would lose digits over tens of thousands of instances.
    codes, sums = [], torch.zeros(2, 2, dtype=torch.float64)
    for start in range(0, len(material.held_out), CHUNK):
        rows, side = material.source.batch(material.held_out[start : start + CHUNK])
        mean, spread = _posterior(nets, rows, side)
        labels = side[:, : recipe.n_categories]
        code = torch.cat([labels, mean], dim=1)
        codes.append(code.double().cpu())
        sums[0] += _summed(nets, rows, code)
        if spread is not None:
            drawn = mean + spread * torch.randn(mean.shape, generator=generator, device=device)
            sums[1] += _summed(nets, rows, torch.cat([labels, drawn], dim=1))
    by_mean, by_draw = (
        Errors(float(squared), float(log_loss) if nets.ends_in_sigmoid else None)
        for squared, log_loss in sums / len(material.held_out)
    )
    return Assessment(torch.cat(codes).numpy(), by_mean, by_draw if recipe.is_variational else None)


def _posterior(nets: Autoencoder, rows: Tensor, side: Tensor) -> tuple[Tensor, Tensor | None]:
    """Return means and standard deviations; true factors are the means themselves."""
    if nets.encoder is None or nets.mean is None:
        return side, None
    hidden = nets.encoder(rows)
    if nets.log_variance is None:
        return nets.mean(hidden), None
    return nets.mean(hidden), (0.5 * nets.log_variance(hidden)).exp()


def _summed(nets: Autoencoder, rows: Tensor, code: Tensor) -> Tensor:
    """Return squared error and log loss, summed over instances."""
    output = nets.decoder(code)
    log_loss = torch.zeros(())
    if nets.ends_in_sigmoid:
        log_loss = reconstruction_loss(rows, output, is_logit=True).cpu()
        output = output.sigmoid()
    squared = reconstruction_loss(rows, output, is_logit=False).cpu()
    return torch.stack([squared, log_loss]).double() * len(rows)
