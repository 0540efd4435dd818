"""The registry imports the catalogue it is asked for, and no other."""

import re
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tests.small_studies import two_groups
from understudy import registry
from understudy.errors import UnderstudyError
from understudy.report.preregistration import preregistration_markdown
from understudy.schema import Record
from understudy.workflow.reporting.software import running_version, software_versions

GROUP = "understudy.catalogues"


@pytest.fixture(autouse=True)
def _nothing_was_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "TRIED", tmp_path / "tried")


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


Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a package with a module `mine` as pip would, for a registry that has loaded nothing."""
    for name in ("_loaded", "_points", "_modules"):
        monkeypatch.setattr(registry, name, type(getattr(registry, name))())

    def put(text: str, *, mine: str = "", points: str = "", is_last: bool = False, name: str = "a_lab") -> None:
        package, about = tmp_path / name, tmp_path / f"{name}-1.2.dist-info"
        package.mkdir()
        about.mkdir()
        (package / "__init__.py").write_text(text)
        (package / "mine.py").write_text(mine)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (about / "entry_points.txt").write_text(points or f"[understudy.catalogues]\nof_a_lab = {name}\n")
        monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)] if is_last else [str(tmp_path), *sys.path])
        monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.delitem(sys.modules, f"{name}.mine", raising=False)

    yield put
    for key, entry in list(registry._entries.items()):
        if entry.__module__.partition(".")[0] in ("a_lab", "b_lab"):
            del registry._entries[key]


MINE = "from understudy.schema import Record\nfrom understudy.registry import register\n"
CORRECT = f"{MINE}@register('measures', 'correct')\nclass Correct(Record):\n    pass\n"
USED = "Correct the package, update it or uninstall it."


@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize("text", ["ENTRIES = {'measures': {'mine': ['correct']}}", CORRECT])
def test_no_package_takes_the_name_of_a_built_in_wherever_it_is_on_the_path(
    text: str, is_last: bool, install: Install
) -> None:
    install(text, mine=CORRECT, is_last=is_last)
    with pytest.raises(UnderstudyError, match="The name 'correct' among the measures is registered by two packages"):
        registry.entry("measures", "correct")


def test_two_packages_of_others_cannot_share_a_name(install: Install) -> None:
    text = "ENTRIES = {'measures': {'mine': ['speed_of_reply']}}"
    install(text)
    install(text, name="b_lab")
    with pytest.raises(UnderstudyError, match=r"registered by two packages: .*_lab\.mine and .*_lab\.mine"):
        registry.names("measures")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import sys; sys.exit()", "SystemExit in 'a_lab'"),
        ("raise SystemExit('enough')", "SystemExit in 'a_lab': enough"),
        ("ENTRIES = ['correct']", "they are a list"),
        ("ENTRIES = None", "they are a NoneType"),
        ("ENTRIES = {'measurs': {'mine': ['a']}}", "'measurs' is not a catalogue. Did you mean 'measures'"),
        ("ENTRIES = {3: {'mine': ['a']}}", "3 is not a catalogue"),
        ("ENTRIES = {'measures': ['a']}", "what they say about 'measures' is a list"),
        ("ENTRIES = {'measures': {'mine': 'abc'}}", "'mine' is not a module with a list of names"),
        ("ENTRIES = {'measures': {'mine': 3}}", "'mine' is not a module with a list of names"),
        ("ENTRIES = {'measures': {None: ['a']}}", "None is not a module with a list of names"),
        ("ENTRIES = {'measures': {'mine': [3]}}", "3, a name of 'mine', is not a text"),
        ("ENTRIES = {'measures': {'mine': ['']}}", "'', a name of 'mine', is not a text"),
        (f"{MINE}register('measures', 3)(Record)", "An entry is registered as 3 in 'measures'"),
        (f"{MINE}register('measurs', 'a')(Record)", "An entry is registered as 'a' in 'measurs'"),
        ("from understudy.registry import no_such_name", "ImportError in 'a_lab'"),
        ("class E(Exception):\n    __str__ = None\nraise E", "E in 'a_lab'"),
        ("import os; os._exit(0)", "'a_lab' ends the process (status 0)"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "'a_lab' ends the process (status -9)"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt in 'a_lab'"),
        ("class E(dict):\n    items = None\nENTRIES = E()", "TypeError in its ENTRIES"),
    ],
)
def test_what_a_package_says_wrongly_of_itself_is_a_sentence(text: str, words: str, install: Install) -> None:
    install(text)
    with pytest.raises(UnderstudyError) as refused:
        registry.names("measures")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("mine", "words"),
    [
        ("", "'a_lab.mine' registers 'speed_of_reply' among the measures, but it does not"),
        ("1 / 0", "cannot be imported: ZeroDivisionError in its module 'a_lab.mine'"),
        ("raise SystemExit", "cannot be imported: SystemExit in its module 'a_lab.mine'"),
    ],
)
def test_a_module_that_does_not_hold_what_it_promises_is_a_sentence(mine: str, words: str, install: Install) -> None:
    install("ENTRIES = {'measures': {'mine': ['speed_of_reply']}}", mine=mine)
    with pytest.raises(UnderstudyError, match=words):
        registry.entry("measures", "speed_of_reply")


@pytest.mark.parametrize(
    "text", ["while True: pass", "while True:\n    try:\n        while True: pass\n    except BaseException: pass"]
)
def test_a_package_that_never_finishes_is_stopped(text: str, install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MOST_S", 1)
    install(text)
    with pytest.raises(UnderstudyError, match="'a_lab' does not finish within 1 seconds"):
        registry.names("measures")
    assert not registry.TRIED.exists()


def test_a_package_is_tried_once_until_its_files_change(install: Install, tmp_path: Path) -> None:
    install("ENTRIES = {'measures': {'mine': ['speed_of_reply']}}")
    registry.names("measures")
    (first,) = registry.TRIED.iterdir()
    changed = tmp_path / "a_lab" / "mine.py"
    changed.write_text("import os; os._exit(0)")
    with pytest.raises(UnderstudyError, match=r"'a_lab.mine' ends the process"):
        registry.entry("measures", "speed_of_reply")
    assert [*registry.TRIED.iterdir()] == [first]


def test_what_a_package_prints_stays_out_of_what_a_command_prints(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("print('hello')\nENTRIES = {}")
    registry.names("measures")
    assert capsys.readouterr() == ("", "hello\n")


def test_entry_points_that_are_not_a_text_are_a_sentence(install: Install, tmp_path: Path) -> None:
    install("")
    (tmp_path / "a_lab-1.2.dist-info" / "entry_points.txt").write_bytes(b"[understudy.catalogues]\nx = \xff\n")
    with pytest.raises(UnderstudyError, match=r"entry_points.txt of the installed package 'a_lab' cannot be read"):
        registry.names("measures")


@pytest.mark.parametrize("points", ["[understudy.catalogues]\na_lab\n", "[understudy.catalogues]\nx = ???\n"])
def test_an_unreadable_list_of_entry_points_is_a_sentence(points: str, install: Install) -> None:
    install("", points=points)
    with pytest.raises(UnderstudyError, match="installed package 'a_lab'"):
        registry.names("measures")


def test_unreadable_entry_points_of_a_stranger_do_not_concern_us(install: Install) -> None:
    install("", points="[console_scripts]\na_lab\n")
    assert "correct" in registry.names("measures")


def test_packages_of_others_are_named_with_version_and_digest(install: Install, tmp_path: Path) -> None:
    assert registry.foreign_packages() == {}
    install("ENTRIES = {'measures': {'mine': ['speed_of_reply']}}")
    before = registry.foreign_packages()["a_lab"]
    assert before.startswith("1.2 (SHA-256 ")
    assert software_versions()["a_lab"] == before
    assert running_version().endswith(f" with a_lab {before}")
    assert f"Code of other packages takes part: a_lab {before}." in preregistration_markdown(two_groups())
    (tmp_path / "a_lab" / "mine.py").write_text("changed = True")
    assert registry.foreign_packages()["a_lab"] not in ("", before)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("ttest", "'independent_t', 'welch_t', 'paired_t' or 'one_sample_t'?"),
        ("Student's t-test", "'independent_t', 'welch_t', 'paired_t' or 'one_sample_t'?"),
        ("Mann-Whitney U test", "'rank_sum'?"),
        ("welch", "'welch_t'?"),
        ("logit", "'logistic_regression' or 'logistic_mixed'?"),
        ("Regression", "'linear_mixed', 'logistic_mixed', 'logistic_regression' or 'count_regression'?"),
    ],
)
def test_an_analysis_is_found_by_what_else_it_is_called(asked: str, meant: str) -> None:
    with pytest.raises(UnderstudyError, match=rf"Did you mean {re.escape(meant)} Known"):
        registry.entry("analyses", asked)
