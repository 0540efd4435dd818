"""Faults of item sets."""

from collections.abc import Iterator
from math import prod

from understudy.prepare.bindings import bound_for, item_set_of, level_combinations
from understudy.prepare.faults.naming import listed, repeated, unknown
from understudy.schema import ItemSet, Stage, Study, blocks_in


def item_faults(study: Study) -> Iterator[str]:
    """Yield the faults of item sets and of stages that use them."""
    sets = {item_set.name: item_set for item_set in study.item_sets}
    yield from repeated("Item set", (item_set.name for item_set in study.item_sets))
    for item_set in study.item_sets:
        yield from _apart_faults(item_set, sets)
        yield from _rotation_faults(study, item_set)
        yield from _dealing_faults(study, item_set)
        yield from _balance_faults(study, item_set)
        yield from _matching_faults(item_set)
        if item_set.dataset is None and not _is_bound_everywhere(study):
            yield (
                f"Item set {item_set.name!r} has no dataset, and the bindings do not give one in every condition. "
                "Name one in the set, or bind one."
            )
    yield from _idle_faults(study)
    for stage in (block for block in blocks_in(study.flow) if isinstance(block, Stage)):
        shown_set = item_set_of(study, stage)
        if shown_set is not None and stage.n_items is not None and stage.n_items > shown_set.n_items:
            yield (
                f"Stage {stage.block_id!r} shows {stage.n_items} items of {shown_set.name!r}, which has "
                f"{shown_set.n_items}. Show fewer, or enlarge the set."
            )
        yield from _choice_faults(stage)


def _choice_faults(stage: Stage) -> Iterator[str]:
    where = f"Stage {stage.block_id!r}"
    if stage.subset != "same" and stage.n_items is None:
        yield f"{where} draws a subset ({stage.subset}) of all its items. Say how many with n_items."
    if stage.candidates is not None and not stage.explains:
        yield f"{where} explains {stage.candidates} candidate classes, but shows no explanations. Set explains, or drop candidates."
    if stage.together is not None and stage.order == "balanced":
        yield (
            f"{where} keeps items of one {stage.together!r} together, which no balanced order does. "
            "Use order shuffled, or drop together."
        )


def _idle_faults(study: Study) -> Iterator[str]:
    used = [item_set_of(study, block) for block in blocks_in(study.flow) if isinstance(block, Stage)]
    if None in used:
        # A stage without its set is a fault of the flow, and that set would seem unused.
        return
    for item_set in study.item_sets:
        if item_set not in used:
            yield f"Item set {item_set.name!r} is used by no stage; use it or remove it."


def _apart_faults(item_set: ItemSet, sets: dict[str, ItemSet]) -> Iterator[str]:
    for other in item_set.apart_from:
        if other == item_set.name:
            yield f"Item set {item_set.name!r} cannot be kept apart from itself; name other sets."
        elif other not in sets:
            yield unknown("item set", other, sets, where=f"Item set {item_set.name!r}, apart_from,")
    circle = _circle_from(item_set.name, sets)
    if len(circle) > 1 and item_set.name == min(circle):
        yield f"Item sets {listed(map(repr, circle))} are each drawn after the other. Break the circle."


def _circle_from(name: str, sets: dict[str, ItemSet]) -> list[str]:
    """Return the chain of apart_from that leads from a set back to it, or an empty list."""
    chains = [[name]]
    seen: set[str] = set()
    while chains:
        chain = chains.pop()
        for other in sets[chain[-1]].apart_from if chain[-1] in sets else ():
            if other == name:
                return chain
            if other not in seen:
                seen.add(other)
                chains.append([*chain, other])
    return []


def _rotation_faults(study: Study, item_set: ItemSet) -> Iterator[str]:
    if item_set.rotates_over is None:
        return
    within = {factor.name: factor for factor in study.factors if factor.scope == "within"}
    if item_set.rotates_over not in within:
        yield unknown(
            "within-factor", item_set.rotates_over, within, where=f"Item set {item_set.name!r}, rotates_over,"
        )
    elif item_set.n_items % len(within[item_set.rotates_over].levels):
        n_levels = len(within[item_set.rotates_over].levels)
        yield (
            f"Item set {item_set.name!r} deals {item_set.n_items} items over {n_levels} levels of {item_set.rotates_over!r}, "
            f"which cannot be split evenly. Use a multiple of {n_levels}."
        )


def _dealing_faults(study: Study, item_set: ItemSet) -> Iterator[str]:
    if item_set.dealt_over is None:
        return
    where = f"Item set {item_set.name!r}"
    between = {factor.name: factor for factor in study.factors if factor.scope == "between"}
    if item_set.dealt_over not in between:
        yield unknown("between-factor", item_set.dealt_over, between, where=f"{where}, dealt_over,")
        return
    n_levels = len(between[item_set.dealt_over].levels)
    if item_set.n_items % n_levels:
        yield (
            f"{where} deals {item_set.n_items} items to {n_levels} levels of {item_set.dealt_over!r}, which cannot be "
            f"split evenly. Use a multiple of {n_levels}."
        )
    if item_set.rotates_over is not None:
        yield f"{where} is both dealt over {item_set.dealt_over!r} and rotated over {item_set.rotates_over!r}. Choose one."


def _balance_faults(study: Study, item_set: ItemSet) -> Iterator[str]:
    declared = {factor.name: factor.levels for factor in study.factors if factor.scope == "item"}
    if item_set.strata and all(name in declared for name in item_set.strata):
        n_strata = prod(len(declared[name]) for name in item_set.strata)
        if item_set.n_items % n_strata:
            yield (
                f"Item set {item_set.name!r} cannot be balanced: {item_set.n_items} items over {n_strata} strata "
                f"({' x '.join(item_set.strata)}). Use a multiple of {n_strata}."
            )


def _matching_faults(item_set: ItemSet) -> Iterator[str]:
    where = f"Item set {item_set.name!r}"
    if item_set.matched_on and not item_set.strata:
        yield (
            f"{where} is matched on {listed(map(repr, item_set.matched_on))}, but has no strata to match. "
            "Name them in strata, such as model_is, or leave matched_on out."
        )
    if item_set.matching == "exact" and not item_set.matched_on:
        yield f"{where} wants an exact match, but names nothing in matched_on. Name it, or leave matching out."
    if item_set.matched_on and item_set.distinct_on:
        yield f"{where} has both matched_on and distinct_on, which contradict each other. Leave one of them out."
    for name in item_set.matched_on:
        if name in item_set.strata:
            yield f"{where} is both matched on {name!r} and balanced over it. Name it in one of the two."


def _is_bound_everywhere(study: Study) -> bool:
    names = tuple({name for binding in study.bindings if binding.dataset for name in binding.when})
    combinations = level_combinations(study, names)
    return bool(combinations) and all(bound_for(study, levels).dataset is not None for levels in combinations)
