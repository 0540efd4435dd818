"""Catalogues that list their entries list all of them, each under the module that registers it."""

import importlib
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import pytest

from understudy import registry

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
