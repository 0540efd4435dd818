"""The documentation site, tested on its Markdown: menus, links and pictures, without building anything."""

import importlib
import re
import shlex
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from tests.house.test_docs import fences
from understudy import registry
from understudy.cli.main import app_of
from understudy.protocols import ready_names
from understudy.schema.explanations import explanation_kinds

DOCS = Path(__file__).parents[2] / "docs"
OUR_KINDS = sorted(name for name, kind in explanation_kinds().items() if kind.__module__.startswith("understudy."))
"""Without those that other tests define."""
PROTOCOLS = sorted((DOCS / "protocols").glob("*.md"))


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        return importlib.import_module("website.pages")


@pytest.fixture(scope="module")
def menus() -> dict[str, list[Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        navigation = importlib.import_module("website.navigation")
    listed: dict[str, list[Any]] = navigation.menus((DOCS / "index.md").read_text(encoding="utf-8"))
    assert {heading for headings in navigation.TABS.values() for heading in headings} == set(listed)
    return listed


def test_every_page_is_in_exactly_one_menu(pages: ModuleType, menus: dict[str, list[Any]]) -> None:
    shown = sorted(entry.address for entries in menus.values() for entry in entries)
    assert shown == sorted(set(pages.site_pages()) - {"index.md"})


def test_every_picture_of_the_docs_is_shown_by_a_page(pages: ModuleType) -> None:
    shown = {
        (path.parent / link.target).resolve()
        for path in pages.site_pages().values()
        for link in pages.links(path.read_text(encoding="utf-8"))
        if link.is_picture
    }
    assert [path for path in pages.pictures() if path not in shown] == []
    assert [path for path in shown if not path.is_file()] == []


def test_pages_of_the_site_link_only_to_what_it_has(pages: ModuleType) -> None:
    there = {*pages.site_pages(), *(path.relative_to(DOCS).as_posix() for path in pages.pictures())}
    lost = [
        f"{address}: {link.target}"
        for address in pages.site_pages()
        for link in pages.links(pages.text_for_site(address))
        if (path := link.target.partition("#")[0])
        and (DOCS / address).parent.joinpath(path).resolve().relative_to(DOCS).as_posix() not in there
    ]
    assert lost == []


def test_a_page_from_outside_docs_links_as_the_site_needs(pages: ModuleType) -> None:
    text = pages.text_for_site("project/contributing.md")
    assert "[ARCHITECTURE.md](architecture.md)" in text
    assert "[How to add a measure](../how-to/add-a-measure.md)" in text


def test_named_fences_and_lists_are_as_the_builder_reads_them(pages: ModuleType) -> None:
    assert '```toml title="trust.toml"\n' in pages.text_for_site("how-to/guide-people-through.md")
    assert pages.spaced_lists("Some words:\n- a list\n- of two\n") == "Some words:\n\n- a list\n- of two\n"
    assert pages.spaced_lists("```\nnot:\n- a list\n```") == "```\nnot:\n- a list\n```"


def test_commands_and_python_next_to_each_other_become_tabs(pages: ModuleType) -> None:
    both = "**Command line**\n\n```sh\nrun it\n```\n\n**Python**\n\n```python\nrun()\n\nit()\n```\n\nMore words.\n"
    tabs = '=== "Command line"\n\n    ```sh\n    run it\n    ```\n\n=== "Python"\n\n    ```python\n    run()\n\n    it()\n    ```\n\n'
    assert pages.tabbed(both) == f"{tabs}More words.\n"
    assert pages.tabbed("**Python**\n\n```python\nrun()\n```\n") == "**Python**\n\n```python\nrun()\n```\n"


def test_the_settings_load_nothing_from_elsewhere() -> None:
    settings = tomllib.loads((DOCS / "website" / "zensical.toml").read_text(encoding="utf-8"))["project"]
    assert settings["theme"]["font"] is False
    assert "offline" in settings["plugins"]
    assert [path for path in settings["extra_css"] if not (DOCS / path).is_file()] == []


@pytest.mark.parametrize("name", [*registry.names("tasks"), *OUR_KINDS])
def test_every_task_and_kind_of_explanation_is_in_the_gallery(name: str) -> None:
    headings = re.findall(r"^### (.+)$", (DOCS / "gallery.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert name in {word for heading in headings for word in re.findall(r"`(\w+)`", heading)}


@pytest.mark.parametrize("page", PROTOCOLS, ids=lambda path: path.name)
def test_commands_on_the_pages_of_protocols_are_ones_that_exist(page: Path) -> None:
    commands: Any = typer.main.get_command(app_of())
    for fence in fences(page):
        for line in fence.text.splitlines() if fence.language == "sh" else ():
            _, name, *words = shlex.split(line)
            commands.commands[name].make_context(name, [*words]).close()
            if name in ("check", "rehearse"):
                assert words[0] in ready_names()


def test_every_protocol_says_what_was_found_and_shows_its_screens() -> None:
    for page in PROTOCOLS:
        text = page.read_text(encoding="utf-8")
        if page.name != "index.md":
            wanted = ["## What the paper found", "## Run it", "## Vary it", "## What we found when we recomputed"]
            assert [heading for heading in wanted if heading not in text] == []
            assert len(re.findall(r"^!\[", text, re.MULTILINE)) >= 2
