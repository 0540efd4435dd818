"""Measures how many prototypes of the shipped networks lie on the background, into hive-prototypes.json.

The creatures that prototypes were taken from are drawn again with the masks of their parts. `python
docs/prototype_places.py` takes seconds; `docs/hive_models.py` writes the table into its page.
"""

import json
from pathlib import Path

from understudy.inference.map_models import shown_tree
from understudy.protocols.kim2022.photos import SHIPPED, card_of
from understudy.schema import MapModelCard
from understudy.worlds.creature_sets import CreatureSet, creature_at, render_creatures

KEPT = Path(__file__).parent / "hive-prototypes.json"
METHODS = ("protopnet", "prototree")
LEAST_SHARE = 0.1
"""A prototype lies on the background if less than this share of its box shows the creature."""


def shares_of(card: MapModelCard) -> list[float]:
    """Return which share of each prototype's box shows the creature."""
    train = CreatureSet(part="train")
    drawn = render_creatures([creature_at(train, prototype.training_index) for prototype in card.prototypes])
    shares = []
    for prototype, creature in zip(card.prototypes, drawn, strict=True):
        height, width = creature.mask.shape
        left, top = round(prototype.region.left * width), round(prototype.region.top * height)
        right = round((prototype.region.left + prototype.region.width) * width)
        bottom = round((prototype.region.top + prototype.region.height) * height)
        shares.append(float((creature.mask[top:bottom, left:right] > 0).mean()))
    return shares


def measured() -> list[dict[str, object]]:
    """Return one row for each network with prototypes."""
    rows: list[dict[str, object]] = []
    for method in METHODS:
        card = card_of(f"{SHIPPED}/{method}")
        is_background = [share < LEAST_SHARE for share in shares_of(card)]
        shown = {node.prototype for node in shown_tree(card).nodes} if card.nodes else {*range(len(is_background))}
        rows.append(
            {
                "method": method,
                "n": len(is_background),
                "background": sum(is_background),
                "share": round(sum(is_background) / len(is_background), 3),
                "shown": len(shown),
                "shown_background": sum(is_background[index] for index in shown),
            }
        )
    return rows


if __name__ == "__main__":
    kept = {"least_share": LEAST_SHARE, "rows": measured()}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
