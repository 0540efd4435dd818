"""`understudy analyze`: runs a plan on data collected anywhere."""

import shlex
from pathlib import Path

import typer
from rich.console import Console

from understudy.actions.analyze import analyzed_file
from understudy.cli.findings_view import print_findings
from understudy.report import write_report


def analyze(table: Path, *, plan: Path, seed: int, report: Path | None, as_json: bool) -> None:
    """Run an analysis plan on data collected anywhere."""
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
