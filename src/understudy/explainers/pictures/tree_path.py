"""Tree path: the decisions that lead a network down its tree of prototypes."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple

from pydantic import JsonValue

from understudy.errors import MaterialsError
from understudy.explainers.pictures.explained_pictures import ExplainedPicture, pictures_of_inputs
from understudy.explainers.pictures.map_reading import maps_of_inputs, require_maps
from understudy.explainers.pictures.matched_rows import MatchedRow, files_of_rows, matched_row, row_facts
from understudy.explainers.reading import columns_of
from understudy.inference.tree_walk import Walk, fork_of, forks_of, leaf_label, shown_tree, step_numbers, walk_of
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng
from understudy.schema import Json, MapModelCard, Record, TreeFork, TreePath, TreeStep


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
