"""Pages with committed results: figures are computed again, and a changed number is noticed."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra torch")

from tests.house.recomputed_figures import DATA, DOCS, RECOMPUTATIONS, Recomputation

every = pytest.mark.parametrize("name", RECOMPUTATIONS)


def recomputation(name: str) -> Recomputation:
    found = RECOMPUTATIONS[name]
    if found.needs and not (DATA / found.needs).is_dir():
        pytest.skip(f"{found.needs} is not in UNDERSTUDY_DATA")
    return found


@pytest.mark.slow
@every
def test_a_figure_is_computed_again(name: str) -> None:
    assert recomputation(name).fault() is None


@pytest.mark.slow
@every
def test_a_falsified_figure_is_noticed(name: str, tmp_path: Path) -> None:
    found = recomputation(name)
    falsified = found.committed.falsified(tmp_path / found.committed.file.name, 2.1 * found.tolerance)
    assert re.search(r"is committed, .* is computed; allowed is", found.fault(falsified) or "")


def test_every_page_with_committed_results_has_a_figure_to_compute_again() -> None:
    pages = {path.with_suffix(".md").name for path in DOCS.glob("*.json")} - {
        "hive-parts.md",
        "hive-prototypes.md",
        "simulatability-splits.md",
    }
    assert pages <= {found.page for found in RECOMPUTATIONS.values()}


@every
def test_a_figure_is_in_its_file(name: str) -> None:
    figure = RECOMPUTATIONS[name].committed
    assert json.dumps(figure.value()).rstrip("0") in figure.file.read_text(encoding="utf-8")
