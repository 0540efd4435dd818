"""Every benchmark can be imported and says which rows it measures; no time is asserted anywhere."""

from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
TOPICS = sorted(path.stem for path in (BENCH / "topics").glob("*.py") if path.stem != "__init__")
MODULES = sorted(path.stem for path in BENCH.glob("*.py"))


@pytest.fixture(autouse=True)
def _bench_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCH)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_of_the_bench_can_be_imported(name: str) -> None:
    assert import_module(name).__doc__


@pytest.mark.parametrize("name", TOPICS)
def test_every_topic_registers_its_rows(name: str) -> None:
    rows = import_module(f"topics.{name}").ROWS
    assert rows
    assert import_module("topics").TOPICS[name] is rows


@pytest.mark.parametrize("name", TOPICS)
def test_no_two_rows_of_a_topic_share_a_name(name: str) -> None:
    rows = import_module("topics").TOPICS[name]
    assert len({row.name for row in rows}) == len(rows)


def test_a_topic_measured_apart_takes_its_own_place_in_the_page() -> None:
    measured, page = import_module("measured"), import_module("page")
    row = measured.Row("one thing", 10, 0, measured.Timing(1.0, 2.0, 3, "cpu"), None, "By hand.")
    facts = page.Facts({"Load when the run began": "0.1"})
    now = datetime(2026, 1, 2, tzinfo=UTC)
    old = "# Benchmarks\n\n## Power\n\nold\n\n## Page\n\nstays\n"
    changed = page.page_with(old, {"power": [row], "probe": [row]}, facts, now)
    heads = [line for line in changed.splitlines() if line.startswith("## ")]
    assert heads == ["## Power", "## Page", "## Probe"]
    assert "old" not in changed
    assert changed.count("Measured apart from the rest, 2026-01-02 00:00 UTC; load when the run began: 0.1.") == 2
    assert page.page_with(changed, {"power": [row], "probe": [row]}, facts, now) == changed
