"""The reference page names every entry and parameter, and its worked numbers are true."""

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

from understudy import registry

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "analyses.md"
ENTRIES: list[Any] = [(kind, name) for kind in ("analyses", "checks") for name in registry.names(kind)]


def test_worked_numbers_are_true() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > len(ENTRIES)
    assert result.failed == 0


@pytest.mark.parametrize(("kind", "name"), ENTRIES)
def test_every_entry_and_its_parameters_are_described(kind: Any, name: str) -> None:
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL))
    assert name in sections
    fields = set(registry.entry(kind, name).model_fields) - {"confidence"}
    assert {field for field in fields if f"`{field}`" not in sections[name]} == set()
