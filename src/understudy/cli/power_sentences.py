"""What a grid of power says, in sentences: the people an effect needs, and the effect that people can show."""

from collections.abc import Iterator, Sequence

from understudy.schema import PowerPoint
from understudy.workflow.power.answers import DetectableEffect, NeededSize, detectable_effects, needed_sizes


def power_sentences(
    points: Sequence[PowerPoint], *, smallest: float | None, target: float, currency: str
) -> Iterator[str]:
    """Yield one sentence per hypothesis: of the smallest effect of interest if there is one, of each size otherwise."""
    if smallest is None:
        yield from (_of_effect(found, target) for found in detectable_effects(points, target))
        return
    largest = max(point.quota for point in points)
    for needed in needed_sizes(points, smallest, target):
        yield _of_size(needed, f"{target:.0%} power for an effect of {smallest:g}", largest, currency)


def _of_size(needed: NeededSize, wanted: str, largest: int, currency: str) -> str:
    about = _about(needed.hypothesis_id, needed.n_items)
    if needed.quota is None:
        return f"{about} needs more than {largest} people per condition for {wanted}: add larger sizes to --n."
    enough = "at most " if needed.is_bound else ""
    cost = f" and about {needed.cost:,.0f} {currency}" if needed.cost is not None else ""
    return f"{about} needs {enough}{needed.quota} people per condition for {wanted}: {needed.recruited:.0f} to recruit{cost}."


def _of_effect(found: DetectableEffect, target: float) -> str:
    about = f"{_about(found.hypothesis_id, found.n_items)}: with {found.quota} people per condition,"
    if found.effect is None:
        return f"{about} no effect size you tried reaches {target:.0%} power."
    shown = (
        f"even {found.effect:.2g}, the smallest effect you tried,"
        if found.is_bound
        else f"an effect of {found.effect:.2g}"
    )
    return f"{about} {shown} reaches {target:.0%} power."


def _about(hypothesis_id: str, n_items: int | None) -> str:
    return hypothesis_id if n_items is None else f"{hypothesis_id} with {n_items} items"
