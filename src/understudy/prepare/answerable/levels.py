"""Levels that hypotheses compare and nobody meets, or nobody is measured at."""

from collections.abc import Iterator

from understudy.prepare.answerable.met import measured_blocks, met_blocks
from understudy.prepare.prepared import Prepared
from understudy.schema import Condition, Factor, Hypothesis, Study, functions_in, names_in, rule_from_text


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
