"""Table 2 of Sixt et al. (2022), from its counts through `tidy.py` and `understudy analyze` to every printed figure."""

import subprocess
import sys
from pathlib import Path

import pytest

from understudy.actions.analyze import analyzed_file
from understudy.schema import Finding, Findings

EXAMPLE = Path(__file__).parents[2] / "examples" / "reanalyses" / "two4two"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Findings]:
    """Study -> what the plan finds in its counts."""
    folder = tmp_path_factory.mktemp("tidy")
    findings = {}
    for study in (1, 2):
        table = folder / f"{study}.csv"
        subprocess.run([sys.executable, EXAMPLE / "tidy.py", EXAMPLE / "counts.csv", table, str(study)], check=True)
        findings[study] = analyzed_file(table, EXAMPLE / f"plan-{study}.toml", seed=0).findings
    return findings


def finding(findings: Findings, hypothesis: str) -> Finding:
    return next(row for row in findings.findings if row.hypothesis_id == hypothesis)


def p_value(findings: Findings, hypothesis: str) -> float:
    estimate = finding(findings, hypothesis).estimate
    assert estimate is not None
    assert estimate.p_value is not None
    return estimate.p_value


@pytest.mark.parametrize("study", [1, 2])
def test_every_figure_that_follows_from_the_counts_agrees(found: dict[int, Findings], study: int) -> None:
    expected = [figure for figure in found[study].published if figure.is_expected]
    assert [figure.label for figure in expected if not figure.agrees] == []
    assert len(expected) == {1: 5, 2: 20}[study]


@pytest.mark.parametrize("study", [1, 2])
def test_every_contradiction_is_shown_with_a_note(found: dict[int, Findings], study: int) -> None:
    others = [figure for figure in found[study].published if not figure.is_expected]
    assert all(figure.note and not figure.agrees for figure in others)


def test_the_p_value_of_shape_and_legs_is_in_no_arrangement(found: dict[int, Findings]) -> None:
    one_sided = (p_value(found[1], "legs_shape_nested"), p_value(found[1], "legs_shape_apart"))
    assert one_sided == pytest.approx((0.03125, 0.16615), abs=1e-5)
    assert max(one_sided) < 0.3036


def test_colour_is_found_less_often_than_legs_in_every_arrangement(found: dict[int, Findings]) -> None:
    verdicts = [finding(found[1], f"legs_colour_{arrangement}").verdict for arrangement in ("nested", "apart")]
    assert verdicts == ["supported", "supported"]


@pytest.mark.parametrize(("attribute", "adjusted"), [("legs", 0.0134), ("colour", 0.0161), ("background", 0.0161)])
def test_holm_over_eight_tests_gives_other_values_than_printed(
    found: dict[int, Findings], attribute: str, adjusted: float
) -> None:
    assert finding(found[2], f"nested_{attribute}").p_adjusted == pytest.approx(adjusted, abs=1e-4)


def test_a_contrast_takes_the_branch_of_the_test_of_all_conditions(found: dict[int, Findings]) -> None:
    assert finding(found[2], "nested_conditions").analysis == "kruskal_wallis"
    assert finding(found[2], "nested_concepts").analysis == "rank_sum"
