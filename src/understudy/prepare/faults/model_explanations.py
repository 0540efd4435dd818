"""Faults of explanations of whole models: pages that cannot show them, and levels that bind too little."""

from collections.abc import Iterator

from understudy.errors import UnknownName
from understudy.prepare.bindings import bound_for, explaining_factors, level_combinations
from understudy.prepare.faults.naming import listed
from understudy.registry import create, names, offers
from understudy.roles import HasRecording, ModelExplainer, ShowsExplanation
from understudy.schema import Block, Loop, Screen, Stage, Study, blocks_in


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
