"""Bindings: which data, model and explanation belong to a combination of levels."""

from itertools import product
from typing import NamedTuple

from understudy.schema import ItemSet, Levels, Ref, Stage, Study, blocks_in, matches


class Bound(NamedTuple):
    """What the bindings of a study give for a combination of levels."""

    dataset: Ref | None
    model: Ref | None
    explainer: Ref | None
    model_explainer: Ref | None = None


def bound_for(study: Study, levels: Levels) -> Bound:
    """Apply the bindings in order; later ones override earlier ones, part by part."""
    dataset = model = explainer = model_explainer = None
    for binding in study.bindings:
        if matches(binding.when, levels):
            dataset = binding.dataset or dataset
            model = binding.model or model
            explainer = binding.explainer or explainer
            model_explainer = binding.model_explainer or model_explainer
    return Bound(dataset, model, explainer, model_explainer)


def item_set_of(study: Study, stage: Stage) -> ItemSet | None:
    """Return the item set a stage shows, through the stages it repeats."""
    stages = {block.block_id: block for block in blocks_in(study.flow) if isinstance(block, Stage)}
    # A study file may have stages that repeat each other in a circle, which is a fault found elsewhere.
    seen: set[str] = set()
    while stage.items is None and stage.repeats in stages and stage.block_id not in seen:
        seen.add(stage.block_id)
        stage = stages[stage.repeats]
    return next((item_set for item_set in study.item_sets if item_set.name == stage.items), None)


def deciding_factors(study: Study, item_set: ItemSet, *, explains: bool) -> tuple[str, ...]:
    """Return the factors whose levels change the items of a set, or their explanations."""
    names = {*data_factors(study, item_set)}
    for binding in study.bindings:
        if binding.model is not None or (explains and binding.explainer is not None):
            names.update(binding.when)
    return tuple(factor.name for factor in study.factors if factor.name in names)


def data_factors(study: Study, item_set: ItemSet) -> tuple[str, ...]:
    """Return the factors whose levels change the data that a set is drawn from."""
    if item_set.dataset is not None:
        return ()
    deciding = [binding.when for binding in study.bindings if binding.dataset is not None]
    return tuple(factor.name for factor in study.factors if any(factor.name in when for when in deciding))


def explaining_factors(study: Study) -> tuple[str, ...]:
    """Return the factors whose levels change the explanation of a whole model, if there is one."""
    if not any(binding.model_explainer is not None for binding in study.bindings):
        return ()
    deciding = [
        binding.when
        for binding in study.bindings
        if binding.dataset is not None or binding.model is not None or binding.model_explainer is not None
    ]
    return tuple(factor.name for factor in study.factors if any(factor.name in when for when in deciding))


def level_combinations(study: Study, factors: tuple[str, ...]) -> list[Levels]:
    """Return every combination of these factors' levels that a session can have."""
    within = [factor for factor in study.factors if factor.scope == "within" and factor.name in factors]
    combinations: dict[tuple[str, ...], Levels] = {}
    for cell in study.cells:
        for chosen in product(*(factor.levels for factor in within)):
            levels = {**cell.levels, **dict(zip((f.name for f in within), chosen, strict=True))}
            if all(name in levels for name in factors):
                combinations[tuple(levels[name] for name in factors)] = {name: levels[name] for name in factors}
    return list(combinations.values())
