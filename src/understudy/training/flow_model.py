"""An invertible network as a model of pictures: read from its parts, and answering with probabilities and latents."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from understudy.errors import MaterialsError
from understudy.sources.arrays import Floats
from understudy.training.nets.flow import Flow
from understudy.training.picture_data import CHUNK, levels_to_values
from understudy.training.picture_recipes import FlowRecipe
from understudy.training.picture_training import flow_from_recipe
from understudy.training.weight_parts import read_parts

CARD, RESULTS = "card.json", "results.json"
"""What names the recipe: the card that `understudy train` writes, or the results of a whole run."""


@dataclass(frozen=True)
class FlowModel:
    """An invertible network that answers to pictures as numbers from 0 to 1: (picture, channel, row, column)."""

    flow: Flow
    labels: tuple[str, ...]
    digest: str
    """SHA-256 of its weights."""

    @property
    def n_pixels(self) -> int:
        """Width and height of its pictures."""
        return self.flow.shape.n_pixels

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the two labels."""
        yes = 1 / (1 + np.exp(-self.margins(inputs)))
        return np.column_stack([1 - yes, yes])

    def margins(self, inputs: Floats) -> Floats:
        """Return the evidence for the second label."""
        return self._shown(inputs, self.flow.logit)

    def latents(self, inputs: Floats) -> Floats:
        """Return the latents that the classifier reads."""
        return self._shown(inputs, lambda last: last.flatten(1))

    @torch.no_grad()
    def _shown(self, inputs: Floats, read: Callable[[Tensor], Tensor]) -> Floats:
        n_pixels = self.n_pixels
        if inputs.shape[1:] != (3, n_pixels, n_pixels):
            raise MaterialsError(
                f"The invertible network takes pictures of the shape {(3, n_pixels, n_pixels)}, but was given "
                f"{inputs.shape[1:]}. Give pictures of that size."
            )
        levels = torch.from_numpy(np.rint(inputs * 255).astype(np.uint8)).permute(0, 2, 3, 1)
        parts = [read(self.flow(levels_to_values(chunk)).last) for chunk in levels.split(CHUNK)]
        return torch.cat(parts).double().numpy()


def flow_model_from_folder(folder: Path, labels: tuple[str, ...]) -> FlowModel:
    """Open the network in a folder of parts, with the recipe that its card or its results name."""
    flow = flow_from_recipe(_recipe_in(folder))
    read_parts({"flow": flow}, folder)
    parts = sorted(folder.glob("weights-*.part"), key=lambda path: int(path.stem.removeprefix("weights-")))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()
    return FlowModel(flow.eval(), labels, digest)


def _recipe_in(folder: Path) -> FlowRecipe:
    for name in (CARD, RESULTS):
        path = folder / name
        if path.is_file():
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return flow_recipe_from_json(content["training"]["recipe"] if name == CARD else content["recipe"])
    raise MaterialsError(f"{folder} has neither {CARD} nor {RESULTS}, so the shape of the network is unknown.")


def flow_recipe_from_json(plain: dict[str, Any]) -> FlowRecipe:
    """Return the recipe of an invertible network from its settings as JSON."""
    known = {field.name for field in fields(FlowRecipe)}
    settings: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in plain.items() if name in known
    }
    return FlowRecipe(**settings)
