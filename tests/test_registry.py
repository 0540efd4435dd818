"""The registry imports the catalogue it is asked for, and no other."""

import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tests.small_studies import two_groups
from understudy import registry
from understudy.conduct.scoring import Scorer, StepEvents
from understudy.errors import UnderstudyError
from understudy.estimate.software import running_version, software_versions
from understudy.report.preregistration import preregistration_markdown
from understudy.schema import AnswerKey, Record, blocks_in

GROUP = "understudy.catalogues"


@pytest.fixture(autouse=True)
def _nothing_was_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "TRIED", tmp_path / "tried")


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Stand in for the installed packages, and note which modules are imported."""
    seen: list[str] = []
    points = [EntryPoint(name, f"modules.{name}", GROUP) for name in ("analyses", "designs", "measures", "of_a_lab")]
    (tmp_path / "modules").mkdir()
    for point in points:
        (tmp_path / "modules" / f"{point.name}.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
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
    for name in ("_loaded", "_points", "_modules", "_tampering"):
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
        ("ENTRIES = {'measures': {'mine': [3]}}", "3, a name of 'mine', is not a name"),
        ("ENTRIES = {'measures': {'mine': ['']}}", "'', a name of 'mine', is not a name. A name is a text of"),
        (
            "import itertools\nENTRIES = {'measures': {'mine': map(str, itertools.count())}}",
            "'mine' is not a module with",
        ),
        (f"{MINE}register('measures', 'a')(3)", "3 is registered as 'a' among the measures, but an entry is a class"),
        (
            f"{MINE}register('measures', 'c\u043errect')(Record)",
            r"registered as 'c\u043errect' in 'measures'. A name is",
        ),
        (f"{MINE}register('measures', 3)(Record)", "An entry is registered as 3 in 'measures'"),
        (f"{MINE}register('measurs', 'a')(Record)", "An entry is registered as 'a' in 'measurs'"),
        ("from understudy.registry import no_such_name", "ImportError in 'a_lab'"),
        ("class E(Exception):\n    __str__ = None\nraise E", "E in 'a_lab'"),
        ("import os; os._exit(0)", "'a_lab' ends the process (status 0)"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "'a_lab' ends the process (status -9)"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt in 'a_lab'"),
        ("def __getattr__(name):\n    raise OSError(name)", "OSError in its ENTRIES: ENTRIES"),
        ("input('Licence: ')", "EOFError in 'a_lab'"),
        ("import atexit, os\natexit.register(os._exit, 0)", "'a_lab' ends the process (status 0)"),
        ("import os; os.fork()", "'a_lab' starts another process"),
        ("import os; os.close(1)", "OSError in 'a_lab': [Errno 9] Bad file descriptor"),
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
        ("1 / 0", "cannot be imported: ZeroDivisionError in 'a_lab.mine'"),
        ("raise SystemExit", "cannot be imported: SystemExit in 'a_lab.mine'"),
    ],
)
def test_a_module_that_does_not_hold_what_it_promises_is_a_sentence(mine: str, words: str, install: Install) -> None:
    install("ENTRIES = {'measures': {'mine': ['speed_of_reply']}}", mine=mine)
    with pytest.raises(UnderstudyError, match=words):
        registry.entry("measures", "speed_of_reply")


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("while True: pass", r"\."),
        ("while True:\n    try:\n        while True: pass\n    except BaseException: pass", r"\."),
        (
            "import threading, time\nthreading.Thread(target=time.sleep, args=[999]).start()",
            " and leaves something running",
        ),
        ("import atexit, time\natexit.register(time.sleep, 999)", " and leaves something running"),
    ],
)
def test_a_package_that_never_finishes_is_stopped(
    text: str, more: str, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "MOST_S", 1)
    install(text)
    with pytest.raises(UnderstudyError, match=f"'a_lab' does not finish within 1 seconds{more}"):
        registry.names("measures")
    assert not registry.TRIED.exists()


REPLACING = {
    "understudy.measures.answer.Correct.score": "import understudy.measures.answer as c; c.Correct.score = lambda *_: 1.0",
    "understudy.measures.dwell": "import sys, types; sys.modules['understudy.measures.dwell'] = types.ModuleType('dwell')",
    "understudy.registry.create": "import understudy.registry as r; r.create = print",
    "understudy.registry.MOST_S": "import understudy.registry as r; r.MOST_S = 999",
    "understudy.registry.names": "import understudy.registry as r; r.names.__code__ = (lambda catalogue: ()).__code__",
    "tasks.judge": "import understudy.registry as r; r._entries['tasks', 'judge'] = r.Record",
}
TWICE = """
import sys
from understudy import registry
registry.entry("tasks", "judge")
path = [*sys.path]
for folder in sys.argv[1:]:
    for _ in "ab":
        registry._loaded.clear()
        sys.path[:] = [folder, *path]
        try:
            registry._load("measures")
        except registry.UnderstudyError as error:
            print(error)
"""


def test_a_package_that_replaces_a_part_of_ours_is_refused_each_time(install: Install, tmp_path: Path) -> None:
    folders = []
    for number, text in enumerate(REPLACING.values()):
        install(text, name=f"lab_{number}")
        folders.append(tmp_path / f"lab_{number}_alone")
        folders[-1].mkdir()
        for part in (f"lab_{number}", f"lab_{number}-1.2.dist-info"):
            (tmp_path / part).rename(folders[-1] / part)
    # In a process of its own, because what the packages do to ours lasts.
    done = subprocess.run(
        [sys.executable, "-c", TWICE, *map(str, folders)],
        env={**os.environ, "HOME": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        f"The installed package 'lab_{number}' cannot be imported: it replaces {place}, a part of understudy. "
        "Correct it, update it or uninstall it."
        for number, place in enumerate(REPLACING)
        for _ in "ab"
    ]


@pytest.mark.parametrize("named", ["understudy", "Understudy"])
def test_a_package_that_calls_itself_as_we_do_is_refused(named: str, install: Install, tmp_path: Path) -> None:
    install("raise SystemExit", name="a_lab")
    about = tmp_path / "a_lab-1.2.dist-info"
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {named}\nVersion: 9.9\n")
    about.rename(tmp_path / f"{named}-9.9.dist-info")
    with pytest.raises(UnderstudyError, match=f"calls itself 'understudy'. It adds 'a_lab' from {tmp_path}. Rename it"):
        registry.names("measures")
    (tmp_path / f"{named}-9.9.dist-info" / "entry_points.txt").unlink()
    registry._points.clear()
    with pytest.raises(UnderstudyError, match=f"It lies in {tmp_path} and hides the entries of understudy. Rename it"):
        registry.names("measures")


@pytest.mark.parametrize("module", ["understudy.__main__", "understudy.measures"])
def test_a_package_that_names_a_module_of_ours_is_refused(module: str, install: Install) -> None:
    install("", points=f"[understudy.catalogues]\nof_a_lab = {module}\n")
    with pytest.raises(UnderstudyError, match=f"'a_lab' names '{module}' as its own, which is a part of understudy"):
        registry.names("measures")


def test_an_entry_that_cannot_play_its_part_is_refused(install: Install) -> None:
    install(f"{MINE}@register('measures', 'empty')\nclass Empty(Record):\n    unit: str = 'trial'\n")
    with pytest.raises(
        UnderstudyError, match=r"'empty' .* by a_lab.Empty, has no better and no scale and no score, as every"
    ):
        registry.entry("measures", "empty")
    install(f"{MEASURE.format(scale='binary', score='1').replace('trial', 'page')}", name="b_lab")
    registry._loaded.clear()
    with pytest.raises(
        UnderstudyError, match=r"by b_lab.Odd, has the unit 'page', which is not one of: trial, session"
    ):
        registry.entry("measures", "odd")


MEASURE = MINE + (
    "from typing import ClassVar\n@register('measures', 'odd')\nclass Odd(Record):\n    unit: ClassVar[str] = 'trial'\n"
    "    better: ClassVar[str] = 'higher'\n    scale: ClassVar[str] = '{scale}'\n"
    "    def score(self, events, answers):\n        import numpy\n        return {score}\n"
)


@pytest.mark.parametrize(
    ("scale", "score", "found"),
    [
        ("binary", "True", 1.0),
        ("bounded", "numpy.float32(0.5)", 0.5),
        ("nominal", "'left'", "left"),
        ("binary", "None", None),
        ("binary", "'yes'", "a_lab.Odd gives 'yes' (str) on the scale 'binary'; a score is a finite number"),
        ("binary", "float('nan')", "gives 'nan' (float)"),
        ("count", "10**400", "(int) on the scale 'count'"),
        ("nominal", "[1, 2]", "gives '[1, 2]' (list)"),
        ("binary", "1 / 0", "The installed package 'a_lab' failed: ZeroDivisionError in __init__.py"),
    ],
)
def test_the_score_of_a_measure_of_another_package_is_a_number_or_refused(
    scale: str, score: str, found: float | str | None, install: Install
) -> None:
    """A session whose score fails is not one that cannot be read, which would leave everybody out without a word."""
    install(MEASURE.format(scale=scale, score=score))
    study = two_groups(measures=[{"name": "odd", "measure": "odd"}])
    step = StepEvents(next(block.block_id for block in blocks_in(study.flow) if block.purpose == "main"), ())
    key = AnswerKey(study_digest=study.digest, answers={})
    if (isinstance(found, str) and scale != "nominal") or found == "gives '[1, 2]' (list)":
        with pytest.raises(UnderstudyError, match=re.escape(found)):
            Scorer(study, key).trial_scores(step)
    else:
        assert Scorer(study, key).trial_scores(step) == {"odd": found}


def test_what_fails_in_the_code_of_another_package_is_told_apart(install: Install) -> None:
    install("def score():\n    return 1 / 0\ndef leave():\n    raise SystemExit(0)\n")
    registry.names("measures")
    package = sys.modules["a_lab"]
    for call, words in (
        (package.score, "ZeroDivisionError in __init__.py, line 2: division"),
        (package.leave, "SystemExit"),
    ):
        with pytest.raises((ZeroDivisionError, SystemExit)) as failed:
            call()
        found = registry.failure_of_another(failed.value)
        assert f"The installed package 'a_lab' failed: {words}" in str(found)
    assert registry.failure_of_another(ValueError("ours")) is None


def test_a_package_cannot_change_where_and_how_a_command_goes_on(install: Install) -> None:
    install(
        "import os, sys, warnings\nos.chdir('/')\nwarnings.simplefilter('error')\nsys.setrecursionlimit(90)\nsys.stderr = None"
    )
    before = (Path.cwd(), sys.getrecursionlimit(), sys.stderr, list(warnings.filters))
    registry.names("measures")
    assert (Path.cwd(), sys.getrecursionlimit(), sys.stderr, list(warnings.filters)) == before


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
