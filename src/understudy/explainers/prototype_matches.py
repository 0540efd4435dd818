"""Prototypes: rows of matched regions, the path through a tree, and the whole tree."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field, JsonValue

from understudy.errors import MaterialsError
from understudy.explainers.inputs import columns_of, rounded
from understudy.explainers.picture_inputs import (
    ExplainedPicture,
    answered_columns,
    maps_of_inputs,
    pictures_of_inputs,
    require_maps,
)
from understudy.inference.map_models import Walk, fork_of, forks_of, leaf_label, shown_tree, step_numbers, walk_of
from understudy.registry import register
from understudy.roles import Explained, Floats, HasMaps, Ints, Model, PrototypePhoto, Rng, Sample
from understudy.schema import (
    DatasetRef,
    Json,
    MapModelCard,
    PrototypeMatch,
    PrototypeMatches,
    PrototypeTree,
    Record,
    Region,
    ShownPicture,
    StoredPrototype,
    TreeDecision,
    TreeFork,
    TreePath,
    TreeStep,
)
from understudy.sources.heat_maps import region_of_map


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


# Prototype matches: the regions of a photo that a network finds similar to prototypes of a class.


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


# Tree path: the decisions that lead a network down its tree of prototypes.


@register("explainers", "tree_path")
class TreePathing(Record):
    """Follows the decisions of a tree from its root, after ProtoTree (Nauta et al., 2021).

    At each node, a prototype is present where its similarity exceeds the threshold of the model's card. Nodes whose
    answers all lead to the same class are left out, because they change no prediction.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"tree_path"})
    leaves_open: Literal[0, 2] = 0
    """How many decisions are left to the person: the two from the last fork on; what follows them is not shown."""
    shows_decisions: bool = False
    """Whether the page says what the model decided; never for decisions that are left open."""
    shows_scores: bool = False
    """Whether the page says how similar the model finds each pair; never for decisions that are left open."""
    names_nodes: bool = False
    """Whether steps are called as in the drawing of `whole_tree`, such as 3b; otherwise they are only counted."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return the path of each picture, and what is true of each step."""
        pictures = list(pictures_of_inputs(inputs, method="tree_path"))
        reader = require_maps(model, ("tree",), explainer="tree_path")
        card = shown_tree(reader.card)
        numbers = step_numbers(card) if self.names_nodes else ("",) * len(card.nodes)
        explanations: list[TreePath] = []
        truths: list[Json] = []
        files: dict[str, bytes] = {}
        routes: list[_Route] = []
        for picture, maps in zip(pictures, maps_of_inputs(reader, inputs), strict=True):
            route = self._route(walk_of(maps, card), card)
            rows = {
                node: matched_row(reader, picture, maps, card.nodes[node].prototype, salt=f"node {node}")
                for node in (*route.given, *route.fork)
            }
            steps = {node: _step(row, numbers[node]) for node, row in rows.items()}
            explanations.append(self._explanation(picture, route, steps, rows))
            truths.append({**_truth(route, rows), "leaf_label": leaf_label(card, route.walk.leaf)})
            files |= {picture.shown.file: picture.content, **files_of_rows([*rows.values()])}
            routes.append(route)
        _require_leaves(model, card, [route.walk for route in routes], targets)
        return Explained(tuple(explanations), files, tuple(truths))

    def _route(self, walk: Walk, card: MapModelCard) -> "_Route":
        if not self.leaves_open:
            return _Route(walk, len(walk.nodes), ())
        at = fork_of(walk, forks_of(card))
        if at is None:
            raise MaterialsError(
                f"On its path through the tree of {card.name!r}, a photo comes to no decision from which on two can be left "
                "open: both answers must lead to another decision, and each of the four ways out to a class that nothing "
                "else leads to. Choose photos with has_fork = 'yes', set leaves_open to 0, or train a tree whose branches "
                "are about equally deep."
            )
        first = walk.nodes[at]
        return _Route(walk, at, (first, card.nodes[first].absent, card.nodes[first].present))

    def _explanation(
        self,
        picture: ExplainedPicture,
        route: "_Route",
        steps: Mapping[int, TreeStep],
        rows: Mapping[int, MatchedRow],
    ) -> TreePath:
        given = tuple(
            steps[node].model_copy(
                update={
                    "is_present": is_present if self.shows_decisions else None,
                    "similarity": rows[node].similarity if self.shows_scores else None,
                }
            )
            for node, is_present in zip(route.given, route.walk.is_present, strict=False)
        )
        fork = None
        if route.fork:
            first, if_absent, if_present = (steps[node] for node in route.fork)
            fork = TreeFork(first=first, if_absent=if_absent, if_present=if_present)
        return TreePath(picture=picture.shown, steps=given, fork=fork)


class _Route(NamedTuple):
    """The way of a photo, and how much of it a page shows."""

    walk: Walk
    n_given: int
    """How many decisions of the model are shown."""
    fork: tuple[int, ...]
    """The nodes that are left to the person: the first, that if it is absent, and that if it is present; or none."""

    @property
    def given(self) -> tuple[int, ...]:
        """The nodes whose decisions are shown."""
        return self.walk.nodes[: self.n_given]


def _truth(route: _Route, rows: Mapping[int, MatchedRow]) -> Json:
    """Return what is true of the steps that are shown, and of the two that are left open."""
    stop = route.n_given + 2
    shown, left_open = (
        row_facts([rows[node] for node in part]) for part in (route.given, route.walk.nodes[route.n_given : stop])
    )
    decided: list[JsonValue] = [
        {**fact, "is_present": is_present}
        for fact, is_present in zip([*shown, *left_open], route.walk.is_present[:stop], strict=True)
    ]
    return {
        "rows": decided[: route.n_given],
        "open_rows": decided[route.n_given :],
        "decisions": [*route.walk.is_present[route.n_given : stop]],
    }


def _step(row: MatchedRow, number: str) -> TreeStep:
    return TreeStep(
        row_id=row.row_id,
        region=row.region,
        source=row.photo.shown,
        source_region=row.prototype.region,
        number=number,
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


# Whole tree: all decisions of a network that goes down a tree of prototypes.


@register("model_explainers", "whole_tree")
class WholeTree(Record):
    """Shows the prototype of each decision and where its two answers lead, after ProtoTree (Nauta et al., 2021).

    Decisions whose answers all lead to the same class are left out, here and in `tree_path`: they change no prediction.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"prototype_tree"})
    dataset: DatasetRef | None = None
    """Not needed: the tree is the same for all photos."""
    n: int = Field(default=1, ge=1, le=1_000_000)
    ends: Literal["numbers", "labels", "none"] = "numbers"
    """What the ends of the tree say: the number of the class, its label, or nothing."""
    end_name: str = "Class {number}"
    """What an end with a number is called; {number} is the number."""

    def explain_model(self, model: Model, sample: Sample, rng: Rng) -> Explained:
        """Return the tree, and the photos that its prototypes are from."""
        reader = require_maps(model, ("tree",), explainer="whole_tree")
        card = shown_tree(reader.card)
        photos = {node.prototype: reader.source_photo(node.prototype) for node in card.nodes}
        decisions = tuple(
            TreeDecision(
                absent=node.absent,
                present=node.present,
                source=photos[node.prototype].shown,
                source_region=card.prototypes[node.prototype].region,
                number=number,
            )
            for node, number in zip(card.nodes, step_numbers(card), strict=True)
        )
        ends = tuple(self._end(leaf_label(card, leaf), card.labels) for leaf in range(len(card.leaves)))
        files = {photo.shown.file: photo.content for photo in photos.values()}
        return Explained((PrototypeTree(decisions=decisions, ends=ends),), files)

    def _end(self, label: str, labels: tuple[str, ...]) -> str:
        if self.ends == "none":
            return ""
        return label if self.ends == "labels" else self.end_name.replace("{number}", str(labels.index(label) + 1))
