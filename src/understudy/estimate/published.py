"""Compare printed figures with recomputed ones, without adjusting either."""

import math
from collections.abc import Iterator

from understudy.errors import PlanError
from understudy.estimate.findings import Results
from understudy.schema import (
    DescriptionTable,
    Finding,
    GroupSummary,
    Interval,
    ParticipantFlow,
    PublishedComparison,
    PublishedFigure,
    Reanalysis,
)

_OF_GROUP = ("n", "mean", "sd", "se", "median", "low", "high", "half_width")
_OF_TEST = ("effect", "statistic", "p_value", "p_adjusted", "df1", "df2", "n", "n_rows", "low", "high", "half_width")
_OF_STEP = ("n_left", "n_remaining")


def published_faults(reanalysis: Reanalysis) -> list[str]:
    """Return one sentence for each printed figure that refers to nothing."""
    return [fault for figure in reanalysis.published for fault in _pointer_faults(figure, reanalysis)]


def published_comparisons(
    figures: tuple[PublishedFigure, ...], results: Results, flow: ParticipantFlow
) -> tuple[PublishedComparison, ...]:
    """Return for each printed figure the recomputed number, and whether they agree to the printed digit."""
    return tuple(_comparison(figure, _recomputed(figure, results, flow)) for figure in figures)


def agrees(figure: PublishedFigure, recomputed: float) -> bool:
    """Return whether a number, rounded or truncated as the figure was, gives the printed digits."""
    unit = 10.0**-figure.decimals
    # Allow for binary fractions, which do not hit the decimal limit exactly.
    slack = unit * 1e-6
    # A truncated figure lies below the number in size, whatever the sign.
    if figure.is_truncated:
        return -slack <= math.copysign(1.0, figure.value) * (recomputed - figure.value) < unit - slack
    return abs(recomputed - figure.value) <= unit / 2 + slack


def _pointer_faults(figure: PublishedFigure, reanalysis: Reanalysis) -> Iterator[str]:
    context = f"Published figure {figure.label!r}"
    known = {
        "hypothesis": [hypothesis.hypothesis_id for hypothesis in reanalysis.plan.hypotheses],
        "description": [description.description_id for description in reanalysis.plan.descriptions],
        "step": [
            *(row_filter.label for row_filter in reanalysis.keep),
            *(exclusion.exclusion_id for exclusion in reanalysis.exclusions),
        ],
    }
    named = {kind: getattr(figure, kind) for kind in known if getattr(figure, kind) is not None}
    if len(named) != 1:
        yield f"{context} must point at exactly one of hypothesis, description and step; it names {len(named)}."
        return
    ((kind, name),) = named.items()
    if name not in known[kind]:
        declared = ", ".join(known[kind]) or "none"
        yield f"{context} points at {kind} {name!r}, which is not declared. Declared: {declared}."
    allowed = _OF_STEP if kind == "step" else _OF_GROUP if kind == "description" or figure.group else _OF_TEST
    is_named = kind == "hypothesis" and figure.quantity.startswith(("effect_size.", "detail."))
    if figure.quantity not in allowed and not is_named:
        further = ", effect_size.NAME, detail.NAME" if kind == "hypothesis" and not figure.group else ""
        yield f"{context} asks for {figure.quantity!r}; here it can be {', '.join(allowed)}{further}."


def _comparison(figure: PublishedFigure, recomputed: float | None) -> PublishedComparison:
    scaled = None if recomputed is None else recomputed * figure.times
    return PublishedComparison(
        label=figure.label,
        published=figure.value,
        recomputed=scaled,
        decimals=figure.decimals,
        agrees=scaled is not None and agrees(figure, scaled),
        is_expected=figure.is_expected,
        note=figure.note,
    )


def _recomputed(figure: PublishedFigure, results: Results, flow: ParticipantFlow) -> float | None:
    if figure.step is not None:
        return _of_step(figure, flow)
    if figure.description is not None:
        table = next(
            description for description in results.descriptions if description.description_id == figure.description
        )
        return _of_group(_group(figure, table.groups, table), figure.quantity)
    finding = next(finding for finding in results.findings if finding.hypothesis_id == figure.hypothesis)
    if finding.estimate is None:
        return None
    if figure.group is not None:
        return _of_group(_group(figure, finding.estimate.groups, None), figure.quantity)
    return _of_test(finding, figure)


def _of_step(figure: PublishedFigure, flow: ParticipantFlow) -> float:
    step = next(step for step in flow.steps if step.label == figure.step)
    if figure.group is None:
        return step.n_left if figure.quantity == "n_left" else step.n_remaining
    if figure.group not in step.by_condition:
        raise PlanError([_no_group(figure, list(step.by_condition))])
    return step.by_condition[figure.group]


def _group(figure: PublishedFigure, groups: tuple[GroupSummary, ...], table: DescriptionTable | None) -> GroupSummary:
    wanted = figure.group or ("all" if table is not None and not table.by else "")
    matching = [group for group in groups if group.group == wanted]
    if not matching:
        raise PlanError([_no_group(figure, [group.group for group in groups])])
    return matching[0]


def _of_group(group: GroupSummary, quantity: str) -> float | None:
    match quantity:
        case "n":
            return group.n
        case "se":
            return None if group.sd is None else group.sd / math.sqrt(group.n)
        case "mean" | "sd" | "median":
            value: float | None = getattr(group, quantity)
            return value
    return _of_interval(group.interval, quantity)


def _of_interval(interval: Interval | None, quantity: str) -> float | None:
    if interval is None:
        return None
    if quantity == "half_width":
        is_open = interval.low is None or interval.high is None
        return None if is_open else ((interval.high or 0.0) - (interval.low or 0.0)) / 2
    return interval.low if quantity == "low" else interval.high


def _of_test(finding: Finding, figure: PublishedFigure) -> float | None:
    estimate = finding.estimate
    if estimate is None:
        return None
    kind, _, name = figure.quantity.partition(".")
    match kind:
        case "effect_size":
            sizes = {size.name: size.value for size in estimate.effect_sizes}
            return _named(figure, sizes, name)
        case "detail":
            return _named(figure, estimate.details, name)
        case "p_adjusted":
            return finding.p_adjusted
        case "n":
            return estimate.n_sessions
        case "df1" | "df2":
            index = int(kind[-1]) - 1
            return estimate.df[index] if index < len(estimate.df) else None
        case "low" | "high" | "half_width":
            return _of_interval(estimate.interval, kind)
    value: float | None = getattr(estimate, kind)
    return value


def _named(figure: PublishedFigure, values: dict[str, float | None], name: str) -> float | None:
    if name not in values:
        raise PlanError([_no_group(figure, list(values))])
    return values[name]


def _no_group(figure: PublishedFigure, known: list[str]) -> str:
    wanted = figure.group or figure.quantity
    return (
        f"Published figure {figure.label!r} asks for {wanted!r}, which was not computed. Available: {', '.join(known)}."
    )
