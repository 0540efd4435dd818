"""The page docs/benchmarks.md: date, machine, versions, method, and one table per topic."""

import re
from datetime import datetime

from machine import machine_facts, software_facts
from measured import Row, Timing

_METHOD = """\
`make bench` wrote this page. Each row runs in a process of its own. Times are CPU seconds where the clock says
*cpu*, and wall-clock seconds where several processes, threads or the disk take part (*wall*): the best of the repeats,
with the slowest in brackets where there is more than one. Unless a row says otherwise, linear algebra runs on one
thread. A ratio is the peer's seconds over ours, both measured in this run; a peer that would take too long is measured
on a part of the work and scaled, and says so. All people are synthetic. Times drift with the machine and its load; the
ratios are what count. No test asserts a time.
"""


class Facts(dict[str, str]):
    """Facts about the machine and the software, kept from the beginning of a run."""


def facts_now() -> Facts:
    """Gather the facts before the work begins, while the load is still the machine's own."""
    software = ", ".join(f"{name} {number}" for name, number in software_facts().items())
    return Facts(machine_facts() | {"Versions": software})


def page_of(results: dict[str, list[Row]], facts: Facts, when: datetime, *, missing: dict[str, str]) -> str:
    """Write the page; `missing` says why a row has no figure."""
    parts = ["# Benchmarks", "", _METHOD, *_facts_table(facts, when)]
    for topic, rows in results.items():
        parts += ["", f"## {_title(topic)}", "", *_table(rows)]
    if missing:
        parts += ["", "## Not measured", "", *(f"- {name}: {reason}" for name, reason in missing.items())]
    return "\n".join(parts) + "\n"


def page_with(page: str, results: dict[str, list[Row]], facts: Facts, when: datetime) -> str:
    """Put topics that were measured apart into a page, each under the time and load of its own run."""
    for topic, rows in results.items():
        head = f"## {_title(topic)}"
        load = facts["Load when the run began"]
        apart = f"Measured apart from the rest, {when:%Y-%m-%d %H:%M} UTC; load when the run began: {load}."
        section = "\n".join([head, "", apart, "", *_table(rows), ""])
        found = re.search(rf"^{re.escape(head)}\n.*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
        end = page.find("## Not measured")
        if found:
            page = page[: found.start()] + section + ("\n" if found.end() < len(page) else "") + page[found.end() :]
        else:
            page = page.rstrip("\n") + f"\n\n{section}" if end < 0 else page[:end] + f"{section}\n" + page[end:]
    return page


def _title(topic: str) -> str:
    return topic.replace("_", " ").capitalize()


def _facts_table(facts: Facts, when: datetime) -> list[str]:
    rows = {"Date": f"{when:%Y-%m-%d %H:%M} UTC", **facts}
    return ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]


def _table(rows: list[Row]) -> list[str]:
    head = ["| what | n | ours | peer | ratio | reads as | target | method |", "|---|---|---|---|---|---|---|---|"]
    return [*head, *(f"| {' | '.join(cells_of(row))} |" for row in rows)]


def cells_of(row: Row) -> tuple[str, ...]:
    """Return the cells of one row as text."""
    return (
        row.what, f"{row.n:,}", timing_text(row.ours), peer_text(row), ratio_text(row), row.reads or "–",
        row.target or "–", f"{row.method} Seed {row.seed}.",
    )  # fmt: skip


def timing_text(timing: Timing) -> str:
    """Say seconds with the slowest repeat and the clock."""
    slowest = f" ({seconds_text(timing.worst_s)})" if timing.n_repeats > 1 else ""
    return f"{seconds_text(timing.best_s)}{slowest} {timing.clock}, {timing.n_repeats}×"


def seconds_text(seconds: float) -> str:
    """Say seconds to three digits."""
    return f"{seconds:,.0f} s" if seconds >= 100 else f"{seconds:.3g} s"


def peer_text(row: Row) -> str:
    """Say who the peer is and what it took, or that there is none."""
    if row.peer is None:
        return "no peer"
    name = f"{row.peer.name} {row.peer.version}".strip()
    if row.peer.seconds is None:
        return f"{name}: {row.peer.note}"
    return f"{name}: {seconds_text(row.peer.seconds)}, {row.peer.note}"


def ratio_text(row: Row) -> str:
    """Say how many times faster than the peer."""
    return "–" if row.ratio is None else f"{row.ratio:,.0f}×" if row.ratio >= 10 else f"{row.ratio:.1f}×"
