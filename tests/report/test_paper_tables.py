"""Several printed tables beside a study's numbers: where ours are looked up, and what is left out."""

from pathlib import Path

import pytest

from tests.report.report_samples import findings
from understudy.protocols import ready_names, ready_study
from understudy.protocols.hase2020 import printed as hase2020
from understudy.protocols.kim2022 import printed as kim2022
from understudy.protocols.ross2021 import printed as ross2021
from understudy.protocols.sixt2022 import printed as sixt2022
from understudy.report import (
    HALF_95,
    POPULATION_SD,
    SD,
    OurNumbers,
    PrintedTable,
    PrintedTables,
    Spread,
    TableColumn,
    TableLine,
    write_paper_tables,
)
from understudy.report.paper_comparison.comparison_page import drawn_spans
from understudy.report.paper_comparison.figures import spans_figure
from understudy.report.paper_comparison.printed import numbers_of

COLUMNS = (TableColumn("n", kind="count"), TableColumn("Gain", times=100, decimals=1), TableColumn("CI", times=100, spread=HALF_95), TableColumn("p", kind="p"))  # fmt: skip
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
    assert "Linear, printed: 4.40, 95% interval 2.40 to 6.40; Linear, ours: 1.23, 95% interval −2.04 to 4.50." in page(
        tmp_path
    )


def test_simulated_people_are_named_in_banner_title_and_tables(tmp_path: Path) -> None:
    real, simulated = page(tmp_path), page(tmp_path, is_synthetic=True)
    assert "ynthetic" not in real.replace("_synthetic", "")
    assert "<title>SYNTHETIC" in simulated
    assert simulated.count("Synthetic data: simulated people") >= 2


SPREADS = {
    "SD": ((SD,), (5.0,), ("sd",), "one SD to either side"),
    "standard error": ((Spread("se"),), (5.0,), ("",), "one standard error to either side"),
    "half of an interval": ((Spread("half_width", 0.9),), (5.0,), ("half_width",), "90% intervals"),
    "ends of an interval": (
        (Spread("low", 0.95), Spread("high", 0.95)), (93.0, 99.0), ("low", "high"), "95% intervals",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SPREADS)
def test_a_figure_says_what_it_draws_and_draws_no_share_beyond_its_range(name: str, tmp_path: Path) -> None:
    spreads, printed, quantities, words = SPREADS[name]
    ours = OurNumbers("ours", ("mean", *quantities), description="D1", group="saliency")
    table = PrintedTable(
        "Table 8", (TableColumn("Right", times=100), *(TableColumn("", times=100, spread=one) for one in spreads)),
        (TableLine("Maps", (97.0, *printed), (ours,)),), drawn="Right", limits=(0, 100),
    )  # fmt: skip
    made = write_paper_tables(findings(), PrintedTables("", (table,)), tmp_path / "page.html").read_text(
        encoding="utf-8"
    )
    assert f"means with {words}" in made
    assert "drawn no further than the measure goes" in made
    own = "interval" in name and " (printed) and 95% intervals (ours)"
    assert not own or words == "95% intervals" or own in made
    (first, *_) = drawn_spans(findings(), table)
    assert (first.low, first.high) == ((92.0, 102.0) if len(printed) == 1 else printed)
    figure = spans_figure("", drawn_spans(findings(), table), axis="", limits=table.limits, is_synthetic=False)
    (rows,) = figure.chart.to_dict()["datasets"].values()
    assert max(row["high"] for row in rows) <= 100


def test_a_column_that_is_drawn_must_say_what_its_spread_is(tmp_path: Path) -> None:
    silent = TABLE._replace(columns=tuple(column._replace(spread=None) for column in COLUMNS))
    with pytest.raises(ValueError, match="does not say what it is"):
        write_paper_tables(findings(), PrintedTables("", (silent,)), tmp_path / "page.html")


@pytest.mark.parametrize("name", ready_names())
def test_every_spread_of_a_paper_says_what_it_is_and_ours_is_the_same(name: str) -> None:
    study = ready_study(name)
    found = kim2022.published_tables(study) or hase2020.published_tables(study) or sixt2022.published_tables(study)
    fitting = {"sd": "sd", "half_width": "half_width", "low": "low", "high": "high"}
    for table in found.tables if found else ():
        headings = [column.heading for column in table.columns]
        for column in table.columns:
            is_named = any(word in column.heading for word in ("SD", "CI", "±", "95%"))
            assert is_named <= (column.spread is not None), (table.title, column.heading)
        if table.drawn:
            assert table.columns[headings.index(table.drawn) + 1].spread is not None
        for ours in (ours for line in table.lines for ours in line.ours):
            for column, quantity in zip(table.columns, ours.quantities, strict=True):
                asked = quantity.partition(".")[0]
                if column.spread is not None and asked in fitting:
                    assert fitting[asked] == column.spread.kind, (table.title, ours)
    results = ross2021.published_results(study)
    assert results is None or {column.spread for column in (*results.columns, *results.further)} == {POPULATION_SD}


@pytest.mark.parametrize("name", [name for name in ready_names() if name.startswith(("kim2022", "sixt2022"))])
def test_no_share_of_a_paper_is_drawn_beyond_all_or_nothing(name: str) -> None:
    study = ready_study(name)
    found = kim2022.published_tables(study) or sixt2022.published_tables(study)
    tables = [table for table in (found.tables if found else ()) if table.drawn and "%" in table.drawn]
    assert all(table.limits == (0, 100) for table in tables)
    assert found is None or tables
