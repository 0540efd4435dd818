"""`understudy analyze`: runs a plan on data collected anywhere."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from understudy.cli.findings_view import print_findings
from understudy.report import write_report
from understudy.workflow.analyze import analyzed_file


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
    analyzed = analyzed_file(table, plan, seed)
    findings = analyzed.findings
    again = shlex.join(["understudy", "analyze", str(table), "--plan", str(plan)])
    if report is not None:
        write_report(findings, report, plan=analyzed.plan, points=analyzed.points, commands=(again,))
    if as_json:
        typer.echo(findings.model_dump_json(indent=2))
        return
    console = Console()
    print_findings(findings, console)
    message = f"Wrote {report}." if report else f"Next: {again} --report findings.html"
    console.print(f"\n{message}", style="dim", markup=False, soft_wrap=True)
