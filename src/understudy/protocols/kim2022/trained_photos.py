"""Trained photos: a user's own photos, with a network that `understudy train` made from them."""

from pathlib import Path

from understudy.errors import MaterialsError
from understudy.models import MapModel
from understudy.protocols.kim2022.card_facts import accuracy_of, most_rows_of
from understudy.protocols.kim2022.photos import Photos
from understudy.schema import Ref

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
