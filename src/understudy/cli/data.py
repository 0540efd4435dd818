"""`understudy data`: download datasets and list them."""

import os
from pathlib import Path

import typer

from understudy.cli.progress import progress
from understudy.sources.data_folder import data_folder
from understudy.sources.photos.pets import FOLDER as PET_FOLDER
from understudy.workflow.downloads.pets import LICENCE, PET_FILES, fetch_pets, has_pets
from understudy.workflow.downloads.published import PETS, PUBLISHED, fetch, is_downloaded


def get(name: str, *, folder: Path | None) -> None:
    """Download a dataset and check it. Files that are already there stay."""
    target = folder or data_folder(os.environ)
    if name == PETS:
        _get_pets(target)
        return
    with progress(f"Fetching {name}", len(PUBLISHED.get(name, ()))) as advance:
        n_fetched = fetch(name, target, on_file=lambda: advance(1))
    typer.echo(f"{name} is in {target / name}" + (f": {n_fetched} files fetched." if n_fetched else " already."))


def _get_pets(target: Path) -> None:
    typer.echo(LICENCE)
    if has_pets(target):
        typer.echo(f"{PETS} is in {target / PET_FOLDER} already.")
        return
    with progress(f"Fetching {PETS} (bytes)", sum(file.n_bytes for file in PET_FILES)) as advance:
        out = fetch_pets(target, on_bytes=advance)
    typer.echo(f"{PETS} is in {out}. You can delete {target / PETS}, which has the original archives.")


def list_data(*, folder: Path | None) -> None:
    """List the datasets, and which of them are there."""
    target = folder or data_folder(os.environ)
    typer.echo("sinelines: made when needed")
    typer.echo("dsprites: drawn when needed; the official npz file can be read instead")
    for name, files in PUBLISHED.items():
        if is_downloaded(name, target):
            typer.echo(f"{name}: in {target / name}")
            continue
        has_some = any((target / name / file.name).is_file() for file in files)
        state = f"not as it was published in {target / name}" if has_some else "not there"
        typer.echo(f"{name}: {state}; run: understudy data get {name}")
    where = f"in {target / PET_FOLDER}" if has_pets(target) else f"not there; run: understudy data get {PETS} (0.8 GB)"
    typer.echo(f"{PETS}: {where}")
    typer.echo("creatures: drawn when needed")
