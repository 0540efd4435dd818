"""Check from the headings alone that a table can be read as a reanalysis says."""

from collections import Counter
from collections.abc import Iterable, Iterator

from understudy.estimate.plan_check import plan_faults
from understudy.estimate.published import published_faults
from understudy.estimate.variables import variables_from_reanalysis
from understudy.schema import ROW_FUNCTIONS, Derived, Reanalysis, functions_in, names_in

_TAKEN = frozenset({"participant", "item", "value", "other"})
"""Columns of the rows that analyses get."""


def source_faults(reanalysis: Reanalysis, headings: Iterable[str]) -> list[str]:
    """Return one sentence for each thing that a plan file needs and the table lacks."""
    headings = list(headings)
    unusable = list(_unusable_names(reanalysis))
    if unusable:
        return unusable  # rules over such names cannot be read any further
    faults = [*_heading_faults(reanalysis, headings), *_repeated_names(reanalysis)]
    known = {"participant", *headings, *reanalysis.table.columns}
    if reanalysis.table.item is not None:
        known.add("item")
    # In order: a derived column may use those derived before it.
    for new in reanalysis.derive:
        faults.extend(_derived_faults(new, known | _factor_names(reanalysis, known)))
        known.add(new.name)
    for factor in reanalysis.factors:
        column = factor.column or factor.name
        if column not in known:
            faults.append(f"Factor {factor.name!r} is read from column {column!r}, which is {_not_among(known)}")
        if factor.name in known and factor.name != column:
            faults.append(
                f"Factor {factor.name!r} is read from {column!r}, but a column has its name. Rename the factor."
            )
    known |= {factor.name for factor in reanalysis.factors}
    for context, rule in _rules(reanalysis):
        faults.extend(_rule_faults(context, rule, known))
    variables = variables_from_reanalysis(reanalysis, frozenset(known))
    if reanalysis.plan.partial_sessions != "left_out":
        faults.append(
            "The plan keeps partial sessions, but a table from elsewhere has no sessions that could end early: leave "
            "`partial_sessions` out, and say in `keep` and `exclusions` who counts."
        )
    if reanalysis.plan.sequential is not None:
        faults.append(
            "The plan has looks, but a table from elsewhere does not say who came first. Leave `sequential` out, and set "
            "`alpha` to what is left for this look."
        )
    if reanalysis.plan.sensitivity:
        faults.append(
            "The plan has sensitivity analyses, which run on sessions of a study. Write a second plan file without the "
            "exclusions in question."
        )
    return [*faults, *plan_faults(reanalysis.plan, variables), *published_faults(reanalysis)]


def _unusable_names(reanalysis: Reanalysis) -> Iterator[str]:
    """Yield the names that analyses use themselves, and measures whose column a rule cannot spell."""
    for factor in reanalysis.factors:
        if factor.name in _TAKEN:
            yield f"Factor {factor.name!r} has a name that analyses use themselves. Choose another one, and give its `column`."
    for measure in reanalysis.measures:
        if measure.value is None and not _can_be_spelt(measure.name):
            yield (
                f"Measure {measure.name!r} is read from the column of its name, which a rule cannot spell. Rename the column in "
                f'table.columns, such as {{ score = "{measure.name}" }}, and set value = "score".'
            )


def _can_be_spelt(name: str) -> bool:
    try:
        return names_in(name) == {name}
    except ValueError:
        return False


def _heading_faults(reanalysis: Reanalysis, headings: list[str]) -> Iterator[str]:
    table = reanalysis.table
    wanted = {"participants": table.participant, "items": table.item}
    for what, column in wanted.items():
        if column is not None and column not in headings:
            yield f"The column of {what} is {column!r}, which is {_not_among(headings)}"
        name = what.removesuffix("s")
        if column is not None and column != name and name in headings:
            yield f"The table has a column {name!r} besides {column!r}, but the plan needs that name. Rename it."
    for name, column in table.columns.items():
        if column not in headings:
            yield f"Column {name!r} is read from {column!r}, which is {_not_among(headings)}"
        if name in headings and name != column:
            yield f"Column {column!r} is renamed to {name!r}, which the table has already. Choose another name."


def _repeated_names(reanalysis: Reanalysis) -> Iterator[str]:
    kinds = {
        "Factor": [factor.name for factor in reanalysis.factors],
        "Measure": [measure.name for measure in reanalysis.measures],
        "Derived column": [new.name for new in reanalysis.derive],
        "Filter or exclusion": [
            *(row_filter.label for row_filter in reanalysis.keep),
            *(exclusion.exclusion_id for exclusion in reanalysis.exclusions),
        ],
    }
    for kind, names in kinds.items():
        yield from (f"{kind} {name!r} is declared {n} times." for name, n in Counter(names).items() if n > 1)
    for name in sorted(set(kinds["Factor"]) & set(kinds["Measure"])):
        yield f"{name!r} is both a factor and a measure; give one of them another name."


def _factor_names(reanalysis: Reanalysis, known: set[str]) -> set[str]:
    return {factor.name for factor in reanalysis.factors if (factor.column or factor.name) in known}


def _derived_faults(new: Derived, known: set[str]) -> Iterator[str]:
    context = f"Derived column {new.name!r}"
    if new.name in known:
        yield f"{context} exists already; choose another name."
    for name in sorted(names_in(new.value) - known):
        yield f"{context} uses {name!r}, which is {_not_among(known)}"
    for name in new.by:
        if name not in known:
            yield f"{context} is grouped by {name!r}, which is {_not_among(known)}"
    summaries = sorted(functions_in(new.value) - ROW_FUNCTIONS)
    if summaries and not new.by:
        yield f"{context} summarises rows with {', '.join(summaries)}, but names no groups. Add `by`."
    if new.by and not summaries:
        yield f"{context} has `by` but summarises nothing; leave `by` out, or use mean, sum, count or a similar function."
    if new.where is not None:
        yield from _rule_faults(context, new.where, known)


def _rules(reanalysis: Reanalysis) -> Iterator[tuple[str, str]]:
    for row_filter in reanalysis.keep:
        yield f"Filter {row_filter.label!r}", row_filter.rule
    for exclusion in reanalysis.exclusions:
        yield f"Exclusion {exclusion.exclusion_id!r}", exclusion.rule
    for measure in reanalysis.measures:
        yield f"Measure {measure.name!r}", measure.value or measure.name


def _rule_faults(context: str, rule: str, known: set[str]) -> Iterator[str]:
    for name in sorted(names_in(rule) - known):
        yield f"{context} uses {name!r}, which is {_not_among(known)}"
    for name in sorted(functions_in(rule) - ROW_FUNCTIONS):
        yield f"{context} calls {name}(), which summarises rows. Derive a column with `by` first and use that."


def _not_among(known: Iterable[str]) -> str:
    return f"not a column of the table. Columns are: {', '.join(sorted(known))}."
