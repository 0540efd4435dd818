"""Items that differ between arms: a difference between arms could come from the items alone."""

from collections.abc import Iterator

from understudy.prepare.answerable.met import measured_blocks, met_blocks, trial_ids_of
from understudy.prepare.bindings import bound_for
from understudy.prepare.prepared import Prepared
from understudy.schema import Hypothesis, Levels, Stage, Study


def item_confounds(prepared: Prepared) -> Iterator[str]:
    """Yield the contrasts whose two sides judge partly or wholly other items of the same data."""
    for hypothesis in prepared.study.plan.hypotheses:
        contrast = _contrast(hypothesis, prepared.study)
        if contrast is None or hypothesis.factor is None:
            continue
        first, second = (_items_at(prepared, hypothesis, level) for level in contrast)
        shared = first & second
        if not first or not second or first == second:
            continue
        if not shared and not _has_same_data(prepared.study, hypothesis.factor, contrast):
            continue  # the data themselves are what is compared
        yield (
            f"Hypothesis {hypothesis.hypothesis_id!r} compares {contrast[0]!r} with {contrast[1]!r} of "
            f"{hypothesis.factor!r}, but they share only {len(shared)} of {max(len(first), len(second))} items, so easier "
            "items could make the difference. Give both the same dataset and item set."
        )


def _contrast(hypothesis: Hypothesis, study: Study) -> tuple[str, str] | None:
    factor = next((factor for factor in study.factors if factor.name == hypothesis.factor), None)
    if factor is None or factor.scope not in ("between", "within"):
        return None
    if hypothesis.contrast is not None:
        return hypothesis.contrast[0], hypothesis.contrast[1]
    return (factor.levels[0], factor.levels[1]) if len(factor.levels) == 2 else None


def _items_at(prepared: Prepared, hypothesis: Hypothesis, level: str) -> frozenset[str]:
    """Return the items that people at this level can be measured on."""
    study, trials = prepared.study, prepared.materials.trials
    measure = next((outcome.measure for outcome in study.plan.outcomes if outcome.name == hypothesis.outcome), "")
    blocks = measured_blocks(study, measure)
    found = {
        trials[trial_id].stimulus_id
        for cell in study.cells
        for met in met_blocks(study, cell.levels)
        if isinstance(met.block, Stage)
        and met.block.block_id in blocks
        and met.levels.get(hypothesis.factor or "") == level
        for trial_id in trial_ids_of(prepared, met)
    }
    return frozenset(name for name in found if name is not None)


def _has_same_data(study: Study, factor: str, contrast: tuple[str, str]) -> bool:
    if all(item_set.dataset is not None for item_set in study.item_sets):
        return False  # sets of their own are shown by blocks of their own
    levels: list[Levels] = [{**study.cells[0].levels, factor: level} for level in contrast]
    first, second = (bound_for(study, chosen).dataset for chosen in levels)
    return first == second
