"""Catalogues that list their entries list all of them, each under the module that registers it."""

import importlib
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from pkgutil import walk_packages
from types import ModuleType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pytest

from understudy import registry
from understudy.schema import Cast, Reanalysis, Record, Study

LISTING = [
    module for point in entry_points(group="understudy.catalogues") if hasattr(module := point.load(), "ENTRIES")
]


def listed(package: ModuleType) -> Iterator[tuple[str, str, str]]:
    entries: Mapping[str, Mapping[str, tuple[str, ...]]] = package.ENTRIES
    for catalogue, modules in entries.items():
        for module, names in modules.items():
            yield from ((catalogue, name, f"{package.__name__}.{module}") for name in names)


@pytest.mark.parametrize("package", LISTING, ids=lambda package: package.__name__)
def test_each_entry_is_in_the_module_that_is_listed(package: ModuleType) -> None:
    catalogues: Any = registry
    wrong = [
        f"{catalogue}/{name}: {found}, not {module}"
        for catalogue, name, module in listed(package)
        if (found := catalogues.entry(catalogue, name).__module__) != module
    ]
    assert wrong == []


@pytest.mark.parametrize("package", LISTING, ids=lambda package: package.__name__)
def test_no_entry_is_left_out_of_the_list(package: ModuleType) -> None:
    for found in walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(found.name)
    inside = f"{package.__name__}."
    registered = {
        (catalogue, name, entry.__module__)
        for (catalogue, name), entry in registry._entries.items()
        if catalogue in package.ENTRIES and entry.__module__.startswith(inside)
    }
    assert registered - set(listed(package)) == set(), "add these to ENTRIES"


def unlimited(kind: Any, where: str, limits: tuple[Any, ...] = (), seen: frozenset[Any] = frozenset()) -> Iterator[str]:
    """Yield the whole numbers of a type, records inside it included, that have no largest value."""
    if get_origin(kind) is Annotated:
        inner, *notes = get_args(kind)
        yield from unlimited(inner, where, (*limits, *notes), seen)
    elif isinstance(kind, type) and issubclass(kind, Record):
        if kind not in seen:
            kind.model_rebuild()
            for name, field in kind.model_fields.items():
                yield from unlimited(field.annotation, f"{kind.__name__}.{name}", tuple(field.metadata), seen | {kind})
    elif kind is int:
        noted = [note for limit in limits for note in (limit, *getattr(limit, "metadata", ()))]
        if not any(getattr(note, "le", None) is not None for note in noted):
            yield where
    else:
        # JSON values and answers have names of their own, without arguments: they are values, and count nothing.
        for part in get_args(kind):
            is_choice = get_origin(kind) in (Union, UnionType)
            yield from unlimited(part, where, limits if is_choice else (), seen)


def test_every_count_that_a_file_can_hold_has_a_limit() -> None:
    records = [Study, Reanalysis, Cast]
    records += [registry.entry(name, entry) for name in get_args(registry.Catalogue) for entry in registry.names(name)]
    found = {place for record in records for place in unlimited(record, record.__name__)}
    # Attributes of items are values that answers are compared with, and count nothing.
    assert found - {"ListedItem.attributes"} == set()
