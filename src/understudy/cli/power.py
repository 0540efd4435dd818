"""`understudy power`: estimate how many people a study needs by simulating it."""

import json
import os
import shlex
from math import isfinite
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from understudy.cli.progress import progress
from understudy.cli.studies import StudyArgument, load_study
from understudy.errors import UnderstudyError
from understudy.report import write_power_figure
from understudy.report.power_figure import SUFFIXES
from understudy.schema import PowerPoint
from understudy.workflow.casting import cast_from, level_from
from understudy.workflow.parallel_backend import parallel_backend
from understudy.workflow.power import PowerQuestion, power_points


def power(
    study: StudyArgument,
    on: Annotated[str, typer.Option(help="Where the effect acts, as factor=level.")],
    n: Annotated[
        str, typer.Option("--n", help="Completed participants per condition, separated by commas.")
    ] = "20,40,80",
    effects: Annotated[
        str, typer.Option(help="Effects, separated by commas: log-odds for right answers, SDs elsewhere.")
    ] = "0,0.5",
    simulations: Annotated[int, typer.Option(min=1, help="Simulated studies for each cell of the grid.")] = 200,
    cast: Annotated[
        str | None,
        typer.Option(
            help="mixed, dials, relevance, predictions, one kind of person, or a cast file; the one that fits the study when absent."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all simulations.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes on this machine; all cores when absent.")
    ] = None,
    engine: Annotated[str, typer.Option(help="local, or a Dask scheduler as dask://host:port.")] = "local",
    figure: Annotated[Path | None, typer.Option(help="Draw the curves to this file (.svg, .png).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the grid as JSON only.")] = False,
) -> None:
    """Estimate power: assignment, dropout, exclusions and the very plan, over a grid of sizes and effects.

    Example: understudy power loan-demo --on explanation=shown --n 30,60 --effects 0,0.5
    """
    if figure is not None and figure.suffix not in SUFFIXES:
        raise UnderstudyError(f"{figure.name} ends in {figure.suffix or 'nothing'!r}; draw to {' or '.join(SUFFIXES)}.")
    located = load_study(study)
    question = PowerQuestion(
        study=located.study, root=located.root, cast=cast_from(cast, located.study),
        sizes=tuple(int(number) for number in _numbers(n, "--n", whole=True)), effects=_numbers(effects, "--effects"),
        on=level_from(on, located.study), n_simulations=simulations, seed=seed,
    )  # fmt: skip
    total = len(question.sizes) * len(question.effects) * simulations
    simulating = progress("Simulating studies", total, is_quiet=as_json)
    with parallel_backend(engine), simulating as advance, located.faults_named():
        points = power_points(question, n_workers=workers or os.cpu_count() or 1, on_progress=advance)
    if figure is not None:
        write_power_figure(points, figure)
    if as_json:
        typer.echo(json.dumps([point.model_dump(mode="json") for point in points], indent=2))
        return
    _print(points, simulations)
    typer.echo(f"Next: set assignment.quota in the study, then: understudy preregister {shlex.quote(study)}")


def _numbers(text: str, option: str, *, whole: bool = False) -> tuple[float, ...]:
    try:
        numbers = tuple(float(int(part)) if whole else float(part) for part in text.split(","))
    except ValueError:
        kind, example = ("whole numbers", "20,40,80") if whole else ("numbers", "0,0.5")
        raise UnderstudyError(f"{option} is {text!r}; give {kind} separated by commas, such as {example}.") from None
    if not all(map(isfinite, numbers)):
        raise UnderstudyError(f"{option} is {text!r}; every number must be finite.")
    if whole and min(numbers) < 1:
        raise UnderstudyError(f"{option} is {text!r}; every size must be at least 1.")
    return numbers


def _print(points: tuple[PowerPoint, ...], n_simulations: int) -> None:
    table = Table(title=f"SIMULATED: share of {n_simulations} studies that support each hypothesis")
    for heading in (
        "hypothesis",
        "n per condition",
        "effect",
        "power",
        "95 % Monte Carlo interval",
        "people to recruit",
    ):
        table.add_column(heading, justify="left" if heading == "hypothesis" else "right")
    for point in points:
        table.add_row(
            point.hypothesis_id, str(point.quota), f"{point.effect:g}", f"{point.power:.3f}", f"{point.low:.3f} to {point.high:.3f}",
            f"{point.mean_recruited:.0f}",
        )  # fmt: skip
    Console().print(table)
