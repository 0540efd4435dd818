"""Trained models: a recipe carried out, from data to a decoder file with its card."""

import hashlib
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from understudy.inference.quantization import Precision
from understudy.sources.arrays import Floats
from understudy.training.decoders.adversarial import AdversarialStepper
from understudy.training.decoders.assessment import Assessment, assess
from understudy.training.decoders.cards import SHAPES, card_from_codes
from understudy.training.decoders.loops import AutoencoderStepper, Progress, train
from understudy.training.decoders.nets import adversaries_from_recipe, autoencoder_from_recipe
from understudy.training.decoders.onnx_graph import onnx_from_layers
from understudy.training.decoders.recipes import Recipe
from understudy.training.decoders.sources import material_from_recipe, shortened


@dataclass(frozen=True)
class Trained:
    """A decoder ready to be written, and what was learned on the way."""

    recipe: Recipe
    content: bytes
    """The ONNX file."""
    card: dict[str, Any]
    weights: dict[str, torch.Tensor]
    """The state of all nets, encoder included."""
    decoder: nn.Sequential
    held_out_codes: Floats | None
    """Codes of every held-out instance, in the order of the split."""
    held_out_factors: Floats | None


@dataclass(frozen=True)
class Workshop:
    """Where and how a recipe is carried out."""

    device: str = "cpu"
    data: Path | None = None
    """The folder of MNIST files, or the official dSprites npz."""
    checkpoint: Path | None = None
    tell: Callable[[Progress], None] | None = None
    max_steps: int | None = None
    """Ends every epoch early and assesses as many instances, for trying out."""
    precision: Precision = "float32"


def trained_from_recipe(recipe: Recipe, workshop: Workshop) -> Trained:
    """Train, assess on held-out instances, and export."""
    device = torch.device(workshop.device)
    material = material_from_recipe(recipe, device, data=workshop.data)
    if workshop.max_steps is not None:
        material = shortened(material, workshop.max_steps * recipe.batch)
    generator = torch.Generator().manual_seed(recipe.seed)
    options: dict[str, Any] = {
        "checkpoint": workshop.checkpoint,
        "tell": workshop.tell,
        "max_steps": workshop.max_steps,
    }
    provenance: dict[str, Any] = {"software": _software(), "device": device.type}
    if workshop.data is not None and workshop.data.is_file():
        provenance["data"] = {
            "file": workshop.data.name,
            "digest": hashlib.sha256(workshop.data.read_bytes()).hexdigest(),
        }
    codes: Floats | None = None
    if recipe.family == "ig":
        adversaries = adversaries_from_recipe(recipe, generator)
        rival = AdversarialStepper(recipe, material, adversaries)
        train(recipe, rival, material, **options)
        whole, decoder, ends_in_sigmoid = rival.whole, adversaries.decoder, True
    else:
        nets = autoencoder_from_recipe(recipe, generator)
        stepper = AutoencoderStepper(recipe, material, nets)
        train(recipe, stepper, material, **options)
        found = assess(recipe, nets, material)
        codes = found.codes
        provenance |= _errors(found)
        whole, decoder, ends_in_sigmoid = stepper.whole, nets.decoder, nets.ends_in_sigmoid
    whole.eval().cpu()
    content = onnx_from_layers(
        decoder,
        n_inputs=recipe.n_categories + recipe.n_dials,
        n_outputs=int(np.prod(SHAPES[recipe.dataset])),
        ends_in_sigmoid=ends_in_sigmoid,
        precision=workshop.precision,
    )
    provenance["digest"] = hashlib.sha256(content).hexdigest()
    if workshop.max_steps is not None:
        provenance["max_steps"] = workshop.max_steps
    return Trained(
        recipe=recipe,
        content=content,
        card=card_from_codes(recipe, codes, provenance),
        weights=whole.state_dict(),
        decoder=decoder,
        held_out_codes=codes,
        held_out_factors=material.factors,
    )


def _errors(found: Assessment) -> dict[str, float | None]:
    errors = {"held_out_squared_error": found.by_mean.squared_error, "held_out_log_loss": found.by_mean.log_loss}
    if found.by_draw is not None:
        errors["held_out_squared_error_by_draw"] = found.by_draw.squared_error
        errors["held_out_log_loss_by_draw"] = found.by_draw.log_loss
    return errors


def _software() -> dict[str, str]:
    return {"python": platform.python_version(), "torch": str(torch.__version__), "numpy": np.__version__}
