"""A made-up explanation of every kind, to look at: in the gallery of the documentation, in notebooks and in tests."""

from collections.abc import Mapping
from typing import NamedTuple

from understudy.protocols.hase2020.examples import example_of
from understudy.schema import (
    Alternatives,
    Explanation,
    GridCell,
    Heatmap,
    PictureGrid,
    PrototypeMatch,
    PrototypeMatches,
    PrototypeTree,
    Region,
    Several,
    TreeDecision,
    TreePath,
    TreeStep,
)

DOOR = Region(left=0.36, top=0.58, width=0.16, height=0.27)
ROOF = Region(left=0.22, top=0.2, width=0.44, height=0.26)
CROWN = Region(left=0.69, top=0.24, width=0.27, height=0.35)


class Sample(NamedTuple):
    """An explanation, and the pictures that it shows."""

    explanation: Explanation
    files: Mapping[str, bytes] = {}


def sample_explanations() -> dict[str, Sample]:
    """Return one explanation of each kind by the name of the kind."""
    rows = {kind: _example(kind, is_text=False) for kind in ("attribution", "rule", "similar_case", "path")}
    words = _example("attribution", is_text=True)
    house = example_of("heatmap", is_text=False)
    heatmap = house.explanation
    if not isinstance(heatmap, Heatmap):
        raise AssertionError("the made-up picture has no heat map")
    shown = heatmap.picture
    match = PrototypeMatch(row_id="door", region=DOOR, source=shown, source_region=ROOF, similarity=0.82)
    other = PrototypeMatch(row_id="roof", region=ROOF, source=shown, source_region=CROWN, similarity=0.41)
    steps = tuple(TreeStep(**row.model_dump(), is_present=row is match) for row in (match, other))
    forks = (
        TreeDecision(absent=-1, present=1, source=shown, source_region=ROOF),
        TreeDecision(absent=-2, present=-3, source=shown, source_region=DOOR),
    )
    cells = tuple(GridCell(picture=shown, caption=caption) for caption in ("barn", "unsure", "house"))
    of_picture: dict[str, Explanation] = {
        "heatmap": heatmap,
        "prototype_matches": PrototypeMatches(picture=shown, rows=(match, other)),
        "tree_path": TreePath(picture=shown, steps=steps),
        "prototype_tree": PrototypeTree(decisions=forks, ends=("barn", "shed", "house"), visited=(0, 1, -3)),
        "picture_grid": PictureGrid(rows=(cells, cells[::-1]), column_headings=("low", "middle", "high")),
    }
    pictures = {kind: Sample(explanation, house.picture_file) for kind, explanation in of_picture.items()}
    several = Several(parts=(rows["attribution"], rows["rule"]))
    return {
        **{kind: Sample(explanation) for kind, explanation in rows.items()},
        "token_attribution": Sample(words),
        **pictures,
        "alternatives": Sample(Alternatives(options=(rows["rule"], rows["rule"]))),
        "several": Sample(several),
    }


def _example(kind: str, *, is_text: bool) -> Explanation:
    explanation = example_of(kind, is_text=is_text).explanation
    if explanation is None:
        raise AssertionError(f"the made-up case has no explanation of the kind {kind}")
    return explanation
