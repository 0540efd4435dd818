"""What the card of a map model says to a study: how accurate the model is, and how many rows its explanations have."""

from understudy.errors import MaterialsError
from understudy.schema import MapModelCard

MOST_STEPS = 9
MOST_ROWS = 10


def accuracy_of(card: MapModelCard) -> float:
    """Return how many per cent of test photos a model gets right, with one decimal."""
    scored = card.scores.get("accuracy")
    share = scored.get("test") if isinstance(scored, dict) else scored
    if not isinstance(share, int | float):
        raise MaterialsError(f"The card of {card.name!r} does not say how accurate the model is. Train it again.")
    return round(100 * share, 1)


def most_rows_of(card: MapModelCard) -> int:
    """Return the most prototypes of a class, or steps of a path, that a page shows."""
    if card.method == "tree":
        return MOST_STEPS
    rows = [sum(prototype.label == label for prototype in card.prototypes) for label in card.labels]
    return max(1, min(MOST_ROWS, max(rows)))
