"""Print the verdicts of a concept test to a terminal."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from understudy.probe import nearest_flips
from understudy.schema import Verdicts
from understudy.schema.probe import Comparison, Flip, HypothesisVerdict, Repeats, Sizing

_STYLE = {"confirmed": "bold green", "unproven": "dim", "rejected": "yellow"}
_ORDER = ("confirmed", "rejected", "unproven")
_DROPPED = {
    "not_in_all_four": "not in all four tables",
    "missing_value": "missing a value",
    "in_groups_of_one": "alone in their group",
}
_USUAL = 1e-6
"""The lowest threshold that is worth a remark."""
_TESTS = {"t": "paired t tests", "sign_flip": "sign-flip tests", "runs": "t tests over runs and objects"}


def print_verdicts(verdicts: Verdicts, console: Console, paths: Sequence[Path]) -> None:
    """Print results, comparisons, hypotheses, and what was left out."""
    console.print(_head(verdicts))
    console.print(_results(verdicts))
    console.print(_comparisons(verdicts.analyses))
    for note in verdicts.notes:
        console.print(Text(f"  {note}", style="dim"))
    console.print(_hypotheses(verdicts))
    if verdicts.repeats is not None:
        console.print(_repeats(verdicts.repeats))
    if verdicts.groups:
        console.print(_groups(verdicts))
    if verdicts.sizing is not None:
        console.print(_sizing(verdicts.sizing))
    more = shlex.join(["understudy", "probe", *map(str, paths), "--json"])
    console.print(f"\nNext: {more} > verdicts.json", style="dim", markup=False, soft_wrap=True)


def _head(verdicts: Verdicts) -> RenderableType:
    counts = ", ".join(f"{n} {_DROPPED.get(reason, reason)}" for reason, n in verdicts.n_dropped.items())
    correction = "Holm's correction" if verdicts.correction == "holm" else "no correction"
    chosen = verdicts.options.model_dump(exclude_defaults=True)
    options = "".join(f", {name}={value}" for name, value in chosen.items())
    return Group(
        Text(f"Concept: {verdicts.concept}", style="bold"),
        Text(f"{_TESTS[verdicts.test]}, threshold {verdicts.alpha:g}, {correction}{options}", style="dim"),
        Text(f"{verdicts.n_objects:,} objects; left out: {counts}", style="dim"),
    )


def _results(verdicts: Verdicts) -> RenderableType:
    table = _table("result set", "model", "data", "mean score", "95 % interval", "n")
    for result in verdicts.results:
        table.add_row(
            result.id, result.model, result.data, f"{result.mean:.4f}", f"[{result.low:.4f}, {result.high:.4f}]", f"{result.n:,}"
        )  # fmt: skip
    return _titled("Results", table)


def _comparisons(comparisons: Sequence[Comparison]) -> RenderableType:
    is_adjusted = any(comparison.p != comparison.p_adjusted for comparison in comparisons)
    table = _table(
        "test", "difference", "95 % interval", "d", "t", "p", *(["adj. p"] if is_adjusted else []), "says"
    )  # fmt: skip
    for comparison in comparisons:
        is_clear = comparison.outcome != "~"
        says = f"{comparison.left} {comparison.outcome} {comparison.right}"
        cells = [
            comparison.id, f"{comparison.difference:+.4f}", f"[{comparison.low:+.3f}, {comparison.high:+.3f}]",
            _number(comparison.effect, "+.3f"), _number(comparison.t, ".2f"), p_text(comparison.p),
        ]  # fmt: skip
        table.add_row(
            *cells,
            *([p_text(comparison.p_adjusted)] if is_adjusted else []),
            Text(says, style="bold" if is_clear else "dim"),
        )
    return _titled("Six comparisons", table)


def _hypotheses(verdicts: Verdicts) -> RenderableType:
    """Return the hypotheses, confirmed ones first, with their reasons and the thresholds that would change them."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for hypothesis in sorted(verdicts.hypotheses, key=lambda hypothesis: _ORDER.index(hypothesis.state)):
        lines = [Text(hypothesis.sentence), *(Text(line, style="dim") for line in _trace(hypothesis, verdicts))]
        table.add_row(
            Text(hypothesis.id, style="bold"), Text(hypothesis.state, style=_STYLE[hypothesis.state]), Group(*lines)
        )
    return _titled("Twelve hypotheses", table)


def _trace(hypothesis: HypothesisVerdict, verdicts: Verdicts) -> list[str]:
    lines = [f"Caution: {caution.sentence}" for caution in hypothesis.cautions]
    if hypothesis.state == "unproven" and hypothesis.votes:
        lines += [f"{vote.analysis} did not count: {vote.reason}" for vote in hypothesis.muted]
    return [*lines, *_change(nearest_flips(verdicts, hypothesis.id))]


def _change(flips: tuple[Flip | None, Flip | None]) -> list[str]:
    undone, coming = flips
    parts = []
    if undone is not None and undone.alpha >= _USUAL:
        parts.append(f"holds for thresholds above {_threshold(undone.alpha)}")
    if coming is not None:
        parts.append(f"{coming.to} above {_threshold(coming.alpha)}")
    return [f"{'; '.join(parts).capitalize()}."] if parts else []


def _repeats(repeats: Repeats) -> RenderableType:
    shares = _table("hypothesis", "confirmed", "rejected")
    for hypothesis, share in repeats.shares.items():
        shares.add_row(hypothesis, f"{share:.0%}", f"{repeats.rejected[hypothesis]:.0%}")
    tests = _table("test", "difference", "SD of runs", "SD of objects", "df", "p")
    for test in repeats.run_test:
        tests.add_row(
            test.id, f"{test.difference:+.4f}", f"{test.run_sd:.4f}", f"{test.item_sd:.4f}", f"{test.df:.1f}",
            p_text(test.p),
        )  # fmt: skip
    title = f"{repeats.n} training runs: how often a run alone would say so, and how much runs vary"
    return Group(_titled(title, shares), tests)


def _groups(verdicts: Verdicts) -> RenderableType:
    table = _table(verdicts.group_by or "group", "n", "confirmed", "rejected")
    for group in verdicts.groups:
        states = {
            state: " ".join(hypothesis.id for hypothesis in group.verdicts.hypotheses if hypothesis.state == state)
            or "–"
            for state in ("confirmed", "rejected")
        }
        table.add_row(group.name, f"{group.n:,}", states["confirmed"], states["rejected"])
    return _titled(f"By {verdicts.group_by}", table)


def _sizing(sizing: Sizing) -> RenderableType:
    table = _table("test", "SD", "objects needed", "power now", "smallest difference now")
    for needed in sizing.needed:
        n_needed = "–" if needed.n_needed is None else f"{needed.n_needed:,}"
        table.add_row(
            needed.analysis, f"{needed.sd:.4f}", n_needed, _number(needed.power_now, ".3f"), _number(needed.smallest_now, ".4f")
        )  # fmt: skip
    title = f"To see a difference of {sizing.difference:g} with power {sizing.power:g} at threshold {sizing.alpha:.3g}"
    return _titled(title, table)


def p_text(p: float) -> str:
    """Write a p-value, very small ones as a bound."""
    return "<.0001" if p < 0.0001 else f"{p:.4f}"


def _threshold(alpha: float) -> str:
    return f"{alpha:.2g}" if alpha < 0.0001 else f"{alpha:.4f}"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _titled(title: str, table: Table) -> RenderableType:
    return Group(Text(f"\n{title}", style="bold"), table)


def _table(*headings: str) -> Table:
    table = Table(header_style="bold", pad_edge=False)
    words = {"result set", "model", "data", "test", "says", "hypothesis", "confirmed", "rejected"}
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number == 0 or heading in words else "right")
    return table
