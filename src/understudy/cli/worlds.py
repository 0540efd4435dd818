"""`understudy worlds`: sample, audit, render and show worlds with known causes, and ask what a model relies on in one."""

import json
import shlex
import sys
from pathlib import Path

import typer
from rich.console import Console

from understudy.cli.progress import progress
from understudy.cli.worlds_view import print_audit, print_worlds
from understudy.errors import UnderstudyError
from understudy.report.joint_figure import write_joint_figure
from understudy.roles import Table
from understudy.schema import json_from_record
from understudy.sources.csv_text import write_csv
from understudy.sources.scenes.many import ManyOptions
from understudy.sources.worlds import World, joint, render_table, unbiased, world_named, world_names
from understudy.sources.worlds import sample as rows_of
from understudy.workflow.parallel_backend import parallel_backend
from understudy.workflow.worlds import audited_world, contact_sheet, rows_by_class, world_from_source, write_sheet

N_FOR_FIGURE = 20_000


def list_worlds(*, as_json: bool) -> None:
    """List the worlds that come with the package."""
    known = {name: world_named(name) for name in world_names()}
    if as_json:
        typer.echo(json.dumps({name: json_from_record(world) for name, world in known.items()}, indent=2))
        return
    print_worlds(known, Console())
    typer.echo("Next: understudy worlds audit sixt2022")


def sample(
    world: str, *, n: int, seed: int, is_unbiased: bool, keep: list[str] | None, out: Path | None, as_json: bool
) -> None:
    """Draw rows of a world as a table: its class, its label and every attribute."""
    table = _rows(world_from_source(world), n, seed, _kept(keep, is_unbiased=is_unbiased))
    if as_json:
        typer.echo(table.to_json(orient="records", indent=2))
        return
    if out is None:
        write_csv(table, sys.stdout)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    write_csv(table, out)
    typer.echo(f"Wrote {n:,} rows to {out}.")
    _next("audit", world)


def audit(world: str, *, seed: int, n_train: int, n_test: int, as_json: bool) -> None:
    """Show what attributes give away about the class, before any picture is drawn."""
    opened = world_from_source(world)
    found = audited_world(opened, seed, n_train=n_train, n_test=n_test)
    if as_json:
        plain = {
            "world": opened.name,
            "trees": found.trees._asdict(),
            "rules": [rule._asdict() for rule in found.rules],
            "ranges": [report._asdict() for report in found.ranges],
        }
        typer.echo(json.dumps(plain, indent=2))
        return
    print_audit(opened, found, Console())
    _next("sheet", world, "--out", "sheet.png")


def render(
    world: str,
    out: Path,
    *,
    n: int,
    seed: int,
    edge: int,
    is_unbiased: bool,
    keep: list[str] | None,
    masks: bool,
    workers: int,
    engine: str,
) -> None:
    """Draw pictures of a world into a folder. Run it again to continue an interrupted run."""
    opened = world_from_source(world)
    table = _rows(opened, n, seed, _kept(keep, is_unbiased=is_unbiased))
    options = ManyOptions(edge=edge, keeps_masks=masks, n_workers=workers)
    n_shown = 0
    with progress("Drawing", n) as advance, parallel_backend(engine):

        def told(n_done: int, _total: int) -> None:
            nonlocal n_shown
            advance(n_done - n_shown)
            n_shown = n_done

        render_table(opened, table, out, options=options, progress=told)
    typer.echo(
        f"{n:,} pictures are in {out}. In a study, the dataset rendered_world reads them: folder = {str(out)!r}."
    )
    _next("importance", world, "--model", "model.onnx", "--edge", str(edge))


def sheet(
    world: str,
    *,
    out: Path,
    rows: int,
    columns: int,
    edge: int,
    seed: int,
    with_joint: str | None,
    against: list[str] | None,
) -> None:
    """Show a world at a glance: many pictures on one sheet, or joint distributions of its attributes."""
    opened = world_from_source(world)
    if against and with_joint is None:
        raise UnderstudyError("--against belongs to --joint, which names the attribute on the other axis. Give both.")
    if with_joint is not None:
        table = rows_of(opened, N_FOR_FIGURE, seed)
        others = against or _usual_others(opened, with_joint)
        write_joint_figure({name: joint(opened, table, with_joint, name) for name in others}, with_joint, out)
    else:
        table = rows_by_class(opened, rows * columns, seed)
        with progress("Drawing", len(table)) as advance:
            write_sheet(contact_sheet(opened, table, n_columns=columns, edge=edge, advance=advance), out)
    typer.echo(f"Wrote {out}.")
    _next("render", world, "pictures", "--n", "1000")


def _rows(world: World, n: int, seed: int, kept: list[str] | None) -> Table:
    """Draw rows as usual, or unbiased where a list of kept attributes is given."""
    return rows_of(world, n, seed) if kept is None else unbiased(world, n, seed, keeps=kept)


def _kept(keep: list[str] | None, *, is_unbiased: bool) -> list[str] | None:
    """Return the kept attributes of an unbiased draw, and None for a usual one."""
    if keep and not is_unbiased:
        raise UnderstudyError("--keep belongs to --unbiased: without it every attribute keeps its causes. Give both.")
    return (keep or []) if is_unbiased else None


def _usual_others(world: World, name: str) -> list[str]:
    """Return the attributes that people are asked about alone; for the paper's world, those of its figure."""
    world.attribute(name)
    return [names[0] for names in world.asked.values() if len(names) == 1 and names[0] != name]


def _next(*words: str) -> None:
    typer.echo(f"Next: understudy worlds {shlex.join(words)}")
