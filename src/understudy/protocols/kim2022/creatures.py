"""Creatures: generated species with the networks and photos that come with understudy, so that studies run out of the box."""

import json
from pathlib import Path

from understudy.errors import MaterialsError
from understudy.protocols.kim2022.photos import BIRDS_RISKS, SHIPPED, Photos
from understudy.protocols.kim2022.variants import Method
from understudy.schema import MapModelCard, Ref
from understudy.sources.shipped_material import located

PHOTOS = f"{SHIPPED}/photos"
EXAMPLES = f"{SHIPPED}/examples"
"""Three creatures of each species that networks learned from, which are never judged."""
AGREED = f"{SHIPPED}/agreed.csv"
MOST_STEPS = 9


def creatures(method: Method) -> Photos:
    """Return photos of creatures, with the network of a method."""
    folder = f"{SHIPPED}/{method}"
    card = card_of(folder)
    rows = [sum(prototype.label == label for prototype in card.prototypes) for label in card.labels]
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
        most_rows=MOST_STEPS if method == "prototree" else max(1, min(10, max(rows))),
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


def accuracy_of(card: MapModelCard) -> float:
    """Return how many per cent of test photos a model gets right, with one decimal."""
    scored = card.scores.get("accuracy")
    share = scored.get("test") if isinstance(scored, dict) else scored
    if not isinstance(share, int | float):
        raise MaterialsError(f"The card of {card.name!r} does not say how accurate the model is. Train it again.")
    return round(100 * share, 1)
