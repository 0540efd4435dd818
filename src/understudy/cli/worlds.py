"""`understudy worlds`: sample, audit, render and show worlds with known causes, and ask what a model relies on in one."""

import json
import shlex
import sys
from pathlib import Path
from typing import Literal

import numpy as np
import typer
from rich.console import Console

from understudy.actions.importance import (
    ImportanceOptions,
    ModelName,
    n_pictures,
    relevance_key,
    relevance_key_from_file,
)
from understudy.actions.workers import parallel_backend
from understudy.actions.worlds import audited_world, contact_sheet, rows_by_class, world_from_source, write_sheet
from understudy.cli.progress import progress
from understudy.cli.worlds_view import print_audit, print_check, print_key, print_worlds
from understudy.errors import MaterialsError, UnderstudyError
from understudy.inference.onnx_models import observer_from_file
from understudy.models.picture_models import picture_model
from understudy.protocols.sixt2022.printed import TABLE_6
from understudy.report.material_figures import write_joint_figure
from understudy.roles import Pixels, Table
from understudy.schema import RelevanceRule, json_from_record, text_from_relevance_key
from understudy.sources.csv_text import write_csv
from understudy.sources.files import array_from_npy
from understudy.worlds.audit import joint
from understudy.worlds.creature_sets import CreatureSet, SetPart, species_sheet, write_creatures
from understudy.worlds.families import world_named, world_names
from understudy.worlds.observer_check import observer_check, pictures_from_grid_folder
from understudy.worlds.pictures import ManyOptions, render_table
from understudy.worlds.sampling import sample as rows_of
from understudy.worlds.sampling import unbiased
from understudy.worlds.world import World

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


# `understudy worlds species` and `understudy worlds creatures`: generated animals whose parts can be removed.


def species(*, out: Path, n_species: int, edge: int) -> None:
    """Draw one creature of each species on a sheet."""
    if out.suffix != ".png":
        raise MaterialsError(f"{out.name} does not end in .png. Write a sheet to a file that does.")
    write_sheet(species_sheet(n_species, edge=edge), out)
    typer.echo(f"Wrote {n_species} species to {out}.")


def creatures(out: Path, *, n: int, part: SetPart, seed: int, edge: int, n_species: int) -> None:
    """Draw creatures and the masks of their parts into a folder. Run it again to continue an interrupted run."""
    chosen = CreatureSet(n=n, seed=seed, part=part, n_species=n_species, edge=edge)
    n_shown = 0
    with progress("Drawing", n) as advance:

        def told(n_done: int, _total: int) -> None:
            nonlocal n_shown
            advance(n_done - n_shown)
            n_shown = n_done

        write_creatures(chosen, out, progress=told)
    typer.echo(f"{n:,} creatures are in {out}. In a study, the dataset creatures reads them: folder = {str(out)!r}.")


# `understudy worlds importance` and `observe`: what a model relies on, and what counterfactuals move.


def importance(
    world: str,
    *,
    model: str,
    n: int,
    seed: int,
    mode: Literal["all_parents", "class_only"],
    edge: int | None,
    threshold: float,
    out: Path | None,
    as_json: bool,
) -> None:
    """Measure what a model relies on: change one attribute of its pictures at a time, and watch the answer."""
    opened = world_from_source(world)
    found = picture_model(model, opened, edge=edge)
    rule = RelevanceRule() if threshold == RelevanceRule().r_squared else RelevanceRule(
        r_squared=threshold, reason="The threshold was chosen by hand."
    )  # fmt: skip
    options = ImportanceOptions(n=n, seed=seed, edge=found.edge, mode=mode, rule=rule)
    with progress("Drawing and asking", n_pictures(opened, options), is_quiet=as_json) as advance:
        named = ModelName(found.name, found.digest)
        key = relevance_key(opened, found.model, options, named=named, advance=advance)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text_from_relevance_key(key), encoding="utf-8")
    if as_json:
        typer.echo(text_from_relevance_key(key), nl=False)
        return
    print_key(key, Console())
    again = shlex.join(
        ["understudy", "worlds", "importance", world, "--model", model, "--n", str(n), "--out", "answer_key.json"]
    )
    typer.echo(f"Next: {again}" if out is None else f"Wrote {out}. Next: understudy new my-study.toml")


def observe(pictures: Path, *, observer: Path, moves: list[str] | None, key: Path | None, as_json: bool) -> None:
    """Check counterfactual pictures before a study: do they move what they should, and nothing else?"""
    if bool(moves) == (key is not None):
        raise UnderstudyError("Give either --moves, once for each attribute that should change, or --key.")
    should_move = relevance_key_from_file(key) if key is not None else (moves or [])
    opened = observer_from_file(observer)
    check = observer_check(_worlds_models_rows(pictures), opened, should_move, name=opened.card.name)
    if as_json:
        typer.echo(check.model_dump_json(indent=1))
    else:
        print_check(check, Console(), has_paper=set(opened.attributes) == set(TABLE_6))
    if not check.passes:
        raise UnderstudyError("\n".join(check.faults))


def _worlds_models_rows(path: Path) -> Pixels:
    if path.is_dir():
        return pictures_from_grid_folder(path)
    if not path.is_file():
        raise UnderstudyError(
            f"{path} is neither a folder nor a file. Correct the path, or write pictures with numpy.save."
        )
    values = array_from_npy(path)
    if values.dtype != np.uint8:
        raise UnderstudyError(
            f"{path} holds {values.dtype}, and pictures have 8 bits. Save them as uint8 from 0 to 255."
        )
    return values
