"""Outcomes that cannot vary among the people who are analysed, because a gate or an exclusion fixes them."""

from collections.abc import Iterator

from understudy.prepare.answerable.met import measured_blocks
from understudy.schema import MeasureUse, Study, blocks_in, functions_in, names_in, rule_from_text

_SHARES = tuple(step / 20 for step in range(21))


def variation_faults(study: Study) -> Iterator[str]:
    """Yield the outcomes that are the same for everybody who is analysed."""
    for outcome in study.plan.outcomes:
        use = next((use for use in study.measures if use.name == outcome.measure), None)
        if use is None:
            continue
        yield from _gated(study, outcome.name, use)
        yield from _pinned(study, outcome.name, use)


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


def _pinned(study: Study, outcome: str, use: MeasureUse) -> Iterator[str]:
    """Yield an outcome of which the exclusions leave one value."""
    if use.summary not in ("mean", "max", "min") or use.measure.name != "correct":
        return
    rules = [
        exclusion.rule
        for exclusion in study.exclusions
        if exclusion.rule is not None and names_in(exclusion.rule) == {use.name} and not functions_in(exclusion.rule)
    ]
    if not rules:
        return
    kept = [share for share in _SHARES if not any(rule_from_text(rule)({use.name: share}) for rule in rules)]
    if len(kept) < 2:
        left = f"everybody who is kept has {kept[0]:g}" if kept else "they keep nobody"
        yield f"Outcome {outcome!r} cannot vary: the exclusions read it too, and {left}. Change one of them."
