"""What a person sees on a page about a prediction: maps, rows of compared regions, or steps of a tree."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from understudy.roles import Floats
from understudy.schema import (
    Alternatives,
    Explanation,
    Heatmap,
    PrototypeMatch,
    PrototypeMatches,
    Several,
    ShownPicture,
    TreeFork,
    TreePath,
    TreeStep,
    Trial,
    layer_values,
)


class SeenRow(NamedTuple):
    """A pair of regions, and what the page says about it."""

    picture: ShownPicture
    match: PrototypeMatch

    @property
    def is_present(self) -> bool | None:
        """The model's decision, if the page shows it."""
        return self.match.is_present if isinstance(self.match, TreeStep) else None


class SeenMap(NamedTuple):
    """A map, and the photo it lies on."""

    values: Floats
    """From 0 to 1 on the page's scale, or from -1 to 1 where there is evidence against."""
    picture: ShownPicture


class SeenFork(NamedTuple):
    """The two decisions that are left to the person."""

    first: SeenRow
    if_absent: SeenRow
    if_present: SeenRow


class PredictionPage(NamedTuple):
    """A page, as far as it explains predictions; a part that it does not have is empty."""

    maps: Mapping[str, SeenMap]
    """Option -> its map; a page about one prediction has the option ''."""
    rows: Mapping[str, Sequence[SeenRow]]
    """Option -> its rows."""
    fork: SeenFork | None


def prediction_page(trial: Trial) -> PredictionPage | None:
    """Read the explanation of a page; None if it explains no prediction by maps, rows or steps."""
    found = _page_of(trial.explanation)
    return found if found is not None and (found.maps or found.rows or found.fork) else None


def _page_of(explanation: Explanation | None) -> PredictionPage | None:
    match explanation:
        case Heatmap():
            return PredictionPage(_maps(explanation), {}, None)
        case PrototypeMatches():
            return PredictionPage({}, {"": [SeenRow(explanation.picture, row) for row in explanation.rows]}, None)
        case TreePath():
            steps = [SeenRow(explanation.picture, step) for step in explanation.steps]
            return PredictionPage({}, {"": steps}, _fork(explanation.picture, explanation.fork))
        case Alternatives():
            pages = [_page_of(option) for option in explanation.options]
            rows = {str(k): page.rows.get("", ()) for k, page in enumerate(pages, start=1) if page is not None}
            maps = {str(k): page.maps[""] for k, page in enumerate(pages, start=1) if page and "" in page.maps}
            return PredictionPage(maps, rows, None)
        case Several():
            return next((page for page in map(_page_of, explanation.parts) if page is not None), None)
        case _:
            return None


def _maps(heatmap: Heatmap) -> dict[str, SeenMap]:
    reach = max(abs(limit) for limit in heatmap.limits)
    grids = [SeenMap(layer_values(layer, heatmap.limits) / reach, heatmap.picture) for layer in heatmap.layers]
    return {"": grids[0]} if len(grids) == 1 else {str(k): grid for k, grid in enumerate(grids, start=1)}


def _fork(picture: ShownPicture, fork: TreeFork | None) -> SeenFork | None:
    if fork is None:
        return None
    return SeenFork(*(SeenRow(picture, step) for step in (fork.first, fork.if_absent, fork.if_present)))
