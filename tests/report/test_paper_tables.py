"""Several printed tables beside a study's numbers: where ours are looked up, and what is left out."""

from pathlib import Path

import pytest

from tests.report.report_samples import findings
from understudy.report import OurNumbers, PrintedTable, PrintedTables, TableColumn, TableLine, write_paper_tables
from understudy.report.paper_comparison.printed_tables import numbers_of

COLUMNS = (TableColumn("n", kind="count"), TableColumn("Gain", times=100, decimals=1), TableColumn("CI", times=100), TableColumn("p", kind="p"))  # fmt: skip
GAIN = OurNumbers("ours, planned", ("n", "effect", "half_width", "p_value"), "H2")
TABLE = PrintedTable(
    "Table 7", COLUMNS, drawn="Gain", notes=("Printed in points.",),
    lines=(
        TableLine("Linear", (32, 4.4, 2.0, 0.014), (GAIN, OurNumbers("elsewhere", ("n", "effect", "", ""), "H99"))),
        TableLine("Not planned", (None,) * 4, (OurNumbers("ours", ("n",) * 4, "H99"),)),
        TableLine("Known", (1, None, None, None), known=(2, None, None, None)),
    ),
)  # fmt: skip
PRINTED = PrintedTables("Somebody, 2020", (TABLE,), ("Read with care.",))


def page(folder: Path, *, is_synthetic: bool = False) -> str:
    made = write_paper_tables(findings(is_synthetic=is_synthetic), PRINTED, folder / "beside.html")
    return made.read_text(encoding="utf-8")


def test_numbers_of_a_finding_are_looked_up_by_name() -> None:
    found = numbers_of(findings(), GAIN._replace(quantities=("effect", "low", "p_value", "detail.none")))
    assert found == (0.0123, -0.0204, 0.4537, None)


def test_numbers_of_a_finding_s_group_are_looked_up_by_its_name() -> None:
    asked = OurNumbers("", ("n.Explanation", "mean.Explanation", "half_width.Explanation"), "H1")
    assert numbers_of(findings(), asked) == pytest.approx((27, 0.7214, (0.766 - 0.677) / 2))


def test_numbers_of_a_description_are_those_of_its_group() -> None:
    asked = OurNumbers("", ("n", "mean", "sd"), description="D1", group="saliency")
    assert numbers_of(findings(), asked) == pytest.approx((27, 0.7214, 0.1132))


def test_an_open_interval_has_no_half_width() -> None:
    assert numbers_of(findings(), OurNumbers("", ("half_width",), "H1")) == (None,)


@pytest.mark.parametrize(
    "words", ["Somebody, 2020", "Read with care.", "Printed in points.", "4.4", ".014", "1.2", "3.27", ".454", "Known"]
)
def test_printed_and_ours_stand_on_the_page(words: str, tmp_path: Path) -> None:
    assert words in page(tmp_path)


@pytest.mark.parametrize("words", ["Not planned", "elsewhere"])
def test_rows_and_lines_that_the_study_does_not_plan_are_left_out(words: str, tmp_path: Path) -> None:
    assert words not in page(tmp_path)


def test_the_drawn_column_has_a_figure_with_words(tmp_path: Path) -> None:
    assert "Linear, printed: 4.40 ± 2.00; Linear, ours: 1.23 ± 3.27." in page(tmp_path)


def test_simulated_people_are_named_in_banner_title_and_tables(tmp_path: Path) -> None:
    real, simulated = page(tmp_path), page(tmp_path, is_synthetic=True)
    assert "ynthetic" not in real.replace("_synthetic", "")
    assert "<title>SYNTHETIC" in simulated
    assert simulated.count("Synthetic data: simulated people") >= 2
