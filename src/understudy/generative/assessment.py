"""Assessment: codes of held-out instances, and how well the decoder rebuilds them."""

from dataclasses import dataclass

import torch

from understudy.generative.arrays import Floats
from understudy.generative.losses import reconstruction_loss
from understudy.generative.nets import Autoencoder
from understudy.generative.recipes import Recipe
from understudy.generative.sources import Material

CHUNK = 1024


@dataclass(frozen=True)
class Assessment:
    """What a trained model does on instances it never saw."""

    codes: Floats
    """Whole inputs of the decoder: one-hot labels, then posterior means."""
    squared_error: float
    """The mean over instances of the sum of squared differences, rebuilt from posterior means."""
    drawn_squared_error: float | None
    """The same from codes drawn from the posterior, which is what the published figures of variational models are."""
    log_loss: float | None
    """The mean over instances of the summed binary cross-entropy, for pixels."""


@torch.no_grad()
def assess(recipe: Recipe, nets: Autoencoder, material: Material) -> Assessment:
    """Encode and rebuild every held-out instance."""
    nets.modules().eval()
    codes, squared, drawn, log_loss = [], 0.0, 0.0, 0.0
    is_variational = recipe.family != "ae" and nets.log_variance is not None
    generator = torch.Generator().manual_seed(recipe.seed)
    for start in range(0, len(material.held_out), CHUNK):
        rows, side = material.source.batch(material.held_out[start : start + CHUNK])
        code = _code(recipe, nets, rows, side)
        output = nets.decoder(code)
        if nets.ends_in_sigmoid:
            log_loss += float(reconstruction_loss(rows, output, is_logit=True)) * len(rows)
            output = output.sigmoid()
        squared += float(reconstruction_loss(rows, output, is_logit=False)) * len(rows)
        codes.append(code.double().cpu())
        if is_variational:
            output = nets.decoder(_drawn_code(recipe, nets, (rows, side), generator))
            output = output.sigmoid() if nets.ends_in_sigmoid else output
            drawn += float(reconstruction_loss(rows, output, is_logit=False)) * len(rows)
    n = len(material.held_out)
    return Assessment(
        codes=torch.cat(codes).numpy(),
        squared_error=squared / n,
        drawn_squared_error=drawn / n if is_variational else None,
        log_loss=log_loss / n if nets.ends_in_sigmoid else None,
    )


def _code(recipe: Recipe, nets: Autoencoder, rows: torch.Tensor, side: torch.Tensor) -> torch.Tensor:
    if nets.encoder is None or nets.mean is None:
        return side
    mean: torch.Tensor = nets.mean(nets.encoder(rows))
    return torch.cat([side, mean], dim=1) if recipe.family == "ss" else mean


def _drawn_code(
    recipe: Recipe, nets: Autoencoder, batch: tuple[torch.Tensor, torch.Tensor], generator: torch.Generator
) -> torch.Tensor:
    rows, side = batch
    if nets.encoder is None or nets.mean is None or nets.log_variance is None:
        return side
    hidden = nets.encoder(rows)
    mean: torch.Tensor = nets.mean(hidden)
    noise = torch.randn(mean.shape, generator=generator).to(mean.device)
    drawn = mean + (0.5 * nets.log_variance(hidden)).exp() * noise
    return torch.cat([side, drawn], dim=1) if recipe.family == "ss" else drawn
