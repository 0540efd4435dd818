"""`understudy analyze`: runs a plan on data collected anywhere."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from understudy.cli.findings_view import print_findings
from understudy.workflow.analyze import findings_from_file


def analyze(
    table: Annotated[Path, typer.Argument(help="The table, .csv or .parquet: one row per trial or per participant.")],
    plan: Annotated[Path, typer.Option(help="The plan file, .toml or .yaml: how to read the table, and what to test.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of every resampling method.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings record as JSON only.")] = False,
) -> None:
    """Run an analysis plan on data collected anywhere.

    Example: understudy analyze responses.csv --plan plan.toml
    """
    findings = findings_from_file(table, plan, seed)
    if as_json:
        typer.echo(findings.model_dump_json(indent=2))
        return
    console = Console()
    print_findings(findings, console)
    again = shlex.join(["understudy", "analyze", str(table), "--plan", str(plan), "--json"])
    console.print(f"\nNext: {again} > findings.json", style="dim", markup=False, soft_wrap=True)
