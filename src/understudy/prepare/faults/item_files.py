"""Faults of files that items name: missing, out of bounds, unreadable, or not declared."""

from collections.abc import Iterator
from pathlib import Path

from understudy.errors import UnderstudyError
from understudy.prepare.assets import asset_faults, with_paths
from understudy.prepare.item_files import file_fault
from understudy.registry import create
from understudy.schema import Ref, Study
from understudy.sources.named_files import NamedFile, NamesFiles

MAX_NAMED = 20
"""Faults of one dataset that are named one by one."""


def item_file_faults(study: Study, root: Path) -> Iterator[str]:
    """Yield the faults of files that items name, in every dataset of the study."""
    datasets = [(f"Item set {item_set.name!r}", item_set.dataset) for item_set in study.item_sets]
    datasets += [(f"Binding {number}", binding.dataset) for number, binding in enumerate(study.bindings, start=1)]
    for where, ref in datasets:
        faults = [] if ref is None else _faults_of(ref, root)
        yield from (f"{where}, {fault}" for fault in faults[:MAX_NAMED])
        if len(faults) > MAX_NAMED:
            yield f"{where}, {len(faults) - MAX_NAMED} more files have such faults."


def _faults_of(ref: Ref, root: Path) -> list[str]:
    try:
        if any(asset_faults("datasets", ref, root)):
            return []
        dataset = create("datasets", with_paths("datasets", ref, root))
        named = dataset.named_files() if isinstance(dataset, NamesFiles) else []
    except UnderstudyError:
        # What keeps a dataset from being opened is reported with its name, or when its items are drawn.
        return []
    folder = (dataset.file_folder if isinstance(dataset, NamesFiles) else None) or root
    return [fault for file in named if (fault := _fault(file, folder)) is not None]


def _fault(file: NamedFile, folder: Path) -> str | None:
    where = f"{file.item}, {file.field!r}"
    if not file.is_declared:
        return (
            f"{where}: {file.path!r} looks like a picture, but is not shipped with the study. Declare {file.field!r} under "
            "`files` of the dataset."
        )
    fault = file_fault(folder, file.path)
    return None if fault is None else f"{where}: {file.path!r} {fault}"
