"""Names -> catalogue entries, ours and third parties', found through one entry-point group.

A package joins by an entry point in the group `understudy.catalogues` that names a module; importing that module
registers its entries. The built-in catalogues use the same mechanism. An entry point named after a catalogue is
imported when that catalogue is first used, so that a server needs no statistics; any other, with the first catalogue.
A package whose `ENTRIES` say which of its modules registers which names is imported module by module, each when one of
its names is first used.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from pydantic import ValidationError

from understudy.errors import UnderstudyError, UnknownName, nearest
from understudy.schema import Record, Ref, sentences_from_validation

Catalogue: TypeAlias = Literal[
    "datasets",
    "models",
    "explainers",
    "model_explainers",
    "tasks",
    "designs",
    "orderings",
    "participants",
    "measures",
    "analyses",
    "checks",
    "distances",
    "concepts",
    "trainers",
    "recruiters",
]
Entry = TypeVar("Entry", bound=type[Record])

_CATALOGUES: frozenset[str] = frozenset(get_args(Catalogue))
_KEPT_IN: dict[str, str] = {"orderings": "designs", "checks": "analyses"}
"""Catalogues whose entries register in the module of another."""
_entries: dict[tuple[str, str], type[Record]] = {}
_modules: dict[tuple[str, str], str] = {}
"""The module that registers each entry of a package with `ENTRIES`."""
_loaded: set[str] = set()
_points: dict[tuple[str, ...], tuple[EntryPoint, ...]] = {}
"""The entry points that were found on a path, because reading those of all installed packages takes a while."""


def register(catalogue: Catalogue, name: str) -> Callable[[Entry], Entry]:
    """Put a class into a catalogue under a name that study files can use."""

    def enter(entry: Entry) -> Entry:
        # Importing a module twice registers the same class again, which is harmless; another class is a mistake.
        taken = _entries.setdefault((catalogue, name), entry)
        if taken is not entry:
            raise UnderstudyError(
                f"The name {name!r} among the {catalogue} is registered by two packages: {_place_of(taken)} and "
                f"{_place_of(entry)}. Rename one of them, or uninstall its package."
            )
        return entry

    return enter


def names(catalogue: Catalogue) -> tuple[str, ...]:
    """Return the names of a catalogue, sorted."""
    _load(catalogue)
    return tuple(sorted(name for owner, name in {*_entries, *_modules} if owner == catalogue))


def entries(catalogue: Catalogue) -> tuple[Any, ...]:
    """Return the classes of a catalogue in the order in which its package names or registers them."""
    _load(catalogue)
    keys = [key for key in dict.fromkeys([*_modules, *_entries]) if key[0] == catalogue]
    return tuple(entry(catalogue, name) for _, name in keys)


def entry(catalogue: Catalogue, name: str) -> type[Record]:
    """Return the class registered under a name."""
    _load(catalogue)
    key = (catalogue, name)
    if key in _modules:
        import_module(_modules[key])
    entry_class = _entries.get(key)
    if entry_class is None:
        known = names(catalogue)
        raise UnknownName(f"{name!r} is not among the {catalogue}.{nearest(name, known)} Known: {', '.join(known)}.")
    return entry_class


def offers(catalogue: Catalogue, name: str, ability: type) -> bool:
    """Tell whether an entry declares an ability, without building it; an unknown name declares none.

    For abilities that a class has by itself: methods, properties and class variables, not parameters.
    """
    return name in names(catalogue) and isinstance(entry(catalogue, name), ability)


def create(catalogue: Catalogue, ref: Ref) -> Any:
    """Build the entry a Ref names, with its parameters checked."""
    entry_class = entry(catalogue, ref.name)
    try:
        return entry_class(**ref.params)
    except ValidationError as error:
        faults = sentences_from_validation(error, entry_class)
        raise UnknownName(f"The parameters of {catalogue} entry {ref.name!r} do not fit: {' '.join(faults)}") from None


def load_extensions() -> None:
    """Import every module whose entry point is not named after a catalogue: those bring kinds of explanations."""
    for point in _found_points():
        if point.name not in _CATALOGUES:
            _imported(point)


def _load(catalogue: Catalogue) -> None:
    if catalogue in _loaded:
        return
    wanted = {catalogue, _KEPT_IN.get(catalogue, catalogue)}
    for point in _found_points():
        if point.name in wanted or point.name not in _CATALOGUES:
            _note_modules(_imported(point))
    # Marked only now: a module that cannot be imported must fail each time, not leave a catalogue half empty.
    _loaded.add(catalogue)


def _imported(point: EntryPoint) -> Any:
    """Import the module of an entry point, or say in a sentence whose package cannot be imported."""
    try:
        return point.load()
    except UnderstudyError:
        raise
    except Exception as error:
        package = point.module.partition(".")[0] if point.dist is None else point.dist.name
        if package == "understudy":
            raise
        # Any error at all, because importing runs the code of somebody else. Its traceback stays as the cause.
        raise UnderstudyError(
            f"The installed package {package!r} cannot be imported: {type(error).__name__} in {point.value!r}: "
            f"{str(error).rstrip('.')}. Correct it, update it or uninstall it."
        ) from error


def _place_of(entry_class: type[Record]) -> str:
    return f"{entry_class.__module__}.{entry_class.__qualname__}"


def _found_points() -> tuple[EntryPoint, ...]:
    path = tuple(sys.path)
    if path not in _points:
        _points[path] = tuple(entry_points(group="understudy.catalogues"))
    return _points[path]


def _note_modules(package: Any) -> None:
    for catalogue, modules in getattr(package, "ENTRIES", {}).items():
        for module, registered in modules.items():
            _modules.update({(catalogue, name): f"{package.__name__}.{module}" for name in registered})
