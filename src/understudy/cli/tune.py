"""`understudy tune`: propose the skip and the threshold of questions with dials from a pilot."""

import json
from pathlib import Path

import typer

from understudy.measures.dials.tuning import DialTuning
from understudy.report.theme import SYNTHETIC
from understudy.report.tuning_figure import require_drawable, write_tuning_figure
from understudy.workflow.pilot_tuning import tunings_of
from understudy.workflow.runs.run_folder import existing_run


def tune(folder: Path, *, share: float, synthetic: bool, figure: Path | None, as_json: bool) -> None:
    """Propose, for each model with dials, when to offer the skip and which agreement counts as a match."""
    if figure is not None:
        require_drawable(figure)
    tunings = tunings_of(existing_run(folder), share=share, is_synthetic=synthetic)
    if as_json:
        typer.echo(json.dumps([tuning._asdict() for tuning in tunings], indent=2))
    else:
        if synthetic:
            typer.echo(SYNTHETIC)
        for tuning in tunings:
            typer.echo("\n".join(_sentences(tuning, share)))
        typer.echo(
            "Set them in the study file: skip_after_s in the params of the task, threshold in those of the dataset. "
            "After a change, prepare the study again. A pilot does not belong in the results."
        )
    if figure is not None:
        write_tuning_figure(tunings, figure, share=share, is_synthetic=synthetic)
        typer.echo(f"Drawn: {figure}", err=as_json)


def _sentences(tuning: DialTuning, share: float) -> list[str]:
    lines = [f"{tuning.name}: {tuning.n_solved} of {tuning.n_questions} questions solved at {tuning.threshold:g}."]
    if tuning.median_s is None:
        lines.append("  skip_after_s: nothing was solved, so there is no time to measure.")
    else:
        lines.append(
            f"  skip_after_s = {tuning.skip_after_s} (twice the median of {tuning.median_s:.0f} active seconds, rounded)"
        )
    if tuning.proposed is None:
        lines.append(f"  threshold: fewer than {share:.0%} of the questions reached {tuning.reached[0].threshold:g}.")
    else:
        lines.append(f"  threshold = {tuning.proposed:g} (the highest that {share:.0%} of the questions reached)")
    if tuning.n_near:
        lines.append(
            f"  {tuning.n_near} skipped question{'s' * (tuning.n_near > 1)} ended within 0.05 of the threshold: ask these "
            "people whether they took the pictures for a match."
        )
    return lines
