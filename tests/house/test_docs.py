"""Documentation that cannot rot: generated pages are fresh, everything has its place, links lead on, examples run."""

import ast
import builtins
import re
import runpy
import shlex
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, get_args

import pytest
from typer.testing import CliRunner

from understudy import errors, registry
from understudy.cli.main import COMMANDS, app_of
from understudy.schema import Study

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
ERRORS = tuple(name for name, var in vars(errors).items() if isinstance(var, type) and issubclass(var, Exception))
ENTRIES = tuple((kind, name) for kind in get_args(registry.Catalogue) for name in registry.names(kind))
IN_A_BROWSER = ("add-an-explanation.md", "use-tasks-in-jspsych.md")
"""Pages that journeys run: test_extension_package.py and test_plain_jspsych.py."""
ON_A_PLATFORM = ("recruit-and-pay.md",)
"""The page that test_recruit_and_pay.py runs against a platform of its own."""
GUIDES = sorted(
    page
    for page in [ROOT / "README.md", *DOCS.glob("tutorial/*.md"), *DOCS.glob("how-to/*.md")]
    if page.name not in (*IN_A_BROWSER, *ON_A_PLATFORM)
)
MARKDOWN = sorted(
    [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("examples/**/*.md")], key=lambda path: path.as_posix()
)
QUICKLY = {"power": ["--simulations", "1", "--workers", "1"]}
"""What the tests add to a command that would take long; its printed numbers are then not compared."""


NEEDED = {
    "bring-your-own-classifier.md": "torch",
    "bring-your-own-decoder.md": "torch",
    "hive.md": "torch",
    "creatures.md": "numba",
    "own-model-and-explainer.md": "sklearn",
    "own-pictures.md": "torch",
    "own-texts.md": "sklearn",
    "what-does-my-model-rely-on.md": "torch",
}
"""Pages whose examples need an extra."""
LIBRARIES = ("captum", "shap", "skl2onnx")
"""What is no part of any environment of ours; the lines for it run where somebody installed it."""
LIBRARY_PAGES = [
    ("own-model-and-explainer.md", "shap"), ("own-model-and-explainer.md", "captum"),
    ("own-texts.md", "shap"), ("own-texts.md", "captum"), ("own-pictures.md", "captum"), ("bring-your-own-classifier.md", "skl2onnx"),
]  # fmt: skip


class Fence(NamedTuple):
    """One fenced block: its language, the file it stands for, its text."""

    language: str
    file_name: str
    text: str


def fences(page: Path) -> list[Fence]:
    found = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [Fence(*one) for one in found]


def headings(page: Path) -> list[str]:
    bare = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^#+ (.+)$", bare, re.MULTILINE)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# Generated pages


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    pages: Callable[[], dict[str, str]] = runpy.run_path(str(DOCS / "generate.py"))["pages"]
    return pages()


@pytest.mark.parametrize("page", ["commands.md", "study.md", "catalogues.md", "errors.md"])
def test_generated_page_is_fresh(generated: dict[str, str], page: str) -> None:
    assert (REFERENCE / page).read_text(encoding="utf-8") == generated[page], "stale: run `make docs`"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_heading_and_a_row_in_the_readme(command: str) -> None:
    assert f"understudy {command}" in headings(REFERENCE / "commands.md")
    assert f"| `understudy {command}` |" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("error", ERRORS)
def test_every_error_has_a_heading(error: str) -> None:
    assert error in headings(REFERENCE / "errors.md")


@pytest.mark.parametrize(("catalogue", "name"), ENTRIES)
def test_every_registered_name_has_a_heading_in_its_catalogue(catalogue: str, name: str) -> None:
    page = (REFERENCE / "catalogues.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {catalogue}\n")[1].split("\n## ")[0]
    assert f"\n### {name}\n" in section


@pytest.mark.parametrize("field", Study.model_fields)
def test_every_field_of_a_study_has_a_row(field: str) -> None:
    section = (REFERENCE / "study.md").read_text(encoding="utf-8").split("\n### Study\n")[1].split("\n### ")[0]
    assert f"| `{field}` |" in section


# Numbers that compare us with papers


@pytest.fixture(scope="module")
def compared() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        yield import_module("compared_numbers")


def test_the_rows_of_compared_numbers_are_what_papers_and_stored_results_say(compared: ModuleType) -> None:
    kept = (DOCS / "compared-numbers.csv").read_text(encoding="utf-8")
    assert kept == compared.table(compared.rows()), "stale: run `make docs`"


@pytest.mark.parametrize("page", MARKDOWN, ids=named)
def test_every_marked_number_is_that_of_its_row(page: Path, compared: ModuleType) -> None:
    text, known = page.read_text(encoding="utf-8"), compared.kept_rows()
    assert compared.faults(text, known) == []
    assert compared.filled(text, known) == text


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "GLOSSARY.md", *sorted(DOCS.rglob("*.md"))], ids=named)
def test_every_number_that_compares_us_with_a_paper_names_its_row(page: Path, compared: ModuleType) -> None:
    assert compared.unmarked_in(page) == []


@pytest.mark.parametrize("page", sorted(DOCS.glob("protocols/*20??.md")), ids=named)
def test_a_number_changed_by_hand_or_without_its_row_or_marker_is_noticed(page: Path, compared: ModuleType) -> None:
    text, known = page.read_text(encoding="utf-8"), compared.kept_rows()
    marked = [*compared.MARKED.finditer(text)]
    assert len(marked) >= 10
    for found in marked:
        start, end = found.span("told")
        digits = re.search(r"\d", found["told"])
        word = "Seventeen" if found["told"][0].isupper() else "seventeen"
        other = word if digits is None else found["told"].replace(digits[0], str((int(digits[0]) + 1) % 10), 1)
        changed = text[:start] + other + text[end:]
        assert any(found["row"] in fault for fault in compared.faults(changed, known))
        assert compared.filled(changed, known) == text
        rest = {name: row for name, row in known.items() if name != found["row"]}
        assert f"There is no row {found['row']}." in compared.faults(text, rest)
        bare = text[:end] + text[found.end() :]
        assert compared.unmarked(bare) or compared.HYPOTHESES.match(found["told"])


@pytest.mark.parametrize(
    "said",
    [
        "HIVE asked 50 people.",
        "It is off by 3 % from\nthe published error.",
        "- As published, five concepts help.",
        "Nine of ten are right. Ross et al. had\n12<!-- row: a --> of 15.",
        "Published: H1, in 4 runs.",
        "| model | ours | published |\n|---|---|---|\n| AE | 0.5 | 0.6 |\n",
    ],
)
def test_a_sentence_or_a_cell_about_a_paper_with_a_number_without_a_row_is_found(
    said: str, compared: ModuleType
) -> None:
    assert len(compared.unmarked_comparisons(f"One sentence has 7 words.\n\n{said}")) == 1
    marked = re.sub(r"(?<![\w-])(\d[\d.]*|five)(?!<)(?=\D)", r"\1<!-- row: a -->", said, flags=re.IGNORECASE)
    assert compared.unmarked_comparisons(f"One sentence has 7 words.\n\n{marked}") == []


def test_a_statement_that_its_row_denies_is_noticed(compared: ModuleType) -> None:
    name = "kim2022.marks_agree"
    said = compared.faults(f"It agrees<!-- holds: {name} -->.", {name: compared.Row("no", "")})
    assert said == [f"The row {name} does not say yes."]


@pytest.mark.parametrize(
    ("value", "like", "written"),
    [
        ("1.5927", "1.50", "1.59"),
        ("0.014", ".999", ".014"),
        ("-1.93", "+1.9", "−1.9"),
        ("3.8", "−1.0", "3.8"),
        ("< 0.001", ".999", "< .001"),
        ("12545", "1", "12,545"),
        ("5", "Three", "Five"),
        ("H1 H3", "H2, H4", "H1, H3"),
    ],
)
def test_a_number_is_written_in_the_form_that_its_page_gives_it(
    value: str, like: str, written: str, compared: ModuleType
) -> None:
    assert compared.formatted(value, like) == written


# Links, and what the root pages say


@pytest.mark.parametrize("page", MARKDOWN, ids=named)
def test_relative_links_lead_somewhere(page: Path) -> None:
    bare = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [one for one in re.findall(r"\]\(([^)\s]+)\)", bare) if not re.match(r"[a-z]+:", one)]
    assert [target for target in targets if not leads_somewhere(page, target)] == []


def leads_somewhere(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    goal = (page.parent / path) if path else page
    return goal.exists() and (not anchor or anchor in {slug(heading) for heading in headings(goal)})


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_page_of_the_documentation_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if path.name != "index.md"]
    assert [page for page in pages if f"({page})" not in index] == []


def test_changelog_lines_have_at_most_25_words() -> None:
    lines = re.findall(r"^- (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert lines
    assert [line for line in lines if len(line.split()) > 25] == []


def test_citation_names_the_version_of_the_project() -> None:
    project = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert project is not None
    assert cited is not None
    assert cited[1] == project[1]


# Examples


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """An empty folder, a terminal of known width, and a registry that forgets what examples register."""
    request.getfixturevalue("forgetful_registry")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    return tmp_path


@pytest.mark.parametrize("page", GUIDES, ids=named)
def test_examples_run_in_order(page: Path, workplace: Path) -> None:
    if page.name in NEEDED:
        pytest.importorskip(NEEDED[page.name])
    space: dict[str, Any] = {}
    printed: str | None = None
    for fence in fences(page):
        if fence.file_name:
            (workplace / fence.file_name).write_text(fence.text, encoding="utf-8")
        elif fence.language == "python":
            if of_libraries(fence.text):
                continue
            if has_what_it_imports(fence.text):
                exec(compile(fence.text, named(page), "exec"), space)
        elif fence.language == "sh":
            printed = printed_by(fence.text)
        elif fence.language == "text" and printed is not None:
            shown = {line.rstrip() for line in printed.splitlines()}
            assert [line for line in fence.text.splitlines() if line not in shown] == []


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("page", "library"), LIBRARY_PAGES)
def test_lines_for_a_library_run_where_it_is_installed(page: str, library: str, workplace: Path) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    path = DOCS / "how-to" / page
    blocks = [fence.text for fence in fences(path) if fence.language == "python" and not fence.file_name]
    assert any(library in of_libraries(text) for text in blocks)
    space: dict[str, Any] = {}
    for text in blocks:
        if of_libraries(text) <= {library}:
            exec(compile(text, named(path), "exec"), space)
    assert [one for one in workplace.iterdir() if one.suffix in {".json", ".onnx"}]


def test_lines_for_a_study_of_photos_are_at_most_25() -> None:
    page = (DOCS / "how-to" / "own-pictures.md").read_text(encoding="utf-8")
    section = page.split("\n## Twenty-five lines\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.strip()]
    assert any("captum" in line for line in lines)
    # The maps come from one of two blocks: formulas, or captum.
    assert 0 < len(lines) - len(blocks[2].splitlines()) <= 25


def test_the_script_for_a_net_and_photos_of_your_own_is_complete_and_has_at_most_25_lines() -> None:
    script = next(fence.text for fence in fences(DOCS / "how-to" / "hive.md") if "torch.load" in fence.text)
    names = [node for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    imported = {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(script))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {node.id for node in names} <= made | imported | {*dir(builtins)}
    assert 0 < len([line for line in script.splitlines() if line.strip()]) <= 25


def test_the_first_study_in_python_takes_at_most_25_lines() -> None:
    first = next(fence.text for fence in fences(DOCS / "how-to" / "python.md") if fence.language == "python")
    assert "us.rehearse" in first
    assert 0 < len(first.splitlines()) <= 25


def test_lines_for_a_world_a_network_and_a_study_are_at_most_40() -> None:
    blocks = [
        fence.text for fence in fences(DOCS / "how-to" / "what-does-my-model-rely-on.md") if fence.language == "python"
    ]
    lines = [line for block in blocks for line in block.splitlines() if line.strip()]
    assert any("nn.Sequential" in line for line in lines)
    assert 0 < len(lines) <= 40


def of_libraries(text: str) -> set[str]:
    """Return the libraries that a block imports and that we do not install."""
    return {*re.findall(rf"^(?:from|import) ({'|'.join(LIBRARIES)})\b", text, re.MULTILINE)}


def has_what_it_imports(text: str) -> bool:
    return all(find_spec(module) for module in re.findall(r"^(?:from|import) (sklearn)\b", text, re.MULTILINE))


def printed_by(commands: str) -> str | None:
    """Run the lines that begin with `understudy`; None where the output is not that of the page."""
    lines = [shlex.split(line)[1:] for line in commands.splitlines() if line.startswith("understudy ")]
    printed = []
    for words in lines:
        quick = [shortened(word) for word in words] if words[0] in QUICKLY else words
        outcome = CliRunner().invoke(app_of(), [*quick, *QUICKLY.get(words[0], [])], catch_exceptions=False)
        assert outcome.exit_code == 0, f"understudy {shlex.join(words)}: {outcome.output}"
        printed.append(outcome.stdout)
    return None if any(words[0] in QUICKLY for words in lines) else "\n".join(printed)


def shortened(word: str) -> str:
    """Return the first two numbers of a list: the time that a grid takes grows with the product of its lists."""
    return ",".join(word.split(",")[:2])


def test_the_two_mistakes_of_the_tutorial_are_named_as_it_says(workplace: Path) -> None:
    printed_by("understudy new my-study.toml")
    file = workplace / "my-study.toml"
    before, plan = file.read_text(encoding="utf-8").split("[[plan.hypotheses]]", 1)
    broken = before.replace("mean_seconds < 2", "mean_second < 2")
    file.write_text(broken + "[[plan.hypotheses]]" + plan.replace('"shown"', '"shwon"', 1), encoding="utf-8")
    said = next(fence for fence in fences(DOCS / "tutorial" / "first-study.md") if fence.language == "console").text
    with pytest.raises(errors.StudyError) as found:
        CliRunner().invoke(app_of(), ["check", "my-study.toml"], catch_exceptions=False)
    assert str(found.value) == said.strip()
