"""The registry imports the catalogue it is asked for, and no other."""

from importlib.metadata import EntryPoint

import pytest

from understudy import registry

GROUP = "understudy.catalogues"


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stand in for the installed packages, and note which modules are imported."""
    seen: list[str] = []
    points = [EntryPoint(name, f"modules.{name}", GROUP) for name in ("analyses", "designs", "measures", "of_a_lab")]
    monkeypatch.setattr(registry, "entry_points", lambda group: [point for point in points if point.group == group])
    monkeypatch.setattr(EntryPoint, "load", lambda self: seen.append(self.name))
    monkeypatch.setattr(registry, "_loaded", set())
    monkeypatch.setattr(registry, "_points", {})
    return seen


def test_only_the_wanted_catalogue_is_imported(imported: list[str]) -> None:
    registry.names("measures")
    assert imported == ["measures", "of_a_lab"]


def test_a_catalogue_that_lives_with_another_brings_it_in(imported: list[str]) -> None:
    registry.names("orderings")
    assert imported == ["designs", "of_a_lab"]


def test_a_catalogue_is_looked_for_once(imported: list[str]) -> None:
    registry.names("checks")
    registry.names("checks")
    assert imported == ["analyses", "of_a_lab"]


def test_extensions_are_imported_without_asking_for_a_catalogue(imported: list[str]) -> None:
    registry.load_extensions()
    assert imported == ["of_a_lab"]
