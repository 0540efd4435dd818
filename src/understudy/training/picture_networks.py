"""Networks for pictures by their recipe: trained, scored as stored, and written with a card."""

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from understudy.errors import MaterialsError, optional
from understudy.inference.cards import ClassifierCard, ObserverCard, card_from_details, text_from_card
from understudy.inference.model_folders import WrittenModel, write_model
from understudy.inference.onnx_graphs import Precision, quantized
from understudy.inference.onnx_models import classifier_from_bytes, observer_from_bytes
from understudy.roles import Floats, Pixels
from understudy.schema import Json
from understudy.sources.picture_pools import MemoryPool, answers_to_pool
from understudy.training.recipes import FlowRecipe, PictureNetRecipe, PictureRecipe, picture_net_recipe
from understudy.worlds.families import world_named
from understudy.worlds.pictures import ManyOptions, render_table

# Pictures to train from: the sets of a world, drawn once, resumable, and shared by all recipes of one size.

WORLD = "sixt2022-code"
"""The world of all recipes, as the released sampler draws it: the printed tables are about networks that saw this."""
N_PICTURES = 120_000
_PER_TEST, _PER_UNBIASED = 40, 4
_SMALLEST = 40


def sets_of(recipe: PictureRecipe) -> tuple[str, ...]:
    """Return the sets that a recipe needs; an observer learns from unbiased pictures."""
    return ("train", "test") if isinstance(recipe, FlowRecipe) or recipe.purpose == "classifier" else ("unbiased",)


def sizes_for(n: int) -> dict[str, int]:
    """Return the size of each set for so many pictures to train a classifier with."""
    if n < _SMALLEST:
        raise MaterialsError(f"{n} pictures were asked for. Ask for at least {_SMALLEST}.")
    return {
        "train": n,
        "test": max(_SMALLEST // 2, n // _PER_TEST),
        "unbiased": max(_SMALLEST, round(n / _PER_UNBIASED)),
    }


def folder_of(recipe: PictureRecipe, data: Path, n: int) -> Path:
    """Return where the pictures of a recipe are kept."""
    if data.is_file():
        raise MaterialsError(f"{data} is a file, and pictures need a folder. Name a folder with --data.")
    return data / f"{WORLD}-{recipe.n_pixels}-{n}"


def n_missing(recipe: PictureRecipe, folder: Path, n: int) -> int:
    """Return how many pictures of a recipe are still to be drawn."""
    sizes = sizes_for(n)
    return sum(sizes[name] for name in sets_of(recipe) if not _pictures(folder, name).is_file())


def draw_sets(recipe: PictureRecipe, folder: Path, n: int, *, advance: Callable[[int], None]) -> Path:
    """Draw the sets that a recipe needs and that are not there, and return the folder."""
    data: Any = optional("understudy.training.picture_data", extra="torch")
    worlds: Any = optional("understudy.training.picture_data", extra="torch")
    pictures = data.PictureFolder(folder)
    if not pictures.has_attributes:
        drawn = worlds.world_named(f"understudy.training.picture_data:{WORLD.replace('-', '_')}")
        worlds.write_attributes(drawn, pictures, sizes=sizes_for(n))
    for name in sets_of(recipe):
        if not _pictures(folder, name).is_file():
            _draw(pictures, name, recipe.n_pixels, advance)
    return folder


def _draw(pictures: Any, name: str, n_pixels: int, advance: Callable[[int], None]) -> None:
    """Draw a set in shards, so that an interrupted run continues where it stopped, and join them."""
    shards = pictures.path / f"{name}-shards"
    table = pd.DataFrame(pictures.attributes(name), columns=list(pictures.attribute_names))
    n_done = 0

    def told(done: int, _total: int) -> None:
        nonlocal n_done
        advance(done - n_done)
        n_done = done

    render_table(world_named(WORLD), table, shards, options=ManyOptions(edge=n_pixels), progress=told)
    _join(sorted(shards.glob("pictures-*.npy")), pictures.path, name)
    shutil.rmtree(shards)


def _join(shards: list[Path], folder: Path, name: str) -> None:
    """Write shards as one array, of which only one shard is ever in memory."""
    arrays = [np.load(path, mmap_mode="r") for path in shards]
    shape = (sum(len(array) for array in arrays), *arrays[0].shape[1:])
    part = folder / f"{name}.part.npy"
    whole = np.lib.format.open_memmap(part, mode="w+", dtype=np.uint8, shape=shape)
    start = 0
    for array in arrays:
        whole[start : start + len(array)] = array
        start += len(array)
    whole.flush()
    del whole, arrays
    # Renamed last, so that an interruption leaves no file that looks whole.
    part.replace(_pictures(folder, name))


def _pictures(folder: Path, name: str) -> Path:
    return folder / f"{name}-pictures.npy"


CARD = "card.json"
"""The card of an invertible network, which lies in the folder of its weights."""


@dataclass(frozen=True)
class PictureTraining:
    """Where and how a recipe for pictures is carried out."""

    out: Path
    data: Path
    n_pictures: int
    device: str
    precision: Precision = "float32"
    max_steps: int | None = None
    """Steps after which every epoch was cut short, for trying out."""
    on_epoch: Callable[[int], None] = lambda _: None


def train_picture_model(recipe: PictureRecipe, training: PictureTraining) -> WrittenModel:
    """Draw the pictures that are missing, train, and write the network with its card."""
    run: Any = optional("understudy.training.picture_models", extra="torch")
    folder = folder_of(recipe, training.data, training.n_pictures)
    draw_sets(recipe, folder, training.n_pictures, advance=lambda _: None)
    options = run.PictureOptions(
        pictures=folder,
        state=training.out,
        device=training.device,
        progress=lambda progress: training.on_epoch(progress.epoch),
    )
    if isinstance(recipe, FlowRecipe):
        return _flow(recipe, run.trained_flow_folder(recipe, options), training)
    return _net(recipe, run.trained_net_file(recipe, options), training)


def nets_from_run(
    folder: Path,
    out: Path,
    *,
    precision: Precision = "float16",
    recipes: tuple[PictureNetRecipe, PictureNetRecipe] | None = None,
) -> tuple[WrittenModel, WrittenModel]:
    """Write classifier and observer of a whole run (`understudy.training.flow_run`) as ONNX files with their cards."""
    path = folder / "results.json"
    if not path.is_file():
        raise MaterialsError(f"{path} is not there. Name the folder that a run wrote its results to.")
    results = json.loads(path.read_text(encoding="utf-8"))
    errors: dict[str, float] = results["observer_squared_errors"]
    classifier, observer = recipes or (
        picture_net_recipe("sixt2022/cnn-64"),
        picture_net_recipe("sixt2022/observer-64"),
    )
    run: Any = optional("understudy.training.picture_models", extra="torch")
    nets = run.nets_from_parts(folder, classifier, observer, len(errors))
    facts: Json = {
        "software": results["software"],
        "device": results["device"],
        "data": {"world": world_of_run(folder)},
    }
    content = quantized(nets.classifier, precision)
    card = _classifier_card(
        classifier, {**_facts(classifier, content, facts), "accuracy": {"test": results["accuracy"]["classifier"]}}
    )
    seen = quantized(nets.observer, precision)
    seen_card = _observer_card(observer, nets.spreads, errors, _facts(observer, seen, facts))
    observer_from_bytes(seen, seen_card)
    classifier_from_bytes(content, card)
    return _written(card, content, out), _written(seen_card, seen, out)


def world_of_run(folder: Path) -> str:
    """Return the world of a whole run; older runs do not say, and all of them learned from this one."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return str(results.get("world") or WORLD)


def _net(recipe: PictureNetRecipe, trained: Any, training: PictureTraining) -> WrittenModel:
    content = quantized(trained.content, training.precision)
    facts = _facts(recipe, content, {**trained.provenance, **_data(training)})
    if recipe.purpose == "observer":
        blank = _observer_card(recipe, trained.spreads, dict.fromkeys(trained.attribute_names, 0.0), facts)
        seen = observer_from_bytes(content, blank).read(trained.test_pictures)
        errors = ((seen - trained.test_attributes) ** 2).mean(0)
        named = dict(zip(trained.attribute_names, map(float, errors), strict=True))
        return _written(_observer_card(recipe, trained.spreads, named, facts), content, training.out)
    plain = _classifier_card(recipe, facts)
    accuracy = _accuracy(content, plain, trained.test_pictures, trained.test_labels)
    card = _classifier_card(
        recipe, {**facts, "accuracy": {"test": accuracy}, "n_cases": {"test": len(trained.test_labels)}}
    )
    return _written(card, content, training.out)


def _flow(recipe: FlowRecipe, trained: Any, training: PictureTraining) -> WrittenModel:
    """Write the card of an invertible network next to its weights."""
    parts = sorted(trained.folder.glob("weights-*.part"), key=lambda path: int(path.stem.removeprefix("weights-")))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()
    facts: Json = {
        "recipe": _recipe_json(recipe),
        **trained.provenance,
        **_data(training),
        "digest": digest,
        "accuracy": {"test": trained.accuracy},
        "n_cases": {"test": trained.n_test},
    }
    card = card_from_details(_classifier_card(recipe, facts))
    (trained.folder / CARD).write_text(text_from_card(card), encoding="utf-8")
    return WrittenModel(trained.folder, card, sum(path.stat().st_size for path in parts))


def _classifier_card(recipe: PictureRecipe, facts: Json) -> ClassifierCard:
    size = (3, recipe.n_pixels, recipe.n_pixels)
    return ClassifierCard(
        name=recipe.name, takes="pictures", labels=world_named(WORLD).classes, size=size, provenance=facts
    )


def _observer_card(
    recipe: PictureNetRecipe, spreads: tuple[float, ...], errors: dict[str, float], facts: Json
) -> ObserverCard:
    explained: Json = {
        name: round(max(0.0, 1 - error / spread**2), 6)
        for (name, error), spread in zip(errors.items(), spreads, strict=True)
    }
    return ObserverCard(
        name=recipe.name,
        size=(3, recipe.n_pixels, recipe.n_pixels),
        attributes=tuple(errors),
        spreads=spreads,
        squared_errors=tuple(errors.values()),
        provenance={**facts, "explained_variance": explained},
    )


def _written(details: ClassifierCard | ObserverCard, content: bytes, out: Path) -> WrittenModel:
    card = card_from_details(details)
    return WrittenModel(write_model(card, content, out), card, len(content))


def _accuracy(content: bytes, card: ClassifierCard, pictures: Pixels, labels: Floats) -> float:
    answers = answers_to_pool(classifier_from_bytes(content, card), MemoryPool(pictures), 0, len(pictures))
    return round(float(np.mean(answers.argmax(axis=1) == labels)), 6)


def _facts(recipe: PictureRecipe, content: bytes, more: Json) -> Json:
    return {"recipe": _recipe_json(recipe), **more, "digest": hashlib.sha256(content).hexdigest()}


def _data(training: PictureTraining) -> Json:
    sizes: Json = dict(sizes_for(training.n_pictures))
    cut: Json = {} if training.max_steps is None else {"max_steps": training.max_steps}
    return {"data": {"world": WORLD, "n": sizes}, **cut}


def _recipe_json(recipe: PictureRecipe) -> Json:
    settings: Json = json.loads(json.dumps(asdict(recipe)))
    return settings
