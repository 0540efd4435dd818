"""Decoders: their data, the steps of training, and how well they rebuild what was held out."""

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from understudy.sources import sinelines, sprites
from understudy.sources.small_pictures import digits_from_folder, tenth_held_out
from understudy.statistics.arrays import Floats
from understudy.training.decoder_nets import Adversaries, Autoencoder, adversaries_from_recipe, autoencoder_from_recipe
from understudy.training.export import onnx_from_decoder
from understudy.training.loop import (
    Checkpoint,
    Progress,
    Schedule,
    TrainingSteps,
    Watchers,
    falling_rate,
    seeded_by_epoch,
    software_versions,
    train,
)
from understudy.training.losses import autoencoder_loss, reconstruction_loss
from understudy.training.recipes import DecoderRecipe

# Data of decoders: instances on the device that learns, batch by batch, without loaders or workers.


@dataclass(frozen=True)
class Rows:
    """Rows stored on the device: values, or bytes that mean 0 to 1."""

    values: Tensor
    side: Tensor
    """What comes with each row: true factors, one-hot labels, or nothing."""
    scale: float = 1.0

    def batch(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Return rows and what comes with them."""
        return self.values[places].float() * self.scale, self.side[places]


@dataclass(frozen=True)
class DrawnSprites:
    """dSprites drawn on the device as they are needed: 720 outlines, moved to their positions."""

    outlines: Tensor
    levels: tuple[Tensor, ...]
    """The values of each factor."""

    def batch(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Return pictures and their true factors."""
        y, rest = places % 32, places // 32
        x, outline = rest % 32, rest // 32
        cells = torch.arange(sprites.EDGE, device=places.device)
        shift = sprites.LAST_PLACE - sprites.FIRST_PLACE
        rows = cells[None] + shift - y[:, None]
        columns = cells[None] + shift - x[:, None]
        pictures = self.outlines[outline[:, None, None], rows[:, :, None], columns[:, None, :]]
        parts = (outline // 240, outline // 40 % 6, outline % 40, x, y)
        factors = torch.stack([level[part] for level, part in zip(self.levels, parts, strict=True)], dim=1)
        return pictures.float().flatten(1), factors


@dataclass(frozen=True)
class Material:
    """A dataset with its split, ready on a device."""

    source: Rows | DrawnSprites
    train: Tensor
    held_out: Tensor
    factors: Floats | None
    """True factors of the held-out instances, in their order, if they are known."""
    factor_names: tuple[str, ...] = ()


def material_from_recipe(recipe: DecoderRecipe, device: torch.device, *, data: Path | None = None) -> Material:
    """Put the data of a recipe on a device.

    `data` is the folder of MNIST files, the official dSprites npz, or factors of Sinelines as npy.
    """
    if recipe.dataset == "sinelines":
        return _sinelines(device, data)
    if recipe.dataset == "dsprites":
        return _dsprites(device, data)
    return _mnist(device, data if data is not None else Path("mnist"), is_whole=recipe.family == "ig")


def shortened(material: Material, n: int) -> Material:
    """Keep the first instances that are held out, for trying out."""
    factors = None if material.factors is None else material.factors[:n]
    return replace(material, held_out=material.held_out[:n], factors=factors)


def _sinelines(device: torch.device, data: Path | None) -> Material:
    factors = sinelines.all_factors() if data is None else sinelines.factors_from_npy(data)
    split = tenth_held_out(len(factors))
    lines = torch.from_numpy(sinelines.lines_from_factors(factors)).float().to(device)
    side = torch.from_numpy(factors).float().to(device)
    return Material(
        source=Rows(lines, side),
        train=torch.from_numpy(split.train).to(device),
        held_out=torch.from_numpy(split.held_out).to(device),
        factors=factors[split.held_out],
        factor_names=sinelines.FACTORS,
    )


def _dsprites(device: torch.device, data: Path | None) -> Material:
    split = tenth_held_out(sprites.N_INSTANCES)
    source: Rows | DrawnSprites
    if data is not None:
        every = sprites.factors_from_places(np.arange(sprites.N_INSTANCES))
        rows = torch.from_numpy(sprites.rows_from_npz(data)).to(device)
        source = Rows(rows, torch.from_numpy(every).float().to(device))
    else:
        source = DrawnSprites(
            torch.from_numpy(sprites.padded_outlines().copy()).to(device),
            tuple(torch.from_numpy(values).float().to(device) for values in sprites.VALUES),
        )
    return Material(
        source=source,
        train=torch.from_numpy(split.train).to(device),
        held_out=torch.from_numpy(split.held_out).to(device),
        factors=sprites.factors_from_places(split.held_out),
        factor_names=sprites.FACTORS,
    )


def _mnist(device: torch.device, folder: Path, *, is_whole: bool) -> Material:
    digits = digits_from_folder(folder)
    pictures = np.concatenate([digits.train_pictures, digits.test_pictures])
    labels = torch.from_numpy(np.concatenate([digits.train_labels, digits.test_labels]).astype(np.int64))
    n_train = len(digits.train_pictures)
    places = torch.arange(len(pictures), device=device)
    return Material(
        source=Rows(
            torch.from_numpy(pictures).to(device), functional.one_hot(labels, 10).float().to(device), scale=1 / 255
        ),
        train=places if is_whole else places[:n_train],
        held_out=places[n_train:],
        factors=None,
    )


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


# How autoencoders and InfoGANs learn from one batch.

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


# Training a decoder: from a recipe and its data to an ONNX file and the content of its card.
#
# Nothing here needs the records of a study, so that decoders are trained on any machine that has torch and onnx.


@dataclass(frozen=True)
class RunOptions:
    """Where and how a recipe is run."""

    device: str = "cpu"
    data: Path | None = None
    """The folder of MNIST files, or the official dSprites npz."""
    checkpoint: Path | None = None
    progress: Callable[[Progress], None] | None = None
    max_steps: int | None = None
    """Ends every epoch early and assesses as many instances, for trying out."""


@dataclass(frozen=True)
class TrainedDecoder:
    """A decoder as an ONNX file, and what was learned on the way."""

    content: bytes
    provenance: dict[str, Any]
    """Software, device, data and held-out errors, as JSON."""
    decoder: nn.Sequential
    held_out_codes: Floats | None
    """Codes of every held-out instance, in the order of the split."""
    asked_codes: Floats | None
    """Codes of the held-out instances that studies ask for: the same ones under every model of a data set."""
    held_out_factors: Floats | None


def trained_decoder(recipe: DecoderRecipe, options: RunOptions) -> TrainedDecoder:
    """Train, assess on held-out instances, and export."""
    material = _material(recipe, options)
    generator = torch.Generator().manual_seed(recipe.seed)
    provenance = _provenance(options)
    codes: Floats | None = None
    asked: Floats | None = None
    steps: TrainingSteps
    if recipe.family == "ig":
        adversaries = adversaries_from_recipe(recipe, generator)
        steps = AdversarialSteps(recipe, material, adversaries)
        run_decoder(recipe, steps, material, options)
        decoder, ends_in_sigmoid = adversaries.decoder, True
    else:
        nets = autoencoder_from_recipe(recipe, generator)
        steps = AutoencoderSteps(recipe, material, nets)
        run_decoder(recipe, steps, material, options)
        assessment = assess(recipe, nets, material)
        codes = assessment.codes
        asked = codes
        if recipe.dataset == "sinelines" and options.data is not None:
            asked = assess(recipe, nets, _material(recipe, replace(options, data=None))).codes
        provenance |= _errors(assessment)
        decoder, ends_in_sigmoid = nets.decoder, nets.ends_in_sigmoid
    steps.module.eval().cpu()
    content = onnx_from_decoder(decoder, ends_in_sigmoid=ends_in_sigmoid)
    return TrainedDecoder(content, provenance, decoder, codes, asked, material.factors)


def run_decoder(recipe: DecoderRecipe, steps: TrainingSteps, material: Material, options: RunOptions) -> None:
    """Run the loop with the settings of a recipe."""
    n_steps = recipe.steps_per_epoch
    if options.max_steps is not None:
        n_steps = min(n_steps or options.max_steps, options.max_steps)
    schedule = Schedule(
        name=recipe.name,
        places=material.train,
        batch=recipe.batch,
        n_epochs=recipe.n_epochs,
        generator=seeded_by_epoch(recipe.seed, material.train.device),
        n_steps=n_steps,
        rate=falling_rate(steps.optimisers[0], recipe.n_epochs) if recipe.rate_falls else None,
    )
    checkpoint = None
    if options.checkpoint is not None:
        settings = {**asdict(recipe), "max_steps": options.max_steps}
        # A rate that falls over fewer epochs was another rate from the first one on.
        settings["last_falling_epoch"] = recipe.n_epochs if recipe.rate_falls else None
        checkpoint = Checkpoint(options.checkpoint, settings, recipe.n_epochs)
    train(steps, schedule, Watchers(progress=options.progress, checkpoint=checkpoint))


def _material(recipe: DecoderRecipe, options: RunOptions) -> Material:
    material = material_from_recipe(recipe, torch.device(options.device), data=options.data)
    return material if options.max_steps is None else shortened(material, options.max_steps * recipe.batch)


def _provenance(options: RunOptions) -> dict[str, Any]:
    provenance: dict[str, Any] = {"software": software_versions(), "device": torch.device(options.device).type}
    if options.data is not None and options.data.is_file():
        digest = hashlib.sha256(options.data.read_bytes()).hexdigest()
        provenance["data"] = {"file": options.data.name, "digest": digest}
    if options.max_steps is not None:
        provenance["max_steps"] = options.max_steps
    return provenance


def _errors(assessment: Assessment) -> dict[str, Any]:
    by_mean, by_draw = assessment.by_mean, assessment.by_draw
    errors: dict[str, Any] = {"held_out_squared_error": by_mean.squared_error, "held_out_log_loss": by_mean.log_loss}
    if by_draw is not None:
        errors["held_out_squared_error_by_draw"] = by_draw.squared_error
        errors["held_out_log_loss_by_draw"] = by_draw.log_loss
    return errors
