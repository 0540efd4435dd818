"""Photos: what is classified, by which model, how its answers are explained, and what the paper used."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from understudy import registry
from understudy.errors import MaterialsError, StudyError
from understudy.models import MapModel
from understudy.protocols.kim2022.variants import Method, Task
from understudy.schema import Json, MapModelCard, Ref
from understudy.sources.files import located

# What the card of a map model says to a study: how accurate the model is, and how many rows its explanations have.

MOST_STEPS = 9
MOST_ROWS = 10


def accuracy_of(card: MapModelCard) -> float:
    """Return how many per cent of test photos a model gets right, with one decimal."""
    scored = card.scores.get("accuracy")
    share = scored.get("test") if isinstance(scored, dict) else scored
    if not isinstance(share, int | float):
        raise MaterialsError(f"The card of {card.name!r} does not say how accurate the model is. Train it again.")
    return round(100 * share, 1)


def most_rows_of(card: MapModelCard) -> int:
    """Return the most prototypes of a class, or steps of a path, that a page shows."""
    if card.method == "tree":
        return MOST_STEPS
    rows = [sum(prototype.label == label for prototype in card.prototypes) for label in card.labels]
    return max(1, min(MOST_ROWS, max(rows)))


SHIPPED = "shipped:kim2022"
BIRDS_RISKS: Mapping[str, str] = MappingProxyType({
    "low": "Low risk: the model is used for scientific or educational purposes.",
    "medium": "Medium risk: the model is used to monitor biodiversity and ecosystems.",
    "high": "High risk: the model is used for veterinary or medical diagnosis.",
})  # fmt: skip
OBJECTS_RISKS: Mapping[str, str] = MappingProxyType({
    "low": "Low risk: the model is used for scientific or educational purposes.",
    "medium": "Medium risk: the model is used for automatic checkout in a grocery shop.",
    "high": "High risk: the model is used to understand scenes for self-driving cars.",
})  # fmt: skip


class Photos(NamedTuple):
    """Photos with a label for each, a model, and an explainer that fits the method."""

    name: str
    """Part of the study's name, such as cub; empty for the creatures that come with understudy."""
    dataset: Ref
    """Photos that the model did not learn from, with the attribute `label`."""
    model: Ref
    accuracy: float
    """Of the model on such photos, in percent; people read it on the last pages."""
    n_classes: int
    explainer: Ref | None = None
    """By default what reads the maps of a `map_model`: class_maps, prototype_matches or tree_path."""
    examples: Ref | None = None
    """Photos to take three examples of each class from; by default those of `dataset`, where a photo that is an example
    itself gets another one in its place, so that other photos are better."""
    noun: str = "class"
    """What a class is called, such as species."""
    plural: str = "classes"
    kind: str = "photos"
    """What the photos show, such as photos of birds."""
    risks: Mapping[str, str] = OBJECTS_RISKS
    most_rows: int = 10
    """The most prototypes of a class, or steps of a path, that a page shows."""

    def explainer_of(self, method: Method, task: Task, *, names_nodes: bool = True) -> Ref:
        """Return the explainer of a study, set up as its task needs it.

        With `names_nodes`, the steps of a tree are called as in the drawing of it.
        """
        shown = self.explainer or _default_explainer(method, task, self.most_rows)
        if task.startswith("distinction") and _has_scale(shown):
            shown = _on_one_scale(shown)
        if shown.name == "tree_path" and names_nodes:
            shown = shown.model_copy(update={"params": {"names_nodes": True, **shown.params}})
        if task != "agreement-examples":
            return shown
        examples = Ref(
            name="class_examples",
            params={
                "dataset": _written(self.examples or self.dataset),
                "n": 3,
                "caption": f"Photos of the predicted {self.noun}",
            },
        )
        return Ref(name="composite", params={"parts": [_written(shown), _written(examples)]})


def _has_scale(shown: Ref) -> bool:
    return "scale" in registry.entry("explainers", shown.name).model_fields


def _on_one_scale(shown: Ref) -> Ref:
    """Let the four maps of a photo share a scale: each on its own would hide which class has most evidence."""
    if shown.params.get("scale", "shared") != "shared":
        raise StudyError(
            [
                f"The explainer {shown.name!r} has scale = {shown.params['scale']!r}, which hides which of the four classes "
                "has most evidence. Leave `scale` out for distinction, or choose 'shared'."
            ]
        )
    return shown.model_copy(update={"params": {**shown.params, "scale": "shared"}})


def _default_explainer(method: Method, task: Task, most_rows: int) -> Ref:
    if method in ("gradcam", "bagnet"):
        scale = "shared" if task.startswith("distinction") else "per_map"
        return Ref(name="class_maps", params={"scale": scale})
    if method == "protopnet":
        return Ref(name="prototype_matches", params={"n_rows": most_rows})
    if task == "tree-aware":
        return Ref(name="tree_path", params={"shows_decisions": True, "shows_scores": True})
    if task == "distinction":
        return Ref(name="tree_path", params={"leaves_open": 2, "shows_decisions": True})
    return Ref(name="tree_path")


def _written(ref: Ref) -> Json:
    return {"name": ref.name, "params": ref.params}


# Creatures: generated species with the networks and photos that come with understudy, so that studies run out of the box.

PHOTOS = f"{SHIPPED}/photos"
EXAMPLES = f"{SHIPPED}/examples"
"""Three creatures of each species that networks learned from, which are never judged."""
AGREED = f"{SHIPPED}/agreed.csv"


def creatures(method: Method) -> Photos:
    """Return photos of creatures, with the network of a method."""
    folder = f"{SHIPPED}/{method}"
    card = card_of(folder)
    return Photos(
        name="",
        dataset=Ref(name="picture_folder", params={"folder": PHOTOS}),
        model=Ref(name="map_model", params={"folder": folder}),
        examples=Ref(name="picture_folder", params={"folder": EXAMPLES}),
        accuracy=accuracy_of(card),
        n_classes=len(card.labels),
        noun="species",
        plural="species",
        kind="photos of creatures",
        risks=BIRDS_RISKS,
        most_rows=most_rows_of(card),
    )


def comes_with(method: Method) -> bool:
    """Tell whether the network of a method is part of this installation."""
    return (located(Path(), f"{SHIPPED}/{method}").path / "card.json").is_file()


def card_of(folder: str) -> MapModelCard:
    """Return the card of a map model that comes with understudy."""
    path = located(Path(), folder).path / "card.json"
    if not path.is_file():
        raise MaterialsError(
            f"{folder!r} is not part of this installation. Install understudy again, or train the network with "
            "`understudy train kim2022/creatures-...` and give it as `data`."
        )
    return MapModelCard.model_validate(json.loads(path.read_text(encoding="utf-8")))


# The photos of the paper, birds and objects, and those of pets, with a model that you trained.

ACCURACIES: Mapping[tuple[str, Method], float] = MappingProxyType({
    ("CUB", "gradcam"): 81.0, ("CUB", "bagnet"): 74.2, ("CUB", "protopnet"): 79.9, ("CUB", "prototree"): 81.7,
    ("ImageNet", "gradcam"): 76.1, ("ImageNet", "bagnet"): 66.7,
})  # fmt: skip
"""Of the paper's own models, in per cent."""


def paper_photos(data: Literal["CUB", "ImageNet"], dataset: Ref, model: Ref, *, accuracy: float) -> Photos:
    """Return birds or objects in a folder of yours, with your model and its accuracy in per cent."""
    is_birds = data == "CUB"
    return Photos(
        name=data.lower(),
        dataset=dataset,
        model=model,
        accuracy=accuracy,
        n_classes=200 if is_birds else 1000,
        noun="species" if is_birds else "class",
        plural="species" if is_birds else "classes",
        kind="photos of birds" if is_birds else "photos of objects",
        risks=BIRDS_RISKS if is_birds else OBJECTS_RISKS,
    )


def pets(model: Ref, *, accuracy: float, dataset: Ref | None = None) -> Photos:
    """Return the Oxford pets of the test part, with a model that `understudy train kim2022/pets-...` wrote.

    24 of the 37 breeds are classes of ImageNet, which the backbone of these models has learned before: say so.
    """
    return Photos(
        name="pets",
        dataset=dataset or Ref(name="oxford_pets"),
        model=model,
        accuracy=accuracy,
        n_classes=37,
        noun="breed",
        plural="breeds",
        kind="photos of cats and dogs",
        risks=BIRDS_RISKS,
    )


# Trained photos: a user's own photos, with a network that `understudy train` made from them.

LEARNED, HELD_OUT = "train.csv", "test.csv"


def trained_photos(
    name: str, photos: str | Path, model: str | Path, *, noun: str = "class", plural: str = "classes"
) -> Photos:
    """Return your photos with a network that learned from some of them.

    `photos` is the folder that was given as --data, and `model` the folder that `understudy train` wrote. People see
    photos that the network did not learn from; the three examples of a class are ones that it did. `noun` and `plural`
    say what a class is called, such as breed and breeds.
    """
    card = MapModel(folder=str(model)).card
    absent = [file for file in (LEARNED, HELD_OUT) if not (Path(model) / file).is_file()]
    if absent:
        raise MaterialsError(
            f"{str(model)!r} has no {' and no '.join(absent)}, so that nobody knows which photos it learned from. Give a "
            "folder that `understudy train kim2022/photos-...` or `kim2022/small-photos-...` wrote, or use Photos(...)."
        )
    learned, held_out = (
        Ref(
            name="picture_folder",
            params={"folder": str(photos), "table": str(Path(model) / file), "edge": card.size[1]},
        )
        for file in (LEARNED, HELD_OUT)
    )
    return Photos(
        name=name,
        dataset=held_out,
        model=Ref(name="map_model", params={"folder": str(model)}),
        examples=learned,
        accuracy=accuracy_of(card),
        n_classes=len(card.labels),
        noun=noun,
        plural=plural,
        most_rows=most_rows_of(card),
    )
