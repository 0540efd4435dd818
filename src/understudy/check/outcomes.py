"""Tests that are decided before anybody answers: by values, exclusions, stop rules or a lack of variation."""

import ast
import json
from collections.abc import Iterator, Mapping
from itertools import product
from math import comb, prod

from understudy.check.arms import measured_blocks, met_blocks, trial_ids_of
from understudy.prepare.prepared import Prepared
from understudy.registry import create, entry
from understudy.roles import ReadsFacts
from understudy.schema import (
    Choice,
    Exclusion,
    Hypothesis,
    MeasureUse,
    Outcome,
    Ref,
    Screen,
    Stage,
    Study,
    blocks_in,
    functions_in,
    names_in,
    rule_from_text,
)
from understudy.tasks.consent import AGREES, DECLINES

_BY_RANKS = frozenset({"rank_sum", "fisher"})
_BY_SIGNS = frozenset({"signed_rank", "mcnemar"})
_WITHOUT_TEST = frozenset({"mean", "proportion", "cronbach_alpha", "omega", "krippendorff_alpha"})
_LARGEST_ALPHA = 0.5


def decided_faults(study: Study) -> Iterator[str]:
    """Yield the hypotheses whose verdict does not depend on the data."""
    if study.plan.alpha >= _LARGEST_ALPHA:
        yield (
            f"The plan's alpha is {study.plan.alpha:g}, so chance alone supports a claim more often than not. "
            "Use 0.05 or less."
        )
    for hypothesis in study.plan.hypotheses:
        about = f"Hypothesis {hypothesis.hypothesis_id!r}"
        if _is_share(study, hypothesis.outcome):
            yield from _beyond_shares(about, hypothesis)
        yield from _out_of_reach(about, hypothesis, study)
        yield from _locked(about, hypothesis, study)
        if hypothesis.other is not None and _data(study, hypothesis.other) == _data(study, hypothesis.outcome):
            yield (
                f"{about} relates {hypothesis.outcome!r} to {hypothesis.other!r}, but both summarise the same answers, so "
                "they go together whatever people do. Name another outcome in `other`."
            )


def _locked(about: str, hypothesis: Hypothesis, study: Study) -> Iterator[str]:
    """Yield a hypothesis that waits for one without a test."""
    first = next((known for known in study.plan.hypotheses if known.hypothesis_id == hypothesis.requires), None)
    if first is not None and isinstance(first.analysis, Ref) and first.analysis.name in _WITHOUT_TEST:
        yield (
            f"{about} is never tested: it requires {first.hypothesis_id!r}, whose analysis {first.analysis.name!r} has no "
            "test and so is never supported. Require a hypothesis with a test."
        )


def _is_share(study: Study, name: str) -> bool:
    """Return whether an outcome is a share of right answers, or single ones: nothing lies outside 0 to 1."""
    outcome = next((outcome for outcome in study.plan.outcomes if outcome.name == name), None)
    use = next((use for use in study.measures if outcome is not None and use.name == outcome.measure), None)
    if outcome is None or use is None:
        return False
    is_binary = getattr(entry("measures", use.measure.name), "scale", None) == "binary"
    return is_binary and outcome.summary in ("mean", None) and use.summary in ("mean", None)


def _data(study: Study, name: str) -> str:
    """Return which answers an outcome summarises, whatever it makes of them."""
    outcome = next((outcome for outcome in study.plan.outcomes if outcome.name == name), None)
    use = next((use for use in study.measures if outcome is not None and use.name == outcome.measure), None)
    if outcome is None or use is None:
        return name
    return json.dumps([use.measure.model_dump(mode="json"), use.blocks, use.over, outcome.where])


def _beyond_shares(about: str, hypothesis: Hypothesis) -> Iterator[str]:
    value, params = hypothesis.against, hypothesis.analysis.params if isinstance(hypothesis.analysis, Ref) else {}
    if value is not None and not 0 <= value <= 1:
        yield f"{about} compares a share with {value:g}, but shares are between 0 and 1. Correct `against`."
    elif (value == 1 and hypothesis.direction == "greater") or (value == 0 and hypothesis.direction == "less"):
        yield f"{about} can never be supported: no share is {hypothesis.direction} than {value:g}. Correct `against`."
    low, high = params.get("low"), params.get("high")
    is_raw = hypothesis.direction == "equivalent" and params.get("units", "raw") == "raw"
    if is_raw and isinstance(low, int | float) and isinstance(high, int | float) and low <= -1 and high >= 1:
        yield (
            f"{about} cannot fail: shares differ by at most 1, and its bounds are {low:g} and {high:g}. Name the "
            "smallest difference that matters."
        )


def _out_of_reach(about: str, hypothesis: Hypothesis, study: Study) -> Iterator[str]:
    """Yield a test of ranks or signs whose smallest p-value, with the planned people, is not below alpha."""
    if not isinstance(hypothesis.analysis, Ref) or hypothesis.direction == "equivalent":
        return
    name, quotas = hypothesis.analysis.name, _people(hypothesis, study)
    if name in _BY_RANKS and len(quotas) == 2:
        n_orders = comb(sum(quotas), quotas[0])
    elif name in _BY_SIGNS:
        n_orders = 2 ** min(sum(study.quota_of(cell) for cell in study.cells), 60)
    else:
        return
    # Both tails of a two-sided test are as small as the one that was seen; Fisher's may have one only.
    tails = 2 if hypothesis.direction == "different" and name != "fisher" else 1
    alpha = study.plan.alpha if hypothesis.alpha is None else hypothesis.alpha
    smallest = tails / n_orders
    if n_orders > 1 and smallest >= alpha:
        yield (
            f"{about} can never be supported: with so few people, the smallest p-value of {name!r} is {smallest:.2g}, "
            f"which is not below alpha = {alpha:g}. Raise the quotas."
        )


def _people(hypothesis: Hypothesis, study: Study) -> tuple[int, ...]:
    """Return how many people are wanted at each compared level of a factor between people."""
    factor = next((factor for factor in study.factors if factor.name == hypothesis.factor), None)
    if factor is None or factor.scope != "between":
        return ()
    levels = hypothesis.contrast or factor.levels
    return tuple(
        sum(study.quota_of(cell) for cell in study.cells if cell.levels.get(factor.name) == level) for level in levels
    )


# Stops that turn away the wrong people: everybody, or those who agree to take part.


def stop_faults(study: Study) -> Iterator[str]:
    """Yield the blocks whose stops let nobody on, and consent pages that mistake yes for no."""
    for block in blocks_in(study.flow):
        if not block.stops:
            continue
        if block.task.name == "consent":
            yield from _consent(block)
        elif _lets_nobody_on(block):
            yield f"Block {block.block_id!r} lets nobody continue: one of its stops holds for every answer. Correct a rule."


def _consent(block: Screen | Stage) -> Iterator[str]:
    if _stopped(block, {"consent": AGREES}):
        yield f"Block {block.block_id!r} ends the session of people who agree to take part. Correct its stops."
    elif not _stopped(block, {"consent": DECLINES}):
        yield f"Block {block.block_id!r} lets people continue who do not agree to take part. Correct its stops."


def _lets_nobody_on(block: Screen | Stage) -> bool:
    asked = {question.question_id: question for question in getattr(create("tasks", block.task), "questions", ())}
    names = sorted({name for stop in block.stops for name in names_in(stop.rule)})
    choices = [asked.get(name) for name in names]
    if any(functions_in(stop.rule) for stop in block.stops):
        return False
    options = [choice.options for choice in choices if isinstance(choice, Choice)]
    if not names or len(options) < len(names):
        return False
    return all(_stopped(block, dict(zip(names, answers, strict=True))) for answers in product(*options))


def _stopped(block: Screen | Stage, answers: dict[str, str]) -> bool:
    return any(rule_from_text(stop.rule)(answers) for stop in block.stops)


# Values that measures of sessions can still have after the exclusions.

_FAR = 1e12
_NEAR = 1e-6
_MOST_COMBINATIONS = 50_000


def kept_values(prepared: Prepared) -> Iterator[tuple[tuple[Exclusion, ...], Mapping[str, frozenset[float]]]]:
    """Yield exclusions that read the same measures, with the values that they leave; none if they leave nobody.

    Values that no person can have may be among them, so whatever is missing can really not be kept.
    """
    for exclusions in _connected(prepared.study.exclusions):
        names = sorted({name for exclusion in exclusions for name in names_in(str(exclusion.rule))})
        constants = [value for exclusion in exclusions for value in _constants(str(exclusion.rule))]
        values = [_possible(prepared, name, constants) for name in names]
        if prod(map(len, values)) > _MOST_COMBINATIONS:
            continue
        holds = [rule_from_text(str(exclusion.rule)) for exclusion in exclusions]
        kept = [
            chosen
            for chosen in product(*values)
            if not any(rule(dict(zip(names, chosen, strict=True))) for rule in holds)
        ]
        yield exclusions, {name: frozenset(chosen[at] for chosen in kept) for at, name in enumerate(names)}


def _connected(exclusions: tuple[Exclusion, ...]) -> list[tuple[Exclusion, ...]]:
    """Group the rules that share a measure; rules that ask whether something is missing stay out."""
    groups: list[tuple[frozenset[str], tuple[Exclusion, ...]]] = []
    for exclusion in exclusions:
        if exclusion.rule is None or functions_in(exclusion.rule):
            continue
        names = names_in(exclusion.rule)
        group: tuple[Exclusion, ...] = (exclusion,)
        for known in [known for known in groups if known[0] & names]:
            groups.remove(known)
            names, group = names | known[0], (*known[1], *group)
        groups.append((names, group))
    return [group for _, group in groups]


def _constants(rule: str) -> list[float]:
    nodes = ast.walk(ast.parse(rule, mode="eval"))
    return [
        float(node.value) for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    ]


def _possible(prepared: Prepared, name: str, constants: list[float]) -> list[float]:
    """Return the values that a measure of sessions can have, as far as rules with these constants tell them apart."""
    use = next((use for use in prepared.study.measures if use.name == name), None)
    scale = None if use is None else getattr(entry("measures", use.measure.name), "scale", None)
    if use is not None and scale == "binary":
        n = n_trials(prepared, use)
        if use.summary == "sum" and n:
            return [float(k) for k in range(n + 1)]
        if use.summary in ("min", "max", "first", "last"):
            return [0.0, 1.0]
        if use.summary in ("mean", None):
            steps = n or 20
            return sorted({*(k / steps for k in range(steps + 1)), *(value for value in constants if 0 <= value <= 1)})
    near = {value + step for value in (*constants, 0.0) for step in (-_NEAR, 0.0, _NEAR)}
    return sorted(value for value in {*near, -_FAR, _FAR} if scale not in ("time", "count", "binary") or value >= 0)


def n_trials(prepared: Prepared, use: MeasureUse) -> int:
    """Return how many trials of a person a measure can count, at most."""
    blocks = measured_blocks(prepared.study, use.name)
    return max(
        (
            sum(
                len(trial_ids_of(prepared, met))
                for met in met_blocks(prepared.study, cell.levels)
                if met.block.block_id in blocks
            )
            for cell in prepared.study.cells
        ),
        default=0,
    )


# Outcomes that cannot vary among the people who are analysed: a gate or an exclusion fixes them, or nobody has them.


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
