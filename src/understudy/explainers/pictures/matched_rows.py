"""Matched rows: a region of a photo next to the prototype that it resembles, and what only the server may know of it."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from understudy.explainers.pictures.explained_pictures import ExplainedPicture
from understudy.explainers.reading import rounded
from understudy.roles import Floats, HasMaps, PrototypePhoto
from understudy.schema import Json, Region, StoredPrototype
from understudy.sources.map_regions import region_of_map


class MatchedRow(NamedTuple):
    """One comparison of a photo with a prototype."""

    row_id: str
    similarity: float
    region: Region
    prototype: StoredPrototype
    photo: PrototypePhoto
    prototype_index: int
    """Its position among the prototypes of the card."""


def matched_row(model: HasMaps, picture: ExplainedPicture, maps: Floats, index: int, *, salt: str = "") -> MatchedRow:
    """Compare a photo with one prototype; `salt` tells rows apart that use the same one."""
    # A digest, because a number would tell the class to a reader of the page's data.
    row_id = hashlib.sha256(f"{picture.key} {model.card.name} {index} {salt}".encode()).hexdigest()[:8]
    return MatchedRow(
        row_id,
        rounded(maps[index].max()),
        region_of_map(maps[index], picture.shown.height, picture.shown.width, box=model.card.box),
        model.card.prototypes[index],
        model.source_photo(index),
        index,
    )


def row_facts(rows: Sequence[MatchedRow]) -> list[Json]:
    """Return what is true of each shown row; rank 1 is the most similar one."""
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[np.argsort([-row.similarity for row in rows], kind="stable")] = np.arange(1, len(rows) + 1)
    return [
        {"row_id": row.row_id, "similarity": row.similarity, "rank": int(rank), "prototype": row.prototype_index}
        for row, rank in zip(rows, ranks, strict=True)
    ]


def files_of_rows(rows: Sequence[MatchedRow]) -> dict[str, bytes]:
    """Return the photos of the prototypes, by their address."""
    return {row.photo.shown.file: row.photo.content for row in rows}
