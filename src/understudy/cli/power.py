"""`understudy power`: estimate how many people a study needs by simulating it."""

import json
import shlex
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from understudy.actions.casts import cast_from, level_from
from understudy.actions.power import (
    DetectableEffect,
    NeededSize,
    PowerQuestion,
    detectable_effects,
    needed_sizes,
    power_points,
)
from understudy.actions.workers import parallel_backend
from understudy.cli.progress import progress
from understudy.cli.studies import load_study
from understudy.errors import UnderstudyError
from understudy.report import write_power_figure
from understudy.report.planning import SUFFIXES
from understudy.schema import PowerPoint

# What a grid of power says, in sentences: the people an effect needs, and the effect that people can show.


def power_sentences(
    points: Sequence[PowerPoint], *, smallest: float | None, target: float, currency: str
) -> Iterator[str]:
    """Yield one sentence per hypothesis: of the smallest effect of interest if there is one, of each size otherwise."""
    if smallest is None:
        yield from (_of_effect(found, target) for found in detectable_effects(points, target))
        return
    largest = max(point.quota for point in points)
    for needed in needed_sizes(points, smallest, target):
        yield _of_size(needed, f"{target:.0%} power for an effect of {smallest:g}", largest, currency)


def _of_size(needed: NeededSize, wanted: str, largest: int, currency: str) -> str:
    about = _about(needed.hypothesis_id, needed.n_items)
    if needed.quota is None:
        return f"{about} needs more than {largest} people per condition for {wanted}: add larger sizes to --n."
    enough = "at most " if needed.is_bound else ""
    cost = f" and about {needed.cost:,.0f} {currency}" if needed.cost is not None else ""
    return f"{about} needs {enough}{needed.quota} people per condition for {wanted}: {needed.recruited:.0f} to recruit{cost}."


def _of_effect(found: DetectableEffect, target: float) -> str:
    about = f"{_about(found.hypothesis_id, found.n_items)}: with {found.quota} people per condition,"
    if found.effect is None:
        return f"{about} no effect size you tried reaches {target:.0%} power."
    shown = (
        f"even {found.effect:.2g}, the smallest effect you tried,"
        if found.is_bound
        else f"an effect of {found.effect:.2g}"
    )
    return f"{about} {shown} reaches {target:.0%} power."


def _about(hypothesis_id: str, n_items: int | None) -> str:
    return hypothesis_id if n_items is None else f"{hypothesis_id} with {n_items} items"


def power(
    study: str,
    *,
    on: str,
    n: str,
    effects: str,
    items: str | None,
    smallest: float | None,
    target: float,
    simulations: int,
    cast: str | None,
    seed: int,
    workers: int | None,
    engine: str,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Estimate power by simulating the whole study, plan included, over a grid of sizes and effects."""
    if figure is not None and figure.suffix not in SUFFIXES:
        raise UnderstudyError(f"{figure.name} ends in {figure.suffix or 'nothing'!r}; draw to {' or '.join(SUFFIXES)}.")
    located = load_study(study)
    question = PowerQuestion(
        study=located.study, root=located.root, cast=cast_from(cast, located.study),
        sizes=tuple(int(number) for number in _numbers(n, "--n", most=1_000_000)), effects=_effects(effects, smallest),
        items=(None,) if items is None else tuple(int(number) for number in _numbers(items, "--items", most=100_000)),
        on=level_from(on, located.study), n_simulations=simulations, seed=seed,
    )  # fmt: skip
    total = len(question.sizes) * len(question.effects) * len(question.items) * simulations
    simulating = progress("Simulating studies", total, is_quiet=as_json)
    with parallel_backend(engine), simulating as advance, located.faults_named():
        points = power_points(question, n_workers=workers, on_progress=advance)
    if figure is not None:
        write_power_figure(points, figure, target=target)
    if as_json:
        typer.echo(json.dumps([point.model_dump(mode="json") for point in points], indent=2))
        return
    currency = located.study.pay.currency if located.study.pay else ""
    _print(points, simulations, currency)
    for sentence in power_sentences(points, smallest=smallest, target=target, currency=currency):
        typer.echo(sentence)
    typer.echo(f"Next: set assignment.quota in the study, then: understudy preregister {shlex.quote(study)}")


def _numbers(text: str, option: str, *, most: int | None = None) -> tuple[float, ...]:
    """Read numbers separated by commas; with a limit, they are counts."""
    try:
        numbers = tuple(float(part) if most is None else int(part) for part in text.split(","))
    except ValueError:
        kind, example = ("numbers", "0,0.5") if most is None else ("whole numbers", "20,40,80")
        raise UnderstudyError(f"{option} is {text!r}; give {kind} separated by commas, such as {example}.") from None
    if most is not None and min(numbers) < 1:
        raise UnderstudyError(f"{option} is {text!r}; every size must be at least 1.")
    if most is not None and max(numbers) > most:
        raise UnderstudyError(f"{option} is {text!r}; every size must be at most {most:,}.")
    if not all(map(isfinite, numbers)):
        raise UnderstudyError(f"{option} is {text!r}; every number must be finite.")
    return numbers


def _effects(text: str, smallest: float | None) -> tuple[float, ...]:
    effects = _numbers(text, "--effects")
    if smallest is None or smallest in effects:
        return effects
    if not isfinite(smallest) or smallest <= 0:
        raise UnderstudyError(f"--smallest is {smallest:g}; give an effect above 0, such as 0.4.")
    return tuple(sorted((*effects, smallest)))


def _print(points: tuple[PowerPoint, ...], n_simulations: int, currency: str) -> None:
    table = Table(title=f"SIMULATED: share of {n_simulations} studies that support each hypothesis")
    has_items, has_cost = (any(value is not None for value in column) for column in zip(*((point.n_items, point.mean_cost) for point in points), strict=True))  # fmt: skip
    headings = ["hypothesis", *(["items"] if has_items else []), "n per condition", "effect", "power"]
    headings += ["95 % interval", "to recruit", *([f"cost, {currency}"] if has_cost else [])]
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "hypothesis" else "right")
    for point in points:
        row = [point.hypothesis_id, *([str(point.n_items)] if has_items else []), str(point.quota), f"{point.effect:g}"]
        row += [f"{point.power:.3f}", f"{point.low:.3f} to {point.high:.3f}", f"{point.mean_recruited:.0f}"]
        table.add_row(*row, *([f"{point.mean_cost or 0:,.0f}"] if has_cost else []))
    Console().print(table)
