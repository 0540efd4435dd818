"""Rules that tie the front end to the Python half."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.front_end_scripts import FRONTEND, script
from understudy.actions.serve import built_front_end
from understudy.registry import names

ROOT = Path(__file__).parents[2]
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


RULES = ("biome.jsonc", "import_rules.jsonc", "no_markup.grit", "package.json")
RESTRICTED, CYCLE = "lint/style/noRestrictedImports", "lint/suspicious/noImportCycles"
REFUSED = (
    ("views/planted.ts", "export const put = (to: Element, text: string) => (to.innerHTML = text);", "plugin"),
    ("views/planted.ts", "export const last = (list: number[]) => list.at(-1)!;", "lint/style/noNonNullAssertion"),
    ("views/planted.ts", "export const same = (value: any) => value;", "lint/suspicious/noExplicitAny"),
    ("views/planted.ts", 'console.log("here");', "lint/suspicious/noConsole"),
    ("views/planted.ts", 'import { h } from "../shared/dom";', "lint/correctness/noUnusedImports"),
    ("views/planted.ts", 'export { TASKS } from "../tasks";', RESTRICTED),
    ("tasks/planted.ts", 'export type { State } from "../player/state";', RESTRICTED),
    ("shared/planted.ts", 'export const late = () => import("../dials/board");', RESTRICTED),
    ("shared/questions/planted.ts", 'export { TASKS } from "../../tasks";', RESTRICTED),
    ("dashboard/planted.ts", 'export { Conductor } from "../player/conductor";', RESTRICTED),
    ("dashboard/planted.ts", 'export { JsPsych } from "jspsych";', RESTRICTED),
    ("unlisted/planted.ts", 'export { h } from "../shared/dom";', RESTRICTED),
)


PLANTED = {f"{Path(path).parent}/planted_{number}.ts": text for number, (path, text, _) in enumerate(REFUSED)}
CYCLE_OF_TWO = {
    "views/egg.ts": 'import { hen } from "./hen";\nexport const egg = () => hen;',
    "views/hen.ts": 'import { egg } from "./egg";\nexport const hen = () => egg;',
}
ALLOWED = {"views/allowed.ts": 'export { h } from "../shared/dom";'}


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The rules that each planted file breaks, in a front end that has nothing else; the linter starts once for all."""
    folder = tmp_path_factory.mktemp("frontend")
    for name in RULES:
        shutil.copy(FRONTEND / name, folder)
    planted = {**PLANTED, **CYCLE_OF_TWO, **ALLOWED}
    for name, text in planted.items():
        (folder / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "src" / name).write_text(f"{text}\n", encoding="utf-8")
    _, environment = script("with_node").npm_command()
    node = shutil.which("node", path=environment["PATH"])
    biome = FRONTEND / "node_modules" / "@biomejs" / "biome" / "bin" / "biome"
    done = subprocess.run(
        [str(node), str(biome), "lint", "--reporter=json", "--max-diagnostics=none"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr
    found: dict[str, set[str]] = {name: set() for name in planted}
    for complaint in json.loads(done.stdout)["diagnostics"]:
        found[complaint["location"]["path"].removeprefix("src/")].add(complaint["category"])
    return found


def test_the_types_of_the_front_end_are_those_of_the_records() -> None:
    assert (FRONTEND / "src" / "schema.ts").read_text(encoding="utf-8") == script("generate_schema").schema_text()


def test_every_task_has_both_halves() -> None:
    missing = [name for name in names("tasks") if not (FRONTEND / "src" / "tasks" / f"{name}.ts").exists()]
    assert missing == []


def test_scripts_never_turn_text_into_markup_or_code() -> None:
    found = [f"{path.name}: {word}" for path in SCRIPTS for word in FORBIDDEN if word in path.read_text("utf-8")]
    assert found == []


KNOWS_A_KIND = (
    "src/understudy/__init__.py",
    "src/understudy/schema/__init__.py",
    "src/understudy/schema/explanations/",
    "src/understudy/explainers/",
    "src/understudy/models/maps_from_models.py",
    "src/understudy/models/maps_from_models.py",
    "src/understudy/participants/",
    "src/understudy/heatmap_scores.py",
    "src/understudy/protocols/hase2020/lessons.py",
    "src/understudy/protocols/hase2020/",
    "frontend/src/schema.ts",
    "frontend/src/views/",
    "frontend/src/shared/texts/",
    "frontend/src/style/",
)
"""Where a kind of explanation may be named: its record, methods that return it, simulated people who read it, automatic
scores of it, lessons that draw a made-up example of it, its view with words and style, and what is generated. docs/how-to/add-an-explanation.md lists the same."""


def test_no_stage_task_or_page_knows_the_kind_heatmap_by_name() -> None:
    files = [*(ROOT / "src").rglob("*.py"), *(FRONTEND / "src").rglob("*.*")]
    naming = [path.relative_to(ROOT).as_posix() for path in files if "heatmap" in path.read_text("utf-8").lower()]
    assert "frontend/src/views/heatmap.ts" in naming
    assert [name for name in naming if not name.startswith(KNOWS_A_KIND)] == []


def test_every_script_says_what_it_is_for() -> None:
    assert [path.name for path in SCRIPTS if not path.read_text("utf-8").startswith("/** ")] == []


def test_the_shell_holds_no_script_and_no_style_of_its_own() -> None:
    shell = "".join((FRONTEND / "src" / name).read_text("utf-8") for name in ("shared/page.html", "player.html"))
    assert "style=" not in shell
    assert "<style" not in shell
    assert shell.count("<script") == shell.count('<script type="module" async src=')


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((FRONTEND / "package-lock.json").read_text("utf-8"))
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []


@pytest.mark.parametrize("system", ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64"])
def test_the_lock_file_has_the_linter_for(system: str) -> None:
    lock = json.loads((FRONTEND / "package-lock.json").read_text("utf-8"))
    assert f"node_modules/@biomejs/cli-{system}" in lock["packages"]


def test_packages_are_pinned_exactly() -> None:
    package = json.loads((FRONTEND / "package.json").read_text("utf-8"))
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert [name for name, version in versions.items() if not version[0].isdigit()] == []


def heads_of_notices(path: Path) -> dict[str, str]:
    """Return the licence text under each name and version."""
    _, *entries = re.split(r"^={80}\n(?=\S+ \d)", path.read_text("utf-8"), flags=re.MULTILINE)
    return {head.partition(" (")[0]: text.strip() for head, _, text in (entry.partition("\n") for entry in entries)}


def test_the_notices_hold_the_licence_of_every_package_that_was_bundled() -> None:
    """A package that brings none has one among ours; the bundler does not see what lies inside another's files."""
    web = built_front_end()
    packages = json.loads((web / "BUILD.json").read_text("utf-8"))["packages"]
    notices = heads_of_notices(web / "NOTICES.txt")
    assert {"jspsych", "vega", "vega-lite", "onnxruntime-web"} <= {Path(folder).name for folder in packages}
    assert {*notices} == {f"{folder.rpartition('node_modules/')[2]} {version}" for folder, version in packages.items()}
    for folder, version in packages.items():
        name = folder.rpartition("node_modules/")[2]
        own = sorted((FRONTEND / folder).glob("[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*"))
        kept = (own or [FRONTEND / "licences" / f"{name}.txt"])[0].read_text("utf-8")
        assert notices[f"{name} {version}"] == kept.replace("\r\n", "\n").strip(), folder
        assert "copyright" in kept.lower(), folder
    plugins = heads_of_notices(web / "jspsych" / "NOTICES.txt")
    assert plugins == {head: text for head, text in notices.items() if head in plugins}
    assert any(head.startswith("onnxruntime-web ") for head in plugins)


def test_no_package_without_a_notice_left_words_in_what_was_built() -> None:
    built = "".join(path.read_text("utf-8") for path in built_front_end().rglob("*.js"))
    lock = json.loads((FRONTEND / "package-lock.json").read_text("utf-8"))["packages"]
    named = json.loads((built_front_end() / "BUILD.json").read_text("utf-8"))["packages"]

    def words_of(folder: str) -> set[str]:
        scripts = [*(FRONTEND / folder).rglob("*.js")]
        return {
            word for path in scripts for word in re.findall(r"[\"']([^\"'\\\n]{24,90})[\"']", path.read_text("utf-8"))
        }

    others = {path for path, about in lock.items() if path and not about.get("dev")} - named.keys()
    left = {path: [word for word in words_of(path) if word in built] for path in sorted(others)}
    assert {path: words for path, words in left.items() if words} == {}
    assert any(word in built for word in words_of("node_modules/delaunator"))


@pytest.mark.parametrize(("name", "rule"), [*zip(PLANTED, [rule for *_, rule in REFUSED], strict=True)])
def test_the_linter_refuses_what_the_rules_forbid(name: str, rule: str, complaints: dict[str, set[str]]) -> None:
    assert complaints[name] == {rule}


def test_the_linter_refuses_a_cycle_of_imports(complaints: dict[str, set[str]]) -> None:
    assert [complaints[name] for name in CYCLE_OF_TWO] == [{CYCLE}, {CYCLE}]


def test_the_linter_accepts_an_import_that_the_rules_allow(complaints: dict[str, set[str]]) -> None:
    assert [complaints[name] for name in ALLOWED] == [set()]
