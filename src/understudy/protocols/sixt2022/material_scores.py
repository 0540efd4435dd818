"""What the material is made from: trained networks, test pictures, and what the explained network says to them."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor

from understudy.errors import MaterialsError
from understudy.sources.arrays import Bytes, Floats, Ints
from understudy.training.nets.flow import Flow
from understudy.training.nets.picture_cnn import PictureCnn
from understudy.training.picture_data import PictureFolder
from understudy.training.picture_recipes import FlowRecipe, PictureNetRecipe
from understudy.training.picture_training import flow_from_recipe, picture_net_from_recipe
from understudy.training.picture_worlds import PictureWorld
from understudy.training.subjects import Look, Subject, flow_subject, look_at, net_subject
from understudy.training.weight_parts import read_parts

SubjectName: TypeAlias = Literal["flow", "classifier"]


@dataclass(frozen=True)
class Source:
    """Networks and pictures on disk."""

    weights: Path
    """A folder as `understudy.training.flow_run` leaves it."""
    pictures: PictureFolder
    subject: SubjectName
    flow: FlowRecipe
    classifier: PictureNetRecipe


@dataclass(frozen=True)
class Scored:
    """Test pictures with what the explained network makes of them."""

    net: Flow | PictureCnn
    subject: Subject
    look: Look
    levels: Tensor
    attributes: Floats
    facts: dict[str, Any]
    """Accuracy, number of pictures, and the digest of weights and pictures."""

    @property
    def flow(self) -> Flow | None:
        """The network, if it is invertible."""
        return self.net if isinstance(self.net, Flow) else None

    def pixels(self, places: Ints) -> Bytes:
        """Return pictures as they are stored."""
        return self.levels[torch.from_numpy(places)].numpy()


def recipe_in(weights: Path, recipe: FlowRecipe) -> FlowRecipe:
    """Return the recipe that the weights were trained by, which `results.json` next to them tells, or the given one."""
    path = weights / "results.json"
    if not path.is_file():
        return recipe
    stored: dict[str, Any] = json.loads(path.read_text()).get("recipe", {})
    settings: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()
    }
    return replace(recipe, **settings)


def draw_test_pictures(folder: PictureFolder, world: PictureWorld, *, n: int, n_pixels: int, seed: int) -> None:
    """Draw and render a test set, unless the folder has one."""
    if not folder.has_attributes:
        attributes, labels = world.draw(n, np.random.default_rng(seed), is_biased=True)
        folder.write_attributes("test", attributes, labels)
        folder.name_attributes(world.attribute_names, world.name)
    if "test" in folder.sets_without_pictures():
        folder.write_pictures("test", world.pictures(folder.attributes("test"), n_pixels))


def scored_pictures(source: Source, state: Path, say: Callable[[str], None]) -> Scored:
    """Let the network look at all test pictures; logits are kept in `state`, so that a second run has them already."""
    net = _net(source)
    rows = source.pictures.rows("test", torch.device("cpu"))
    subject = flow_subject(net) if isinstance(net, Flow) else net_subject(net, rows.levels.shape[1])
    digest = _digest(source, rows.levels)
    path = state / f"look-{digest[:16]}.pt"
    if path.is_file():
        kept = torch.load(path, weights_only=True)
        look = Look(kept["maps"], kept["logits"].numpy())
    else:
        look = look_at(subject, rows.levels, say=lambda n: say(f"{n} of {len(rows)} pictures"))
        state.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        torch.save({"maps": look.maps, "logits": torch.from_numpy(look.logits)}, part)
        part.replace(path)
    is_correct = (look.logits > 0) == (rows.labels.numpy() > 0.5)
    say(f"{source.subject}: {is_correct.mean():.1%} of {len(rows)} pictures right")
    facts = {"accuracy": round(float(is_correct.mean()), 4), "n_pictures": len(rows), "digest": digest[:16]}
    return Scored(net, subject, look, rows.levels, rows.attributes.double().numpy(), facts)


def _net(source: Source) -> Flow | PictureCnn:
    net = flow_from_recipe(source.flow) if source.subject == "flow" else picture_net_from_recipe(source.classifier, 0)
    try:
        read_parts({source.subject: net}, source.weights)
    except RuntimeError:
        raise MaterialsError(
            f"The weights in {source.weights} are of a network of another size. Put the results.json of the same run "
            "next to them."
        ) from None
    net.eval().requires_grad_(False)
    return net


def _digest(source: Source, levels: Tensor) -> str:
    found = hashlib.sha256(source.subject.encode())
    for path in sorted(source.weights.glob("weights-*.part")):
        found.update(path.read_bytes())
    found.update(levels.numpy().tobytes())
    return found.hexdigest()
