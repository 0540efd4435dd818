"""`understudy join`: both parts of a longitudinal study as one table, and who was lost in between."""

from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from understudy.errors import UnderstudyError
from understudy.parquet import write_frame
from understudy.sources.csv_text import write_csv
from understudy.workflow.longitudinal.parts import JoinedParts, joined_parts
from understudy.workflow.runs.run_folder import existing_run


def join(first: Path, second: Path, *, out: Path) -> None:
    """Join the parts of a longitudinal study person by person, with the change of every measure."""
    if out.suffix not in (".csv", ".parquet"):
        raise UnderstudyError(f"{out} must end in .csv or .parquet.")
    joined = joined_parts(existing_run(first), existing_run(second))
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix == ".csv":
        write_csv(joined.people, out)
    else:
        with out.open("wb") as stream:
            write_frame(joined.people, stream)
    _print(joined, Console())
    changes = ", ".join(f"change_{name}" for name in joined.compared)
    typer.echo(f"\nWrote {out}: one row for each person of the earlier part, with {changes or 'no common measures'}.")


def _print(joined: JoinedParts, console: Console) -> None:
    if joined.is_synthetic:
        console.print("SYNTHETIC: simulated people, not evidence about people.", style="bold white on red")
    table = Table()
    for heading in ("condition", "started", "invited", "came back", "completed", "lost"):
        table.add_column(heading, justify="left" if heading == "condition" else "right")
    for row in joined.flow:
        lost = "–" if row.lost_share is None else f"{100 * row.lost_share:.0f} %"
        table.add_row(row.condition, *map(str, (row.n_started, row.n_invited, row.n_came, row.n_completed)), lost)
    console.print(table)
    console.print(joined.sentence)
