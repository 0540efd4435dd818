"""Rules that tie the front end to the Python half."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

from understudy.registry import names

ROOT = Path(__file__).parents[2]
FRONTEND = ROOT / "frontend"
SCRIPTS = sorted((FRONTEND / "src").rglob("*.ts"))
FORBIDDEN = (
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "eval(",
    "new Function",
    ": any",
    "as any",
    "document.write",
)


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_schema", FRONTEND / "generate_schema.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_types_of_the_front_end_are_those_of_the_records() -> None:
    assert (FRONTEND / "src" / "schema.ts").read_text(encoding="utf-8") == generator().schema_text()


def test_every_task_has_both_halves() -> None:
    missing = [name for name in names("tasks") if not (FRONTEND / "src" / "tasks" / f"{name}.ts").exists()]
    assert missing == []


def test_scripts_never_turn_text_into_markup_or_code() -> None:
    found = [f"{path.name}: {word}" for path in SCRIPTS for word in FORBIDDEN if word in path.read_text("utf-8")]
    assert found == []


def test_every_script_says_what_it_is_for() -> None:
    assert [path.name for path in SCRIPTS if not path.read_text("utf-8").startswith("/** ")] == []


def test_the_shell_holds_no_script_and_no_style_of_its_own() -> None:
    shell = (FRONTEND / "src" / "player.html").read_text("utf-8")
    assert "style=" not in shell
    assert "<style" not in shell
    assert shell.count("<script") == shell.count('<script type="module" src=')


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((FRONTEND / "package-lock.json").read_text("utf-8"))
    assert [name for name, one in lock["packages"].items() if "resolved" in one] == []


def test_packages_are_pinned_exactly() -> None:
    package = json.loads((FRONTEND / "package.json").read_text("utf-8"))
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert [name for name, version in versions.items() if not version[0].isdigit()] == []
