"""Faults of item sets: their files, their draws, and explanations of whole models."""

from collections.abc import Iterator
from math import prod
from pathlib import Path

from understudy.check.design import listed, repeated, unknown
from understudy.errors import UnderstudyError, UnknownName
from understudy.prepare.assets import asset_faults, file_fault, with_paths
from understudy.prepare.bindings import bound_for, explaining_factors, item_set_of, level_combinations
from understudy.registry import create, names, offers
from understudy.roles import HasRecording, ModelExplainer, ShowsExplanation
from understudy.schema import Block, ItemSet, Loop, Ref, Screen, Stage, Study, blocks_in
from understudy.sources.files import NamedFile, NamesFiles

MAX_NAMED = 20
"""Faults of one dataset that are named one by one."""


def item_file_faults(study: Study, root: Path) -> Iterator[str]:
    """Yield the faults of files that items name, in every dataset of the study."""
    datasets = [(f"Item set {item_set.name!r}", item_set.dataset) for item_set in study.item_sets]
    datasets += [(f"Binding {number}", binding.dataset) for number, binding in enumerate(study.bindings, start=1)]
    for where, ref in datasets:
        faults = [] if ref is None else _faults_of(ref, root)
        yield from (f"{where}, {fault}" for fault in faults[:MAX_NAMED])
        if len(faults) > MAX_NAMED:
            yield f"{where}, {len(faults) - MAX_NAMED} more files have such faults."


def _faults_of(ref: Ref, root: Path) -> list[str]:
    try:
        if any(asset_faults("datasets", ref, root)):
            return []
        dataset = create("datasets", with_paths("datasets", ref, root))
        named = dataset.named_files() if isinstance(dataset, NamesFiles) else []
    except UnderstudyError:
        # What keeps a dataset from being opened is reported with its name, or when its items are drawn.
        return []
    folder = (dataset.file_folder if isinstance(dataset, NamesFiles) else None) or root
    return [fault for file in named if (fault := _fault(file, folder)) is not None]


def _fault(file: NamedFile, folder: Path) -> str | None:
    where = f"{file.item}, {file.field!r}"
    if not file.is_declared:
        return (
            f"{where}: {file.path!r} looks like a picture, but is not shipped with the study. Declare {file.field!r} under "
            "`files` of the dataset."
        )
    fault = file_fault(folder, file.path)
    return None if fault is None else f"{where}: {file.path!r} {fault}"


# Faults of item sets.


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


# Faults of explanations of whole models: pages that cannot show them, and levels that bind too little.


def model_explanation_faults(study: Study) -> Iterator[str]:
    """Yield the faults of blocks that explain a model, and of what is bound for them."""
    is_bound = any(binding.model_explainer is not None for binding in study.bindings)
    explaining = [block for block in blocks_in(study.flow) if block.explains_model]
    if is_bound and not explaining:
        yield "A model explainer is bound, but no block shows what it says. Give a block explains_model = true."
    within = {factor.name for factor in study.factors if factor.scope == "within"} & {*explaining_factors(study)}
    for block in explaining:
        yield from _block_faults(block, is_bound=is_bound)
        unmet = sorted(within - {*block.levels} - _loops_around(study.flow, block.block_id))
        if unmet:
            yield (
                f"Block {block.block_id!r} explains a model that depends on {listed(unmet)}, but is in no loop over "
                "it. Move the block into the loop, or give it a level."
            )
    for levels in level_combinations(study, explaining_factors(study)) if is_bound else ():
        yield from _bound_faults(study, levels)


def _block_faults(block: Screen | Stage, *, is_bound: bool) -> Iterator[str]:
    if not is_bound:
        yield f"Block {block.block_id!r} explains a model, but no binding names a model_explainer. Bind one."
    if block.task.name in names("tasks") and not offers("tasks", block.task.name, ShowsExplanation):
        able = [name for name in names("tasks") if offers("tasks", name, ShowsExplanation)]
        yield (
            f"Block {block.block_id!r} explains a model, but its task {block.task.name!r} draws no explanation. "
            f"Tasks that do: {listed(able)}."
        )


def _bound_faults(study: Study, levels: dict[str, str]) -> Iterator[str]:
    bound = bound_for(study, levels)
    if bound.model_explainer is None or offers("model_explainers", bound.model_explainer.name, HasRecording):
        return
    where = f"Model explainer {bound.model_explainer.name!r}" + (f" ({listed(levels.values())})" if levels else "")
    if bound.model is None:
        yield f"{where} has no model to explain. Bind one to the same levels."
    try:
        explainer: ModelExplainer = create("model_explainers", bound.model_explainer)
    except UnknownName:
        return  # the catalogue reports it
    if explainer.dataset is None and bound.dataset is None:
        yield f"{where} has no dataset to draw from. Name one in it, or bind one to the same levels."


def _loops_around(flow: tuple[Block, ...], block_id: str) -> set[str]:
    """Return the factors of the loops around a block."""
    for block in flow:
        if isinstance(block, Loop) and any(inner.block_id == block_id for inner in blocks_in(block.blocks)):
            return {block.over, *_loops_around(block.blocks, block_id)}
    return set()
