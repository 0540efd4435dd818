"""Results beside printed ones: the paper's unit, its spread, and the mark of simulated people."""

from pathlib import Path

import pytest

from tests.report.report_samples import findings
from understudy import report
from understudy.report.paper_comparison.comparison_page import cell_of

ACCURACY = report.PrintedColumn("D1", "Accuracy in per cent", report.POPULATION_SD, decimals=1, times=100)
STRIP = report.Strip("First and last", "first_and_last", "right", ("main",), ("model",))
PRINTED = report.PrintedResults(
    source="Somebody, 2021",
    title="Table 9",
    columns=(ACCURACY,),
    rows=(
        report.PrintedRow("With maps", "saliency", (report.PrintedMean(70.4, 12.5),)),
        report.PrintedRow("Without", "none", (None,)),
        report.PrintedRow("Elsewhere", "other", (report.PrintedMean(10.0, 1.0),)),
    ),
    tests=(report.PrintedTest("Maps help", "H1", "t(49) = 2.1, p = .04"), report.PrintedTest("Gone", "H99", "t = 1")),
)


def page(tmp_path: Path, *, is_synthetic: bool = False, strips: bool = False) -> str:
    rows = [report.StripRow("ae", "first questions", 0.4, 0.1, 9), report.StripRow("ae", "last questions", 0.6, 0.1, 9)]
    made = report.write_paper_comparison(
        findings(is_synthetic=is_synthetic), PRINTED, tmp_path / "beside.html", strips=[(STRIP, rows)] if strips else []
    )
    return made.read_text(encoding="utf-8")


def test_ours_comes_in_the_papers_unit_and_with_its_population_spread() -> None:
    cell, n = cell_of(findings(), ACCURACY, "saliency")
    assert cell is not None
    assert n == 27
    assert cell.mean == pytest.approx(72.14)
    assert cell.spread == pytest.approx(11.32 * (26 / 27) ** 0.5)


def test_a_group_that_nobody_is_in_has_no_cell() -> None:
    assert cell_of(findings(), ACCURACY, "other") == (None, 0)


@pytest.mark.parametrize(
    "words", ["70.4 ± 12.5", "72.1 ± 11.1", "nobody yet", "t(49) = 2.1, p = .04", "t(47.32) = 2.63"]
)
def test_printed_and_ours_stand_on_the_page(words: str, tmp_path: Path) -> None:
    assert words in page(tmp_path)


def test_tests_that_the_study_does_not_run_are_left_out(tmp_path: Path) -> None:
    assert "Gone" not in page(tmp_path)


def test_simulated_people_are_named_in_banner_title_table_and_figures(tmp_path: Path) -> None:
    real, simulated = page(tmp_path), page(tmp_path, is_synthetic=True)
    assert "ynthetic" not in real.replace("_synthetic", "")
    assert "<title>SYNTHETIC" in simulated
    assert simulated.count("Synthetic data: simulated people") >= 3


def test_a_measure_that_the_paper_only_draws_has_a_figure_of_ours(tmp_path: Path) -> None:
    absent = report.PrintedColumn("D99", "Not measured", report.SD)
    drawn = PRINTED._replace(further=(ACCURACY._replace(heading="Drawn, not printed"), absent))
    text = report.write_paper_comparison(findings(), drawn, tmp_path / "beside.html").read_text(encoding="utf-8")
    assert text.count('<figure class="chart">') == 2
    assert "Drawn, not printed: means with one population SD to either side" in text
    assert "Not measured" not in text
    assert text.count("All are ours; the paper prints no numbers.") == 1
    assert text.count("Diamonds are printed, discs are ours.") == 1


def test_each_measure_and_strip_has_a_figure_with_words(tmp_path: Path) -> None:
    text = page(tmp_path, strips=True)
    assert text.count('<figure class="chart">') == 2
    assert "ae first questions: 0.4" in text
