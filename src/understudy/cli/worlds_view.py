"""Print what is known about a world and about a model in it."""

from collections.abc import Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from understudy.actions.worlds import WorldAudit
from understudy.protocols.sixt2022.printed import N_TEST, PRINTED_FOR, TABLE_3, TABLE_4, TABLE_6, WORLDS
from understudy.schema import Measured, RelevanceKey
from understudy.schema.relevance import ObserverCheck
from understudy.worlds.families import world_about
from understudy.worlds.world import World

_STYLE = {"relevant": "bold green", "irrelevant": "dim", "undecided": "yellow"}
_CHECKED = {"moves as it should": "green", "stays as it should": "green", "unreadable": "yellow"}
_PAPER = "paper"


def print_worlds(worlds: Mapping[str, World], console: Console) -> None:
    """Print the worlds that come with the package."""
    table = _table("world", "what it is", "classes", "attributes", n_words=4)
    for name, world in worlds.items():
        table.add_row(name, world_about(name), ", ".join(world.classes), ", ".join(world.names))
    console.print(table)
    console.print(Text("Where a world is named, a .toml or .py file of your own can be given.", style="dim"))


def print_audit(world: World, audit: WorldAudit, console: Console) -> None:
    """Print what the attributes of a world give away."""
    trees = audit.trees
    console.print(Text(f"World: {world.name}", style="bold"))
    console.print(
        f"Boosted trees find the class of {trees.accuracy:.1%} of {trees.n_test:,} rows (learned from {trees.n_train:,})."
    )
    table = _table("attribute", "share of the gain", "drawn from", "to", "allowed")
    for report in sorted(audit.ranges, key=lambda row: -trees.importances[row.name]):
        allowed = f"{report.limits[0]:.3g} to {report.limits[1]:.3g}"
        cells = (_fixed(report.lowest), _fixed(report.highest), allowed if report.fills_limits else f"{allowed} (!)")
        table.add_row(report.name, _fixed(trees.importances[report.name]), *cells)
    console.print(_titled("Attributes", table))
    if not all(report.fills_limits for report in audit.ranges):
        console.print(Text("(!) The draws leave a part of the allowed range empty.", style="yellow"))
    rules = _table("attributes read", "accuracy", n_words=1)
    for rule in audit.rules:
        accuracy = "–" if rule.accuracy is None else f"{rule.accuracy:.1%}"
        rules.add_row("all" if set(rule.attributes) == set(world.names) else ", ".join(rule.attributes), accuracy)
    console.print(_titled("The best rules that read an attribute and its causes", rules))


def print_key(key: RelevanceKey, console: Console, *, more: str = "raise --n") -> None:
    """Print what a model relies on, next to what the paper prints where the world is the paper's."""
    console.print(Text(f"What {key.model} relies on in {key.world}", style="bold"))
    right = "" if key.accuracy is None else f", {key.accuracy:.1%} of them classified as drawn"
    console.print(
        Text(
            f"{key.n:,} pictures of {key.edge} x {key.edge} pixels{right}; each attribute redrawn ({key.mode})",
            style="dim",
        )
    )
    console.print(_importance(key))
    if any(row.latents is not None for row in key.attributes):
        console.print(_titled("Hidden layer", _latents(key)))
    console.print(f"\nRelevance: {', '.join(_readings(key))}.")
    console.print(
        Text(f"Relevant means: the lower {key.level:.0%} limit of R² is above {key.rule.r_squared:g}. {key.rule.reason}", style="dim")
    )  # fmt: skip
    if key.unsettled:
        names = ", ".join(key.unsettled)
        console.print(Text(f"More pictures could change the verdict on {names}: {more}.", style="yellow"))


def print_check(check: ObserverCheck, console: Console, *, has_paper: bool) -> None:
    """Print what counterfactuals move, next to Table 6 where attributes are the paper's."""
    console.print(Text(f"What {check.n_rows} rows of {check.n_steps} counterfactuals move", style="bold"))
    table = _table("attribute", "change", "SD", *([f"{_PAPER} (SD)"] if has_paper else []), "in SDs", "verdict")
    for row in check.attributes:
        printed = TABLE_6.get(row.attribute)
        paper = [f"{printed.mean:.3f} ({printed.sd:.3f})" if printed else "–"] if has_paper else []
        style = _CHECKED.get(row.verdict, "bold red")
        sd = "–" if row.sd is None else f"{row.sd:.3f}"
        table.add_row(
            row.attribute, f"{row.mean:.3f}", sd, *paper, f"{row.mean_in_spreads:.2f}", Text(row.verdict, style=style)
        )
    console.print(table)
    least = check.rule.least_r_squared
    blind = [
        f"{row.attribute} (R² {row.r_squared:.2f})"
        for row in check.attributes
        if row.verdict == "unreadable" and row.r_squared is not None
    ]
    if blind:
        reason = f"the observer explains less than {least:.0%} of their variance (R² below {least:g})"
        console.print(Text(f"Not decided: {', '.join(blind)}; {reason}.", style="yellow"))
    if any(row.r_squared is None for row in check.attributes):
        console.print(Text("The observer does not say how well it reads, so every attribute decides.", style="yellow"))
    console.print(
        Text(f"Moved means: by at least {check.rule.spreads:g} standard deviations. {check.rule.reason}", style="dim")
    )
    if check.passes:
        n_read = len(check.attributes) - len(check.unreadable)
        console.print(
            f"Passed on {n_read} of {len(check.attributes)} attributes: what should move moves, the rest stays."
        )


def _readings(key: RelevanceKey) -> list[str]:
    """Return the verdict on each group, and on relevant attributes that no group has."""
    grouped = {name for group in key.groups for name in group.attributes}
    others = [row.attribute for row in key.attributes if row.attribute not in grouped]
    return [
        *(f"{group.name} {key.reading(*group.attributes)}" for group in key.groups),
        *(f"{name} relevant" for name in others if key.reading(name) == "relevant"),
    ]


def _importance(key: RelevanceKey) -> RenderableType:
    has_paper = key.world in WORLDS
    paper = [_PAPER] if has_paper else []
    table = _table("attribute", "flips", *paper, "logit change", *paper, "R²", "interval", *paper, "verdict")
    for row in sorted(key.attributes, key=lambda row: -row.r_squared.value):
        printed = TABLE_3.get(row.attribute) if has_paper else None
        table.add_row(
            row.attribute,
            f"{100 * row.flip_rate.value:.1f} %",
            *([_or_none(printed and f"{printed.flip_percent:.1f} %")] if has_paper else []),
            f"{row.median_change.value:.3f}",
            *([_or_none(printed and f"{printed.median_change:.3f}")] if has_paper else []),
            f"{row.r_squared.value:.3f}",
            _interval(row.r_squared),
            *([_or_none(printed and f"{printed.r_squared:.3f}")] if has_paper else []),
            Text(key.reading(row.attribute), style=_STYLE[key.reading(row.attribute)]),
        )
    if not has_paper:
        return table
    note = f"paper: Tables 1 and 3 of Sixt et al. (2022), {N_TEST:,} pictures, no intervals; its network learned from {PRINTED_FOR}"
    here = "" if key.world == PRINTED_FOR else f", and these pictures are of {key.world}"
    return Group(table, Text(f"{note}{here}", style="dim"))


def _latents(key: RelevanceKey) -> RenderableType:
    has_paper = key.world in WORLDS
    paper = [f"{_PAPER} (SD)"] if has_paper else []
    table = _table("attribute", "norm (SD)", *paper, "angle (SD)", *paper)
    for row in sorted(key.attributes, key=lambda row: -row.r_squared.value):
        shift = row.latents
        printed = TABLE_4.get(row.attribute) if has_paper else None
        cells = ("–", "–") if shift is None else (_pair(shift.norm, shift.norm_sd), _pair(shift.angle, shift.angle_sd))
        papers = ("–", "–") if printed is None else (
            _pair(printed.norm, printed.norm_sd), _pair(printed.angle, printed.angle_sd)
        )  # fmt: skip
        both = (cells[0], papers[0], cells[1], papers[1]) if has_paper else cells
        table.add_row(row.attribute, *both)
    return Group(table, Text("paper: Table 4", style="dim")) if has_paper else table


def _pair(value: float | None, sd: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if sd is None else f"{value:.1f} ({sd:.1f})"


def _fixed(value: float) -> str:
    # Minus zero would look like an error.
    return f"{round(value, 3) + 0.0:.3f}"


def _or_none(text: str | None) -> str:
    return text or "–"


def _interval(measured: Measured) -> str:
    return f"[{measured.low:.3f}, {measured.high:.3f}]"


def _titled(title: str, table: RenderableType) -> RenderableType:
    return Group(Text(f"\n{title}", style="bold"), table)


def _table(*headings: str, n_words: int = 1) -> Table:
    table = Table(header_style="bold", pad_edge=False)
    for number, heading in enumerate(headings):
        is_text = number < n_words or heading in _WORDS
        # What a table is read for is never cut off where the terminal is narrow.
        is_kept = number == 0 or heading == "verdict"
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=is_kept, overflow="fold")
    return table


_WORDS: Sequence[str] = ("verdict", "interval", "allowed")
