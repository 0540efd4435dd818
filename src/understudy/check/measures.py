"""Faults of measures, exclusions, gates' measures and pay."""

from collections.abc import Iterator

from understudy.check.design import listed, repeated, unknown
from understudy.registry import entry, names
from understudy.schema import ROW_FUNCTIONS, MeasureUse, Study, blocks_in, functions_in, is_reserved, names_in


def measure_faults(study: Study) -> Iterator[str]:
    """Yield the faults of what is measured and of what depends on it."""
    yield from repeated("Measure", (use.name for use in study.measures))
    blocks = [block.block_id for block in blocks_in(study.flow)]
    factors = {factor.name for factor in study.factors}
    yield from _column_faults(study)
    for use in study.measures:
        where = f"Measure {use.name!r}"
        if use.name in factors:
            yield f"{where} has the name of a factor; rename one of them."
        for block in use.blocks:
            if block not in blocks:
                yield unknown("block", block, blocks, where=where)
        if use.summary is not None and _unit(use) == "session":
            yield f"{where} already has one number per session; leave its summary out."
        yield from _over_faults(study, use)
    yield from _exclusion_faults(study)
    yield from _gate_faults(study)
    yield from _sensitivity_faults(study)
    yield from _look_faults(study)
    per_session = session_measures(study)
    for bonus in study.pay.bonuses if study.pay else ():
        yield from _needs_session(study, bonus.measure, per_session, where="A bonus")
    for page in blocks_in(study.flow):
        shown = page.task.params.get("measures") if page.purpose == "feedback" else None
        for name in shown if isinstance(shown, list | tuple) else ():
            yield from _needs_session(study, str(name), per_session, where=f"Block {page.block_id!r}")


def _over_faults(study: Study, use: MeasureUse) -> Iterator[str]:
    """Yield faults of a measure that scores the questions of a page one by one."""
    if use.over is None:
        return
    where = f"Measure {use.name!r}"
    known = [factor.name for factor in study.factors if factor.scope == "question"]
    if use.over not in known:
        yield unknown("question-factor", use.over, known, where=where)
    if use.measure.name in names("measures") and "question" not in entry("measures", use.measure.name).model_fields:
        yield f"{where} is taken over questions, but {use.measure.name!r} does not read a question. Leave `over` out."


def _column_faults(study: Study) -> Iterator[str]:
    """Yield measures, factors and strata named like a column that every table has."""
    named = [
        *(("Measure", use.name) for use in study.measures),
        *(("Factor", factor.name) for factor in study.factors),
        *(("Stratum", name) for item_set in study.item_sets for name in item_set.strata),
    ]
    for what, name in dict.fromkeys(named):
        if is_reserved(name):
            yield f"{what} {name!r} has the name of a column every table has; rename it."


def session_measures(study: Study) -> list[str]:
    """Return the measures that give one number per session."""
    return [use.name for use in study.measures if use.summary is not None or _unit(use) == "session"]


def _unit(use: MeasureUse) -> str:
    if use.measure.name not in names("measures"):
        return "unknown"
    return str(entry("measures", use.measure.name).unit)  # type: ignore[attr-defined]


def _exclusion_faults(study: Study) -> Iterator[str]:
    yield from repeated("Exclusion", (exclusion.exclusion_id for exclusion in study.exclusions))
    per_session = session_measures(study)
    for exclusion in study.exclusions:
        where = f"Exclusion {exclusion.exclusion_id!r}"
        if exclusion.rule is None:
            if exclusion.applies != "annotators":
                yield f"{where} has no rule; write one over session measures, or let annotators decide."
            continue
        for name in sorted(names_in(exclusion.rule)):
            yield from _needs_session(study, name, per_session, where=where)
        grouped = functions_in(exclusion.rule) - ROW_FUNCTIONS
        if grouped:
            yield f"{where} calls {listed(sorted(grouped))}; a session has single numbers: declare a measure with a summary."


def _needs_session(study: Study, name: str, per_session: list[str], *, where: str) -> Iterator[str]:
    if name in per_session:
        return
    if name in {use.name for use in study.measures}:
        yield f"{where} uses {name!r}, which is a measure of single trials; give it a summary, such as mean or sum."
    else:
        yield unknown("session measure", name, per_session, where=where)


def _sensitivity_faults(study: Study) -> Iterator[str]:
    yield from repeated("Sensitivity analysis", (analysis.name for analysis in study.plan.sensitivity))
    known = [exclusion.exclusion_id for exclusion in study.exclusions]
    for analysis in study.plan.sensitivity:
        for name in analysis.keeps:
            if name not in known:
                yield unknown("exclusion", name, known, where=f"Sensitivity analysis {analysis.name!r}")


def _look_faults(study: Study) -> Iterator[str]:
    sequential, n_places = study.plan.sequential, sum(study.quota_of(cell) for cell in study.cells)
    if sequential is not None and sequential.looks[-1] > n_places:
        yield (
            f"The last look of the plan is at {sequential.looks[-1]} people, but the study has places for {n_places}. "
            "Lower the looks, or raise the quota."
        )


def _gate_faults(study: Study) -> Iterator[str]:
    of_trials = [use.name for use in study.measures if _unit(use) == "trial" and use.over is None]
    for block in blocks_in(study.flow):
        if block.gate is not None and block.gate.measure is not None and block.gate.measure not in of_trials:
            yield unknown("measure of trials", block.gate.measure, of_trials, where=f"Block {block.block_id!r}, gate,")
