"""Items that differ between arms: a difference between arms could come from the items alone."""

from collections.abc import Iterator, Mapping, Sequence

from understudy.prepare.answerable.met import measured_blocks, met_blocks, trial_ids_of
from understudy.prepare.bindings import bound_for
from understudy.prepare.prepared import Prepared
from understudy.schema import AnalysisChoice, Hypothesis, Levels, Ref, Stage, Study


def item_confounds(prepared: Prepared) -> Iterator[str]:
    """Yield the contrasts whose two sides judge partly or wholly other items of the same data."""
    for hypothesis in prepared.study.plan.hypotheses:
        contrast = contrast_of(hypothesis, prepared.study)
        if contrast is None or hypothesis.factor is None:
            continue
        first, second = (_items_at(prepared, hypothesis, level) for level in contrast)
        shared = first & second
        if not first or not second or first == second:
            continue
        if _have_other_models(prepared.study, hypothesis.factor, contrast):
            continue  # items are drawn by what each model gets right, so each model has its own
        if not shared and not _has_same_data(prepared.study, hypothesis.factor, contrast):
            continue  # the data themselves are what is compared
        yield (
            f"Hypothesis {hypothesis.hypothesis_id!r} compares {contrast[0]!r} with {contrast[1]!r} of "
            f"{hypothesis.factor!r}, but they share only {len(shared)} of {max(len(first), len(second))} items, so easier "
            "items could make the difference. Give both the same dataset and item set."
        )


def single_items(prepared: Prepared) -> Iterator[str]:
    """Yield the models of people and items whose outcome is measured on one item."""
    for hypothesis in prepared.study.plan.hypotheses:
        models = [ref.name for ref in _refs(hypothesis.analysis) if _draws_items(ref)]
        items = {
            item for level in _levels(hypothesis, prepared.study) for item in _items_at(prepared, hypothesis, level)
        }
        if models and len(items) == 1:
            yield (
                f"Hypothesis {hypothesis.hypothesis_id!r} uses {models[0]!r}, which takes items as a sample, but its outcome is "
                "measured on one item. Add items, or give the outcome a summary and compare people."
            )


def _refs(choice: AnalysisChoice) -> Iterator[Ref]:
    if isinstance(choice, Ref):
        yield choice
    else:
        yield from _refs(choice.if_holds)
        yield from _refs(choice.if_fails)


def _draws_items(ref: Ref) -> bool:
    if ref.name == "two_way_bootstrap":
        return True
    random = ref.params.get("random", "maximal")
    groups = (
        [term["group"] if isinstance(term, Mapping) else term for term in random]
        if isinstance(random, Sequence)
        else []
    )
    return ref.name in ("linear_mixed", "logistic_mixed", "ordinal_mixed") and (random == "maximal" or "item" in groups)


def _levels(hypothesis: Hypothesis, study: Study) -> tuple[str, ...]:
    factor = next((factor for factor in study.factors if factor.name == hypothesis.factor), None)
    return () if factor is None else factor.levels


def contrast_of(hypothesis: Hypothesis, study: Study) -> tuple[str, str] | None:
    """Return the two compared levels of a factor between or within people; None for anything else."""
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


def _have_other_models(study: Study, factor: str, contrast: tuple[str, str]) -> bool:
    levels: list[Levels] = [{**study.cells[0].levels, factor: level} for level in contrast]
    first, second = (bound_for(study, chosen).model for chosen in levels)
    return first != second


def _has_same_data(study: Study, factor: str, contrast: tuple[str, str]) -> bool:
    if all(item_set.dataset is not None for item_set in study.item_sets):
        return False  # sets of their own are shown by blocks of their own
    levels: list[Levels] = [{**study.cells[0].levels, factor: level} for level in contrast]
    first, second = (bound_for(study, chosen).dataset for chosen in levels)
    return first == second
