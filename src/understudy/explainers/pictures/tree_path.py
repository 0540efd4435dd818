"""Tree path: the decisions that lead a network down its tree of prototypes."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import JsonValue

from understudy.errors import MaterialsError
from understudy.explainers.pictures.explained_pictures import ExplainedPicture, pictures_of_inputs
from understudy.explainers.pictures.map_reading import maps_of_inputs, require_maps
from understudy.explainers.pictures.matched_rows import MatchedRow, files_of_rows, matched_row, row_facts
from understudy.explainers.reading import columns_of
from understudy.inference.tree_walk import Walk, leaf_label, walk_of
from understudy.registry import register
from understudy.roles import Explained, Floats, HasMaps, Ints, Model, Rng
from understudy.schema import Json, MapModelCard, Record, TreeFork, TreePath, TreeStep


@register("explainers", "tree_path")
class TreePathing(Record):
    """Follows the decisions of a tree from its root, after ProtoTree (Nauta et al., 2021).

    At each node, a prototype is present where its similarity exceeds the threshold of the model's card.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"tree_path"})
    leaves_open: Literal[0, 2] = 0
    """How many of the last decisions are left to the person."""
    shows_decisions: bool = False
    """Whether the page says what the model decided; never for decisions that are left open."""
    shows_scores: bool = False
    """Whether the page says how similar the model finds each pair; never for decisions that are left open."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return the path of each picture, and what is true of each step."""
        pictures = list(pictures_of_inputs(inputs, method="tree_path"))
        reader = require_maps(model, ("tree",), explainer="tree_path")
        explanations: list[TreePath] = []
        truths: list[Json] = []
        files: dict[str, bytes] = {}
        walks: list[Walk] = []
        for picture, maps in zip(pictures, maps_of_inputs(reader, inputs), strict=True):
            walk = walk_of(maps, reader.card)
            rows = {node: _row(reader, picture, maps, node) for node in (*walk.nodes, *self._off_path(walk, reader))}
            explanations.append(self._explanation(picture, walk, rows))
            truths.append(self._truth(walk, rows, reader.card))
            files |= {picture.shown.file: picture.content, **files_of_rows([*rows.values()])}
            walks.append(walk)
        _require_leaves(model, reader.card, walks, targets)
        return Explained(tuple(explanations), files, tuple(truths))

    def _off_path(self, walk: Walk, model: HasMaps) -> tuple[int, ...]:
        """Return the node that the person would come to by the other answer to the first open decision."""
        if not self.leaves_open:
            return ()
        if len(walk.nodes) < 2:
            raise MaterialsError(
                f"A photo passes {len(walk.nodes)} decision of the tree of {model.card.name!r}, so that two cannot be left "
                "open. Set leaves_open to 0, or train a tree that is at least two levels deep."
            )
        fork = model.card.nodes[walk.nodes[-2]]
        other = fork.absent if walk.is_present[-2] else fork.present
        if other < 0:
            raise MaterialsError(
                f"A decision in the tree of {model.card.name!r} leads to another one on one side only, so that two cannot "
                "be left open. Set leaves_open to 0, or train a tree whose branches are all equally deep."
            )
        return (other,)

    def _explanation(self, picture: ExplainedPicture, walk: Walk, rows: dict[int, MatchedRow]) -> TreePath:
        n_given = len(walk.nodes) - self.leaves_open
        steps = tuple(
            _step(
                rows[node],
                is_present=is_present if self.shows_decisions else None,
                similarity=rows[node].similarity if self.shows_scores else None,
            )
            for node, is_present in zip(walk.nodes[:n_given], walk.is_present, strict=False)
        )
        return TreePath(picture=picture.shown, steps=steps, fork=self._fork(walk, rows))

    def _fork(self, walk: Walk, rows: dict[int, MatchedRow]) -> TreeFork | None:
        if not self.leaves_open:
            return None
        (other,) = rows.keys() - {*walk.nodes}
        taken = walk.nodes[-1]
        absent, present = (other, taken) if walk.is_present[-2] else (taken, other)
        return TreeFork(
            first=_step(rows[walk.nodes[-2]]), if_absent=_step(rows[absent]), if_present=_step(rows[present])
        )

    def _truth(self, walk: Walk, rows: dict[int, MatchedRow], card: MapModelCard) -> Json:
        n_given = len(walk.nodes) - self.leaves_open
        shown, left_open = (
            row_facts([rows[node] for node in part]) for part in (walk.nodes[:n_given], walk.nodes[n_given:])
        )
        decided: list[JsonValue] = [
            {**fact, "is_present": is_present}
            for fact, is_present in zip([*shown, *left_open], walk.is_present, strict=True)
        ]
        return {
            "rows": decided[:n_given],
            "open_rows": decided[n_given:],
            "decisions": [*walk.is_present[n_given:]],
            "leaf_label": leaf_label(card, walk.leaf),
        }


def _row(model: HasMaps, picture: ExplainedPicture, maps: Floats, node: int) -> MatchedRow:
    return matched_row(model, picture, maps, model.card.nodes[node].prototype, salt=f"node {node}")


def _step(row: MatchedRow, *, is_present: bool | None = None, similarity: float | None = None) -> TreeStep:
    return TreeStep(
        row_id=row.row_id,
        region=row.region,
        source=row.photo.shown,
        source_region=row.prototype.region,
        similarity=similarity,
        is_present=is_present,
    )


def _require_leaves(model: Model, card: MapModelCard, walks: Sequence[Walk], targets: Ints | None) -> None:
    """Refuse a class that the path of a photo does not lead to."""
    if targets is None:
        return
    wanted = columns_of(model, None, targets, n=len(walks))
    n_other = sum(
        leaf_label(card, walk.leaf) != model.labels[column] for walk, column in zip(walks, wanted, strict=True)
    )
    if n_other:
        raise MaterialsError(
            f"tree_path explains the leaf that a photo comes to, but {n_other} of the {len(walks)} photos are to be "
            "explained for another class. Leave the targets out."
        )
