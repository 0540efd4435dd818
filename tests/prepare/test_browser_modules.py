"""Preparing ships the modules that draw tasks and explanations of other packages, and lists them."""

import hashlib
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

from tests.small_studies import two_groups
from understudy import registry
from understudy.errors import MaterialsError, RecordError
from understudy.prepare import prepare, prepared, read_prepared, write_prepared
from understudy.prepare.prepared import modules_for
from understudy.schema import BrowserModules, Explanation, Json, Materials, Several, Trial
from understudy.schema.explanations import explanation
from understudy.tasks import Seq

CODE = b"""export const version = 1;
const seen = new ResizeObserver(() => document.body.append(window.innerWidth));
class Card extends HTMLElement {}
customElements.define("a-card", Card);
export default ({ h, form }) => ({ tasks: { point: () => form(h("p")) }, views: { ranking: (drawn) => h("p", {}, seen) } });
"""
DRAWS = "export default () => ({ tasks: { point() {} } });"
ADDRESS = f"{hashlib.sha256(CODE).hexdigest()}.js"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A module, and registers that forget what a test enters."""
    request.getfixturevalue("forgetful_registry")
    registry.names("tasks")
    monkeypatch.setattr(explanation, "_KINDS", dict(explanation._KINDS))
    path = tmp_path / "draws.js"
    path.write_bytes(CODE)
    return path


def drawn_kind(path: Path) -> Any:
    class Ranking(Explanation):
        browser_module: ClassVar[Path] = path
        kind: Literal["ranking"] = "ranking"

    return Ranking


def drawn_task(path: Path) -> None:
    @registry.register("tasks", "point")
    class Point(Seq):
        browser_module: ClassVar[Path] = path


def trial(task: str = "judge", *, params: Json | None = None, explained: Explanation | None = None) -> Trial:
    return Trial(trial_id="t", block_id="b", task=task, params=params or {}, explanation=explained)


def test_a_task_and_a_kind_of_one_file_share_its_address(module: Path) -> None:
    drawn_task(module)
    found = modules_for([trial("point"), trial(explained=drawn_kind(module)())])
    assert found.modules == BrowserModules(tasks={"point": ADDRESS}, kinds={"ranking": ADDRESS})
    assert found.files == {ADDRESS: module}


def test_a_kind_is_found_inside_others_and_among_examples(module: Path) -> None:
    ranking = drawn_kind(module)()
    for shown in (trial(explained=Several(parts=(ranking,))), trial(params={"examples": [{"kind": "ranking"}]})):
        assert modules_for([shown]).modules.kinds == {"ranking": ADDRESS}


def test_what_no_trial_shows_is_not_shipped(module: Path) -> None:
    drawn_kind(module)
    drawn_task(module)
    assert modules_for([trial()]).files == {}


def test_a_missing_module_is_named_in_a_sentence(module: Path) -> None:
    drawn_task(module.with_name("gone.js"))
    with pytest.raises(MaterialsError, match=r"The task 'point' is drawn by '.*gone.js', which is not there. Install"):
        modules_for([trial("point")])


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("export const version = 1; export default () => {", "SyntaxError: "),
        ("export const version = 1; throw new Error('not today')", "Error: not today"),
        (f"export const version = 1; misspelt(); {DRAWS}", "misspelt is not defined"),
        (f"export const version = 1; while (true) {{}} {DRAWS}", "it runs for more than 2 seconds"),
        ("export const version = 1; export default () => { for (;;); }", "it runs for more than 2 seconds"),
        (f"export const version = 1; await new Promise(() => {{}}); {DRAWS}", "it never finishes loading"),
        ("const all = []; for (;;) all.push(new Array(1e6).fill(1));", "it takes more than 256 MB"),
        (f"import './other.js'; export const version = 1; {DRAWS}", "could not load module"),
        (DRAWS, "it exports no version"),
        (f"export const version = 2; {DRAWS}", "it asks for version 2 of the helpers, and this is version 1"),
        ("export const version = 1; export default {};", "its default export is not a function"),
        ("export const version = 1;", "its default export is not a function"),
        ("export const version = 1; export default ({ draw }) => draw();", "understudy has no helper draw"),
        ("export const version = 1; export default () => ({});", "no function for the task 'point' among its tasks"),
        ("export const version = 1; export default () => null;", "no function for the task 'point' among its tasks"),
        (
            "export const version = 1; export default () => ({ tasks: { point: 3 } });",
            "no function for the task 'point'",
        ),
    ],
)
def test_a_module_that_a_page_could_not_load_is_refused_in_a_sentence(
    module: Path, code: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared, "_MOST_S", 2)
    module.write_text(code)
    drawn_task(module)
    with pytest.raises(MaterialsError) as refused:
        modules_for([trial("point")])
    assert str(refused.value).startswith(f"The browser module {str(module)!r} cannot be used: ")
    assert words in str(refused.value)


def test_a_module_that_no_browser_would_run_is_refused(module: Path) -> None:
    with pytest.raises(MaterialsError, match=r"kind 'ranking' is drawn by 'draws\.py', which is not a JavaScript file"):
        modules_for([trial(explained=drawn_kind(module.with_suffix(".py"))())])


def test_a_study_of_our_own_tasks_has_no_modules_and_the_materials_of_before(tmp_path: Path) -> None:
    write_prepared(prepare(two_groups(), tmp_path), tmp_path / "run")
    assert "modules" not in (tmp_path / "run" / "public" / "materials.json").read_text(encoding="utf-8")
    assert read_prepared(tmp_path / "run").materials.modules == BrowserModules()


def test_an_address_that_is_not_a_digest_is_refused() -> None:
    with pytest.raises(RecordError, match="must be a name"):
        Materials(study_digest="", trials={}, trial_sets=(), modules={"tasks": {"point": "../../secret.js"}})
