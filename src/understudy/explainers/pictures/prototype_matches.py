"""Prototype matches: the regions of a photo that a network finds similar to prototypes of a class."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.explainers.pictures.explained_pictures import pictures_of_inputs
from understudy.explainers.pictures.map_reading import answered_columns, maps_of_inputs, require_maps
from understudy.explainers.pictures.matched_rows import MatchedRow, files_of_rows, matched_row, row_facts
from understudy.registry import register
from understudy.roles import Explained, Floats, HasMaps, Ints, Model, Rng
from understudy.schema import Json, PrototypeMatch, PrototypeMatches, Record, ShownPicture


@register("explainers", "prototype_matches")
class PrototypeMatching(Record):
    """Compares a photo with every prototype of a class, after ProtoPNet (Chen et al., 2019).

    The region of a row is the smallest rectangle around the pixels that belong to the most similar 5 %.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"prototype_matches"})
    toward: str | None = None
    """The class to explain. Default: the model's answer."""
    n_rows: int = Field(default=10, ge=1, le=20)
    """How many comparisons are shown at most: the most similar ones."""
    row_order: Literal["shuffled", "by_similarity"] = "shuffled"
    """Rows that are sorted steer ratings of their similarity."""
    shows_scores: bool = False
    """Whether the page says how similar the model finds each pair."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return the comparisons of each picture, and what is true of each row."""
        pictures = list(pictures_of_inputs(inputs, method="prototype_matches"))
        reader = require_maps(model, ("prototypes",), explainer="prototype_matches")
        if not pictures:
            return Explained(())
        columns = answered_columns(model, inputs, self.toward, targets)
        by_label = _prototypes_of_labels(reader, {model.labels[column] for column in columns})
        explanations: list[PrototypeMatches] = []
        truths: list[Json] = []
        files: dict[str, bytes] = {}
        for picture, maps, column in zip(pictures, maps_of_inputs(reader, inputs), columns, strict=True):
            likeliest = sorted(by_label[model.labels[column]], key=lambda index: -float(maps[index].max()))
            chosen = [matched_row(reader, picture, maps, index) for index in likeliest[: self.n_rows]]
            # From the class too, so that rows of several classes are not all moved in the same way.
            rows = self._ordered(chosen, np.random.default_rng([int(rng.integers(2**31)), column]))
            explanations.append(self._explanation(picture.shown, rows))
            truths.append({"rows": [*row_facts(rows)]})
            files |= {picture.shown.file: picture.content, **files_of_rows(rows)}
        return Explained(tuple(explanations), files, tuple(truths))

    def _ordered(self, rows: Sequence[MatchedRow], rng: Rng) -> list[MatchedRow]:
        if self.row_order == "by_similarity":
            return [*rows]
        return [rows[index] for index in rng.permutation(len(rows))]

    def _explanation(self, picture: ShownPicture, rows: Sequence[MatchedRow]) -> PrototypeMatches:
        return PrototypeMatches(
            picture=picture,
            rows=tuple(
                PrototypeMatch(
                    row_id=row.row_id,
                    region=row.region,
                    source=row.photo.shown,
                    source_region=row.prototype.region,
                    similarity=row.similarity if self.shows_scores else None,
                )
                for row in rows
            ),
        )


def _prototypes_of_labels(model: HasMaps, labels: set[str]) -> dict[str, list[int]]:
    """Return the prototypes of each class, or refuse a class that has none."""
    found: dict[str, list[int]] = {label: [] for label in labels}
    for index, prototype in enumerate(model.card.prototypes):
        found.get(prototype.label, []).append(index)
    bare = sorted(label for label, indices in found.items() if not indices)
    if bare:
        raise MaterialsError(
            f"{model.card.name!r} has no prototype for the class {', '.join(map(repr, bare))}, so that there is nothing to "
            "compare. Leave the class out, or prune less."
        )
    return found
