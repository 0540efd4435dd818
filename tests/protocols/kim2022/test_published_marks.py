"""From printed means and standard deviations, `understudy analyze` finds every mark of Tables 1 and 2 of Kim et al. (2022)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from tests.shell import understudy
from understudy.protocols.kim2022.published_numbers import AGREEMENT, DISTINCTION, N_PEOPLE, OVERALL, Share
from understudy.schema import Finding, Findings


class Cell(NamedTuple):
    """One cell of a table, and what it is tested against."""

    name: str
    share: Share
    chance: float


def cells() -> Iterator[Cell]:
    for study, pair in AGREEMENT.items():
        for kind, share in zip(("right", "wrong"), pair, strict=True):
            yield Cell("_".join((*study, kind)), share, 50)
    for study, chosen in DISTINCTION.items():
        for name, of_kind in chosen._asdict().items():
            if of_kind is not None:
                yield Cell("_".join((*study, name)), of_kind, 25)
    for study, share in OVERALL.items():
        yield Cell("_".join((*study, "overall")), share, 50)


CELLS = {cell.name.replace("-", "_"): cell for cell in cells()}


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finding]:
    folder = tmp_path_factory.mktemp("tables")
    write_people(folder / "people.csv")
    (folder / "plan.toml").write_text(plan(), encoding="utf-8")
    shown = understudy("analyze", folder / "people.csv", "--plan", folder / "plan.toml", "--json")
    assert shown.code == 0, shown.err
    return {finding.hypothesis_id: finding for finding in Findings.model_validate(json.loads(shown.out)).findings}


def write_people(path: Path) -> None:
    """Write 50 people for each cell whose mean and standard deviation are exactly the printed ones."""
    z = np.random.default_rng(1).standard_normal(N_PEOPLE)
    z = (z - z.mean()) / z.std(ddof=1)
    frames = [
        pd.DataFrame({"person": [f"{name}-{k}" for k in range(N_PEOPLE)], "cell": name, "share": cell.share.mean + cell.share.sd * z})
        for name, cell in CELLS.items()
    ]  # fmt: skip
    pd.concat(frames).to_csv(path, index=False)


def plan() -> str:
    hypotheses = "\n".join(
        f"""[[plan.hypotheses]]
hypothesis_id = "{name}"
claim = "The mean differs from chance."
outcome = "share"
where = "cell == '{name}'"
against = {cell.chance}
analysis = "one_sample_t"
"""
        for name, cell in CELLS.items()
    )
    return f"""title = "Tables 1 and 2"
[table]
participant = "person"
[[factors]]
name = "cell"
scope = "between"
levels = {json.dumps([*CELLS])}
[[measures]]
name = "share"
unit = "session"
scale = "bounded"
[plan]
outcomes = [{{ name = "share", measure = "share" }}]
{hypotheses}"""


def test_all_cells_of_both_tables_are_tested(findings: dict[str, Finding]) -> None:
    assert len(findings) == 12 + 26 + 2


@pytest.mark.parametrize("name", CELLS)
def test_a_printed_mark_follows_from_the_printed_numbers(name: str, findings: dict[str, Finding]) -> None:
    estimate = findings[name].estimate
    assert estimate is not None
    assert estimate.effect == pytest.approx(CELLS[name].share.mean)
    assert estimate.p_value is not None
    assert (estimate.p_value < 0.05) == CELLS[name].share.is_significant


@pytest.mark.parametrize(
    ("name", "p"),
    [("CUB_bagnet_agreement_wrong", 0.067), ("CUB_protopnet_agreement_wrong", 0.48), ("ImageNet_gradcam_agreement_wrong", 0.25),
     ("CUB_prototree_agreement_overall", 0.10), ("CUB_prototree_tree_aware_overall", 0.33)],
)  # fmt: skip
def test_printed_p_values_are_found_again(name: str, p: float, findings: dict[str, Finding]) -> None:
    estimate = findings[name].estimate
    assert estimate is not None
    # Printed means and standard deviations are rounded, so p is not known to the last printed digit.
    assert estimate.p_value == pytest.approx(p, abs=0.01)
