"""`understudy check`: all faults of a study at once, before anyone is paid."""

import typer

from understudy.cli.studies import StudyArgument, found_study
from understudy.schema import Stage, blocks_in


def check(study: StudyArgument) -> None:
    """Check a study: its form, its flow, its items, its measures and its plan.

    Example: understudy check my-study.toml
    """
    found = found_study(study).study
    n_stages = sum(isinstance(block, Stage) for block in blocks_in(found.flow))
    typer.echo(
        f"{found.name} is sound. Conditions: {len(found.cells)}, stages: {n_stages}, "
        f"hypotheses: {len(found.plan.hypotheses)}. Version {found.digest[:12]}."
    )
    typer.echo(f"Next: understudy rehearse {study} --out runs/{found.name}")
