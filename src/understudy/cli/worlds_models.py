"""`understudy worlds importance` and `observe`: what a model relies on, and what counterfactuals move."""

import shlex
from pathlib import Path
from typing import Literal

import numpy as np
import typer
from rich.console import Console

from understudy.cli.progress import progress
from understudy.cli.worlds_view import print_check, print_key
from understudy.errors import UnderstudyError
from understudy.inference.observer import observer_from_file
from understudy.protocols.sixt2022.printed_importance import TABLE_6
from understudy.roles import Pixels
from understudy.schema import RelevanceRule, text_from_relevance_key
from understudy.sources.number_files import array_from_npy
from understudy.workflow.worlds import (
    ImportanceOptions,
    ModelName,
    n_pictures,
    observer_check,
    picture_model,
    pictures_from_grid_folder,
    relevance_key,
    relevance_key_from_file,
    world_from_source,
)


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
    check = observer_check(_rows(pictures), opened, should_move, name=opened.card.name)
    if as_json:
        typer.echo(check.model_dump_json(indent=1))
    else:
        print_check(check, Console(), has_paper=set(opened.attributes) == set(TABLE_6))
    if not check.passes:
        raise UnderstudyError("\n".join(check.faults))


def _rows(path: Path) -> Pixels:
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
