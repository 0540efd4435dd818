"""Print the result of a browser rehearsal to a terminal."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from understudy.workflow.browser.notes import BrowserRehearsal


def print_browser_rehearsal(rehearsal: BrowserRehearsal, console: Console) -> None:
    """Print people, screens and faults."""
    window = f"{rehearsal.width_px} x {rehearsal.height_px}"
    console.print(Text(f"{rehearsal.study_name} in Chromium, window {window}, seed {rehearsal.seed}", style="bold"))
    console.print(Text("SYNTHETIC: simulated people, not evidence about people.", style="bold white on red"))
    outcomes = ", ".join(f"{n} {outcome}" for outcome, n in rehearsal.outcomes.items())
    console.print(f"People: {rehearsal.n_people} ({outcomes or 'nobody'})")
    if rehearsal.is_full:
        console.print("The study was full before all of them had started.")
    console.print(f"Screens shown: {rehearsal.n_screens}")
    console.print(_screens(rehearsal))
    if not rehearsal.faults:
        console.print(f"Faults: none (no page or console error, no failed request, nothing wider than {window}).")
        return
    console.print(_faults(rehearsal))


def _screens(rehearsal: BrowserRehearsal) -> Table:
    table = Table(box=box.SIMPLE)
    table.add_column("block")
    table.add_column("task")
    for heading in ("screens", "median s", "slowest s"):
        table.add_column(heading, justify="right")
    for block in rehearsal.blocks:
        times = (f"{block.median_ms / 1000:.2f}", f"{block.slowest_ms / 1000:.2f}")
        table.add_row(block.block_id, block.task, str(block.n_screens), *times)
    return table


def _faults(rehearsal: BrowserRehearsal) -> Table:
    table = Table(box=box.SIMPLE, title="Faults", title_justify="left", title_style="bold")
    for heading in ("kind", "block", "times", "what"):
        table.add_column(heading, justify="right" if heading == "times" else "left")
    for fault in rehearsal.faults:
        style = "yellow" if fault.kind == "overflow" else "red"
        table.add_row(Text(fault.kind, style=style), fault.block_id, str(fault.n_times), Text(fault.said))
    return table
