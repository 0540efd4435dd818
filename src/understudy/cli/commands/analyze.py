"""The options of `understudy analyze`."""

from pathlib import Path
from typing import Annotated

import typer


def analyze(
    table: Annotated[Path, typer.Argument(help="The table, .csv or .parquet: one row per trial or per participant.")],
    plan: Annotated[Path, typer.Option(help="The plan file, .toml or .yaml: how to read the table, and what to test.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of every resampling method.")] = 0,
    report: Annotated[Path | None, typer.Option(help="Also write the findings as a self-contained page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings record as JSON only.")] = False,
) -> None:
    """Run an analysis plan on data collected anywhere.

    Example: understudy analyze responses.csv --plan plan.toml
    """
    from understudy.cli import analyze as work

    work.analyze(table, plan=plan, seed=seed, report=report, as_json=as_json)
