"""Creatures: generated species with the networks and photos that come with understudy, so that studies run out of the box."""

import json
from pathlib import Path

from understudy.errors import MaterialsError
from understudy.protocols.kim2022.card_facts import accuracy_of, most_rows_of
from understudy.protocols.kim2022.photos import BIRDS_RISKS, SHIPPED, Photos
from understudy.protocols.kim2022.variants import Method
from understudy.schema import MapModelCard, Ref
from understudy.sources.shipped_material import located

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
