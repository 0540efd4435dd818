"""Which browser a rehearsal starts, and what is said where there is none."""

from pathlib import Path

import pytest

from understudy.errors import MissingExtra
from understudy.simulate.browser import chromium_path


def program(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_named_browser_comes_first(tmp_path: Path) -> None:
    named, own = program(tmp_path, "named"), program(tmp_path, "own")
    assert chromium_path({"UNDERSTUDY_CHROMIUM": str(named)}, str(own)) == str(named)


def test_playwrights_own_browser_comes_before_the_computers(tmp_path: Path) -> None:
    program(tmp_path, "chromium")
    own = program(tmp_path, "own")
    assert chromium_path({"PATH": str(tmp_path)}, str(own)) == str(own)


def test_a_browser_on_the_path_will_do(tmp_path: Path) -> None:
    found = program(tmp_path, "chromium")
    assert chromium_path({"PATH": str(tmp_path)}, "/nowhere") == str(found)


def test_without_a_browser_both_ways_to_get_one_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=r"playwright install chromium.*on PATH.*UNDERSTUDY_CHROMIUM"):
        chromium_path({"PATH": str(tmp_path)}, "/nowhere")


def test_a_named_browser_that_is_not_there_is_not_replaced_silently(tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match="no such file"):
        chromium_path({"UNDERSTUDY_CHROMIUM": "/nowhere", "PATH": str(tmp_path)}, "/nowhere")
