"""Training a decoder: from a recipe and its data to an ONNX file and the content of its card.

Nothing here needs the records of a study, so that decoders are trained on any machine that has torch and onnx.
"""

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from understudy.sources.arrays import Floats
from understudy.training.assessment import Assessment, assess
from understudy.training.checkpoints import Checkpoint
from understudy.training.decoder_data import Material, material_from_recipe, shortened
from understudy.training.decoder_steps import AdversarialSteps, AutoencoderSteps
from understudy.training.export import onnx_from_decoder
from understudy.training.loop import Progress, Schedule, TrainingSteps, Watchers, seeded_by_epoch, train
from understudy.training.nets.adversarial import adversaries_from_recipe
from understudy.training.nets.autoencoders import autoencoder_from_recipe
from understudy.training.rates import falling_rate
from understudy.training.recipes import DecoderRecipe
from understudy.training.software import software_versions


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
