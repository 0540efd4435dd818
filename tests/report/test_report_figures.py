from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from tests.report import report_samples as samples
from understudy.errors import TableError, UnderstudyError
from understudy.report import write_figures
from understudy.report.charts import MOST_DRAWN, effect_chart, is_paired, points_of, stable_jitter, thinned
from understudy.report.figures import Figure, all_figures, finding_figure, forest_figure, with_title
from understudy.schema import Estimate, Interval


def test_each_figure_is_written_in_each_format(tmp_path: Path) -> None:
    found = samples.findings(is_synthetic=True)
    files = write_figures(found, tmp_path, points=samples.points(), plan=samples.study().plan)
    assert sorted({path.stem for path in files}) == ["H1", "H2", "H3", "H4", "H5", "effect-sizes"]
    assert (tmp_path / "H1.png").read_bytes().startswith(b"\x89PNG")
    assert "SYNTHETIC DATA" in (tmp_path / "H1.svg").read_text(encoding="utf-8")


def test_whole_charts_follow_the_schema_which_a_report_does_not_check() -> None:
    found = samples.findings(is_synthetic=True)
    drawn = all_figures(found, points=samples.points(), plan=samples.study().plan)
    assert [bool(with_title(figure).to_dict(validate=True)["vconcat"]) for figure in drawn] == [True] * 6


def test_hostile_names_stay_text_in_a_drawing(tmp_path: Path) -> None:
    write_figures(samples.findings(), tmp_path, points=samples.points(), formats=["svg"])
    drawing = ET.parse(tmp_path / "H4.svg")
    assert [one for one in drawing.iter() if one.tag.endswith("script")] == []


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnderstudyError, match="gif is not a figure format"):
        write_figures(samples.findings(), tmp_path, formats=["gif"])  # type: ignore[list-item]


def test_points_without_a_column_are_refused() -> None:
    with pytest.raises(TableError, match="lacks group"):
        points_of("H1", samples.points().drop(columns="group"))


def test_a_person_has_one_place_in_all_figures() -> None:
    assert stable_jitter("p7") == stable_jitter("p7")
    assert -1 <= stable_jitter("p8") <= 1


def test_only_repeated_people_are_joined_by_lines() -> None:
    points = samples.points()
    assert not is_paired(points_of("H1", points))
    assert is_paired(points_of("H2", points))


def test_a_crowd_is_thinned_by_whole_people() -> None:
    crowd = pd.DataFrame(
        [("H", f"p{k}", group, 0.5) for k in range(3000) for group in "ab"],
        columns=["hypothesis_id", "participant", "group", "value"],
    )
    shown = thinned(points_of("H", crowd))
    assert len(shown) == MOST_DRAWN
    assert set(shown.groupby("participant").size()) == {2}


@pytest.mark.parametrize(("null_value", "at"), [(0.0, [0.0]), (3.5, [3.5]), (None, [])])
def test_the_dashed_line_stands_where_there_is_no_effect(null_value: float | None, at: list[float]) -> None:
    drawn = effect_chart(Estimate(effect=0.4, effect_name="difference", null_value=null_value, n_sessions=9, n_rows=9))
    assert drawn is not None
    rules = [layer for layer in drawn.to_dict()["layer"] if "strokeDash" in layer["mark"]]
    values = drawn.to_dict()["datasets"]
    assert [values[rule["data"]["name"]][0]["value"] for rule in rules] == at


@pytest.mark.parametrize(("high", "drawn"), [(0.5, [-0.5, 0.5]), (1000.0, [-0.5])])
def test_solid_lines_are_the_bounds_of_equivalence(high: float, drawn: list[float]) -> None:
    found = Estimate(
        effect=0.1, effect_name="difference", null_value=0.0, n_sessions=9, n_rows=9,
        interval=Interval(low=-0.1, high=0.3, level=0.9), details={"lower_bound": -0.5, "upper_bound": high},
    )  # fmt: skip
    chart = effect_chart(found)
    assert chart is not None
    shown = chart.to_dict()
    assert [[row["value"] for row in rows] for rows in shown["datasets"].values() if "row" not in rows[0]][1] == drawn


def test_a_figure_says_what_its_solid_lines_are() -> None:
    tested = samples.between()
    assert tested.estimate is not None
    bounds = {"lower_bound": tested.estimate.effect, "upper_bound": 1e9}
    estimate = tested.estimate.model_copy(
        update={"details": bounds, "interval": Interval(low=0.0, high=0.2, level=0.9)}
    )
    figure = finding_figure(tested.model_copy(update={"estimate": estimate}))
    assert figure is not None
    assert figure.caption.endswith("Solid lines mark the bounds of equivalence.")


def test_two_related_outcomes_are_a_scatter() -> None:
    figure = finding_figure(samples.correlation(), points=samples.points())
    assert figure is not None
    assert figure.caption == "Each point is one participant. Below: the estimate with its 95% interval."


def test_without_points_a_figure_shows_intervals_only() -> None:
    figure = finding_figure(samples.between())
    assert figure is not None
    assert figure.caption == "Large dots are means with 95% intervals. Below: the estimate with its 95% interval."


def test_nothing_is_drawn_for_what_was_not_tested() -> None:
    assert finding_figure(samples.untested(), points=samples.points()) is None


def test_effect_sizes_are_told_in_words() -> None:
    figure = forest_figure(samples.findings())
    assert figure is not None
    assert "H4, odds ratio: 7.33, 95% CI [2.20, ∞)" in figure.description


def test_findings_without_effect_sizes_have_no_sheet() -> None:
    assert forest_figure(samples.findings().model_copy(update={"findings": (samples.untested(),)})) is None


def ratings(analysis: str) -> Figure:
    """Draw 5-point ratings of two groups."""
    values = {"shown": [1, 2, 2, 5, 4, 4], "hidden": [1, 1, 3, 2, 2, 1]}
    rows = [("H1", f"{group}{k}", group, value) for group, given in values.items() for k, value in enumerate(given)]
    points = pd.DataFrame(rows, columns=["hypothesis_id", "participant", "group", "value"])
    finding = samples.findings().findings[0].model_copy(update={"analysis": analysis, "hypothesis_id": "H1"})
    figure = finding_figure(finding, points=points)
    assert figure is not None
    return figure


def test_ratings_tested_by_their_order_are_drawn_as_distributions() -> None:
    assert "divided by how often each point of the scale was chosen" in ratings("rank_sum").caption
    assert "Each grey point is one participant" in ratings("welch_t").caption
