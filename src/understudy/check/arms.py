"""What people meet in each condition: arms that do not differ, levels that are missing, items that are confounded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from understudy.prepare.bindings import bound_for
from understudy.prepare.prepared import Prepared
from understudy.schema import (
    AnalysisChoice,
    Condition,
    Factor,
    Hypothesis,
    Levels,
    Loop,
    Ref,
    Screen,
    Stage,
    Study,
    blocks_in,
    digest_of,
    functions_in,
    json_from_record,
    names_in,
    rule_from_text,
)
from understudy.schema.flow import Block

# What the people of a condition meet: blocks, pages and items.


class MetBlock(NamedTuple):
    """A block of the flow with the levels that a condition has in it."""

    block: Screen | Stage
    levels: Levels


def met_blocks(study: Study, levels: Levels) -> tuple[MetBlock, ...]:
    """Return the blocks that people with these between-levels can meet, once for each level of a loop."""
    return tuple(_met(study, study.flow, levels))


def _met(study: Study, flow: tuple[Block, ...], levels: Levels) -> Iterator[MetBlock]:
    for block in flow:
        if not all(levels.get(name, _first(wanted)) in _options(wanted) for name, wanted in block.when.items()):
            continue
        if isinstance(block, Loop):
            for level in _levels_of(study, block.over):
                yield from _met(study, block.blocks, {**levels, block.over: level})
        else:
            yield MetBlock(block, {**levels, **block.levels})


def _options(wanted: str | tuple[str, ...]) -> tuple[str, ...]:
    return (wanted,) if isinstance(wanted, str) else wanted


def _first(wanted: str | tuple[str, ...]) -> str:
    return _options(wanted)[0]


def _levels_of(study: Study, factor: str) -> tuple[str, ...]:
    return next((known.levels for known in study.factors if known.name == factor), ())


def trial_ids_of(prepared: Prepared, met: MetBlock) -> tuple[str, ...]:
    """Return the trials of a block under these levels."""
    return tuple(
        trial_id
        for trial_set in prepared.materials.trial_sets
        if trial_set.block_id == met.block.block_id
        and all(met.levels.get(name, level) == level for name, level in trial_set.levels.items())
        for trial_id in trial_set.trial_ids
    )


def page_digests(prepared: Prepared) -> dict[str, str]:
    """Return a digest of each page as a person meets it, its right answers included, whatever its id."""
    digests = {}
    for trial_id, trial in prepared.materials.trials.items():
        page = {name: value for name, value in json_from_record(trial).items() if name != "trial_id"}
        digests[trial_id] = digest_of([page, prepared.key.answers.get(trial_id, {})])
    return digests


def measured_blocks(study: Study, measure: str) -> tuple[str, ...]:
    """Return the blocks whose answers a measure of the study counts."""
    main = tuple(block.block_id for block in blocks_in(study.flow) if block.purpose == "main")
    return next((use.blocks or main for use in study.measures if use.name == measure), ())


def planned_blocks(study: Study) -> frozenset[str]:
    """Return the blocks that some outcome of the plan is measured in."""
    return frozenset(block for outcome in study.plan.outcomes for block in measured_blocks(study, outcome.measure))


_REMEDY = "Bind a dataset, model or explainer to its levels, or give a block a `when`."


def arm_faults(prepared: Prepared) -> Iterator[str]:
    """Yield the factors whose levels are the same to everybody, and the conditions that are."""
    study = prepared.study
    pages = _Pages(prepared, page_digests(prepared))
    met = {cell.name: pages.before_outcome(cell.levels) for cell in study.cells}
    idle = [factor for factor in study.factors if factor.scope == "between" and _is_idle(factor, study.cells, met)]
    for factor in idle:
        yield (
            f"Factor {factor.name!r} changes nothing: people at {_listed(factor.levels)} see the same pages until the "
            f"outcomes are measured. {_REMEDY}"
        )
    yield from _equal_conditions(study.cells, met, idle)
    for factor in study.factors:
        if factor.scope == "within" and _is_idle_loop(pages, factor):
            yield (
                f"Factor {factor.name!r} changes nothing: its levels come in random order and have the same pages. "
                f"{_REMEDY} To study learning over turns, give the factor a fixed order."
            )


@dataclass(frozen=True)
class _Pages:
    """Pages by what is on them."""

    prepared: Prepared
    digests: dict[str, str]

    def before_outcome(self, levels: Levels) -> tuple[tuple[str, ...], ...]:
        """Return the pages of each block up to the last one that an outcome is measured in."""
        blocks = met_blocks(self.prepared.study, levels)
        planned = planned_blocks(self.prepared.study)
        measured = [number for number, met in enumerate(blocks) if met.block.block_id in planned]
        # Materials hold a whole set; which part of it a level gets is dealt to each session.
        dealt = [item_set.dealt_over for item_set in self.prepared.study.item_sets if item_set.dealt_over]
        own = tuple(levels.get(factor, "") for factor in dealt)
        return (own, *(self.of(met) for met in blocks[: max(measured, default=len(blocks) - 1) + 1]))

    def of(self, met: MetBlock) -> tuple[str, ...]:
        """Return the pages of one block, sorted: sets that are drawn apart may hold the same items in another order."""
        return (met.block.block_id, *sorted(self.digests[trial_id] for trial_id in trial_ids_of(self.prepared, met)))


def _is_idle(factor: Factor, cells: Sequence[Condition], met: dict[str, tuple[tuple[str, ...], ...]]) -> bool:
    """Return whether conditions that differ in this factor only are always the same."""
    pairs = [
        (first, second)
        for number, first in enumerate(cells)
        for second in cells[number + 1 :]
        if _differences(first, second) == {factor.name}
    ]
    return bool(pairs) and all(met[first.name] == met[second.name] for first, second in pairs)


def _equal_conditions(
    cells: Sequence[Condition], met: dict[str, tuple[tuple[str, ...], ...]], idle: list[Factor]
) -> Iterator[str]:
    known = {factor.name for factor in idle}
    groups: dict[tuple[tuple[str, ...], ...], list[Condition]] = {}
    for cell in cells:
        groups.setdefault(met[cell.name], []).append(cell)
    for group in groups.values():
        # Conditions that differ in an idle factor only are told with the factor.
        if len(group) > 1 and not _differences(group[0], group[1]) <= known:
            yield (
                f"Conditions {_listed([cell.name for cell in group])} are identical: people in them see the same pages "
                f"until the outcomes are measured. Make them differ, or keep one."
            )


def _differences(first: Condition, second: Condition) -> set[str]:
    return {name for name in {*first.levels, *second.levels} if first.levels.get(name) != second.levels.get(name)}


def _is_idle_loop(pages: _Pages, factor: Factor) -> bool:
    study = pages.prepared.study
    if factor.order.name != "random_order" or len(factor.levels) < 2 or not _is_looped(study.flow, factor.name):
        return False
    if any(item_set.rotates_over == factor.name for item_set in study.item_sets) or _is_drawn_anew(study):
        return False
    return all(_turns_are_equal(pages, factor, cell.levels) for cell in study.cells)


def _is_drawn_anew(study: Study) -> bool:
    # Items that are drawn again in each turn make turns different, if not their levels.
    return any(getattr(block, "subset", "same") == "anew" for block in _flat(study.flow))


def _turns_are_equal(pages: _Pages, factor: Factor, levels: Levels) -> bool:
    turns: dict[str, list[tuple[str, ...]]] = {level: [] for level in factor.levels}
    for met in met_blocks(pages.prepared.study, levels):
        if factor.name in met.levels:
            turns[met.levels[factor.name]].append(pages.of(met))
    first, *others = turns.values()
    return all(turn == first for turn in others)


def _is_looped(flow: Sequence[Block], factor: str) -> bool:
    return any(isinstance(block, Loop) and block.over == factor for block in _flat(flow))


def _flat(flow: Sequence[Block]) -> Iterator[Block]:
    for block in flow:
        yield block
        if isinstance(block, Loop):
            yield from _flat(block.blocks)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(map(repr, names[:-1]))} and {names[-1]!r}" if len(names) > 1 else repr(names[0])


# Items that differ between arms: a difference between arms could come from the items alone.


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


# Levels that hypotheses compare and nobody meets, or nobody is measured at.


def level_faults(prepared: Prepared) -> Iterator[str]:
    """Yield the hypotheses about levels without people, items or answers, and outcomes without a page."""
    study = prepared.study
    yield from (
        f"Outcome {outcome.name!r} counts no page: its `where` ({outcome.where}) holds for no block and item that "
        f"{outcome.measure!r} is measured in. Correct the rule."
        for outcome in study.plan.outcomes
        if outcome.where is not None and _counts_nothing(prepared, outcome.measure, outcome.where)
    )
    for hypothesis in study.plan.hypotheses:
        factor = next((factor for factor in study.factors if factor.name == hypothesis.factor), None)
        if factor is None or factor.scope == "question":
            continue
        for level in hypothesis.contrast or factor.levels:
            reason = _unmet(prepared, hypothesis, factor, level)
            if reason:
                yield f"Hypothesis {hypothesis.hypothesis_id!r} compares {level!r} of {factor.name!r}, {reason}"
        yield from _few_people(study, hypothesis, factor)
        if factor.scope == "within" and factor.n_drawn == 1:
            yield (
                f"Hypothesis {hypothesis.hypothesis_id!r} compares levels of {factor.name!r} within people, but each "
                "person gets one of them (n_drawn = 1). Raise n_drawn, or make the factor between."
            )


def _counts_nothing(prepared: Prepared, measure: str, rule: str) -> bool:
    """Return whether a rule over blocks and attributes of items holds nowhere; other rules depend on the answers."""
    blocks, items = measured_blocks(prepared.study, measure), list(prepared.key.strata.values())
    known = {"block", *(name for strata in items for name in strata)}
    if not blocks or not names_in(rule) <= known or functions_in(rule):
        return False
    holds = rule_from_text(rule)
    return not any(holds({**strata, "block": block}) for block in blocks for strata in items or [{}])


def _unmet(prepared: Prepared, hypothesis: Hypothesis, factor: Factor, level: str) -> str:
    study = prepared.study
    outcome = next((outcome for outcome in study.plan.outcomes if outcome.name == hypothesis.outcome), None)
    if _is_filtered(hypothesis.where, factor, level):
        return f"which its own `where` leaves out ({hypothesis.where}). Change one of them."
    if outcome is not None and _is_filtered(outcome.where, factor, level):
        return f"which outcome {outcome.name!r} leaves out ({outcome.where}). Change one of them."
    if factor.scope == "item":
        values = {str(strata.get(factor.name)) for strata in prepared.key.strata.values()}
        values |= {str(truth.get(factor.name)) for truth in prepared.key.truth.values()}
        return "" if level in values else "which no item has. Add such items to the dataset, or change the contrast."
    wanted = [cell for cell in study.cells if study.quota_of(cell) and _has(study, cell, factor.name, level)]
    if not wanted:
        return "which nobody sees: no condition with a quota has it. Raise a quota, or add a block or loop."
    if not any(_is_measured(study, cell, hypothesis, (factor.name, level)) for cell in wanted):
        return f"where nobody is measured: no block of outcome {hypothesis.outcome!r} exists there. Add one."
    return ""


def _is_filtered(rule: str | None, factor: Factor, level: str) -> bool:
    if rule is None or names_in(rule) != {factor.name}:
        return False
    return not rule_from_text(rule)({factor.name: level})


def _has(study: Study, cell: Condition, factor: str, level: str) -> bool:
    return cell.levels.get(factor) == level or any(
        met.levels.get(factor) == level for met in met_blocks(study, cell.levels)
    )


def _is_measured(study: Study, cell: Condition, hypothesis: Hypothesis, at: tuple[str, str]) -> bool:
    factor, level = at
    measure = next((outcome.measure for outcome in study.plan.outcomes if outcome.name == hypothesis.outcome), "")
    blocks = measured_blocks(study, measure)
    if not blocks:
        return True  # a measure of whole sessions
    return any(
        met.block.block_id in blocks and met.levels.get(factor, level) == level
        for met in met_blocks(study, cell.levels)
    )


def _few_people(study: Study, hypothesis: Hypothesis, factor: Factor) -> Iterator[str]:
    if factor.scope != "between":
        return
    for level in hypothesis.contrast or factor.levels:
        n = sum(study.quota_of(cell) for cell in study.cells if cell.levels.get(factor.name) == level)
        if n == 1:
            yield (
                f"Hypothesis {hypothesis.hypothesis_id!r} compares people between levels of {factor.name!r}, but "
                f"{level!r} has a quota of one participant, so there is no spread. Raise its quota."
            )
