"""Outcomes that cannot vary among the people who are analysed: a gate or an exclusion fixes them, or nobody has them."""

import json
from collections.abc import Iterator

from understudy.prepare.answerable.met import measured_blocks
from understudy.prepare.answerable.survivors import kept_values, n_trials
from understudy.prepare.prepared import Prepared
from understudy.registry import create, entry
from understudy.roles import ReadsFacts
from understudy.schema import MeasureUse, Outcome, Study, blocks_in, functions_in, names_in, rule_from_text


def variation_faults(prepared: Prepared) -> Iterator[str]:
    """Yield the outcomes that are the same for everybody who is analysed."""
    study = prepared.study
    yield from _excluded(prepared)
    for outcome in study.plan.outcomes:
        use = next((use for use in study.measures if use.name == outcome.measure), None)
        if use is None:
            continue
        yield from _never_known(prepared, outcome.name, use)
        yield from _gated(study, outcome.name, use)
        yield from _filtered(outcome, use)


def _never_known(prepared: Prepared, outcome: str, use: MeasureUse) -> Iterator[str]:
    """Yield the attributes of items that an outcome is measured by and that no item has."""
    measure = create("measures", use.ref)
    if not isinstance(measure, ReadsFacts):
        return
    blocks, truth = measured_blocks(prepared.study, use.name), prepared.key.truth
    sets = [one for one in prepared.materials.trial_sets if one.block_id in blocks]
    known = {name for one in sets for trial_id in one.trial_ids for name in truth.get(trial_id, {})}
    for name in sorted(set(measure.read_facts) - known):
        yield (
            f"Outcome {outcome!r} is missing for everybody: it reads the attribute {name!r}, which no item of its blocks "
            f"has. Items have: {', '.join(sorted(known)) or 'none'}."
        )


def _gated(study: Study, outcome: str, use: MeasureUse) -> Iterator[str]:
    """Yield an outcome that only counts blocks which one must pass without a mistake."""
    if use.measure.name != "correct":
        return
    counted = measured_blocks(study, use.name)
    blocks = [block for block in blocks_in(study.flow) if block.block_id in counted]
    gates = [block.gate for block in blocks]
    if blocks and all(
        gate is not None and gate.measure in (None, use.name) and gate.at_least >= 1 and gate.on_fail == "screen_out"
        for gate in gates
    ):
        names = ", ".join(repr(block.block_id) for block in blocks)
        yield (
            f"Outcome {outcome!r} cannot vary: only people without a mistake pass the gate of {names}, where it is "
            "measured. Lower the gate, or measure another block."
        )


def _excluded(prepared: Prepared) -> Iterator[str]:
    """Yield exclusions that keep nobody, and outcomes of which they leave one value."""
    for exclusions, values in kept_values(prepared):
        names = ", ".join(repr(exclusion.exclusion_id) for exclusion in exclusions)
        if not all(values.values()):
            # One of several rules holds for everybody, not always the same.
            who = names if len(exclusions) == 1 else f"one of {names}"
            yield f"The exclusions keep nobody: whatever people do, {who} takes them out. Change a rule."
            continue
        for name, kept in values.items():
            if len(kept) == 1:
                yield from _pinned(prepared, name, next(iter(kept)))


def _pinned(prepared: Prepared, name: str, value: float) -> Iterator[str]:
    """Yield the outcomes that are the same for everybody once this measure of sessions has one value."""
    fixed = next((use for use in prepared.study.measures if use.name == name), None)
    for outcome in prepared.study.plan.outcomes:
        use = next((use for use in prepared.study.measures if use.name == outcome.measure), None)
        if fixed is None or use is None or _answers(use) != _answers(fixed):
            continue
        is_same = use.name == name
        is_share = {use.summary, fixed.summary} <= {"mean", "sum", None} and not outcome.by and outcome.where is None
        # Single answers vary among people who are all half right.
        varies = outcome.summary not in ("mean", "sum") and value not in (0, _most(prepared, fixed))
        if is_same or (is_share and not varies):
            yield (
                f"Outcome {outcome.name!r} cannot vary: the exclusions read it too, and everybody who is kept has "
                f"{value:g}{'' if is_same else f' as {name!r}'}. Change one of them."
            )


def _most(prepared: Prepared, use: MeasureUse) -> float:
    return float(n_trials(prepared, use)) if use.summary == "sum" else 1.0


def _answers(use: MeasureUse) -> str:
    return json.dumps([use.measure.model_dump(mode="json"), use.blocks, use.over])


def _filtered(outcome: Outcome, use: MeasureUse) -> Iterator[str]:
    """Yield an outcome of yes or no whose own rule keeps one of the two."""
    is_binary = getattr(entry("measures", use.measure.name), "scale", None) == "binary"
    if outcome.where is None or not is_binary or names_in(outcome.where) != {use.name} or functions_in(outcome.where):
        return
    kept = [value for value in (0.0, 1.0) if rule_from_text(outcome.where)({use.name: value})]
    if len(kept) < 2 and outcome.summary not in ("count", "sum"):
        left = f"answers with {kept[0]:g}" if kept else "no answer"
        yield f"Outcome {outcome.name!r} cannot vary: its `where` ({outcome.where}) keeps {left} only. Correct the rule."
