"""The registry imports the catalogue it is asked for, and no other."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from understudy import registry
from understudy.errors import UnderstudyError
from understudy.schema import Record

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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def (", "SyntaxError in 'broken_lab': .*line 1"),
        ("import a_library_that_nobody_has", "ModuleNotFoundError in 'broken_lab': No module named"),
        ("1 / 0", "ZeroDivisionError in 'broken_lab': division by zero. Correct it, update it or uninstall it."),
    ],
)
def test_a_package_that_cannot_be_imported_is_named_in_a_sentence(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_lab.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "entry_points", lambda group: [EntryPoint("of_a_lab", "broken_lab", group)])
    monkeypatch.setattr(registry, "_loaded", set())
    monkeypatch.setattr(registry, "_points", {})
    with pytest.raises(UnderstudyError, match=f"The installed package 'broken_lab' cannot be imported: {words}"):
        registry.names("measures")


@pytest.mark.usefixtures("forgetful_registry")
def test_a_name_that_two_packages_register_is_refused_with_both() -> None:
    class Mine(Record):
        pass

    class Yours(Record):
        pass

    registry.register("measures", "shared_name")(Mine)
    with pytest.raises(UnderstudyError, match=r"'shared_name' among the measures .*Mine and .*Yours"):
        registry.register("measures", "shared_name")(Yours)
