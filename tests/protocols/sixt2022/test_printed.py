"""The page that compares a run with the printed results of Sixt et al. (2022)."""

from pathlib import Path

import pytest

from tests.protocols.sixt2022.stand_in import cast_of, write_material
from understudy.actions.rehearse import rehearse_run
from understudy.actions.run_folder import Run, new_run
from understudy.actions.run_tables import tables_of
from understudy.estimate.study_findings import study_results
from understudy.protocols import loan_demo, sixt2022_comparison, sixt2022_validation
from understudy.protocols.paper_comparison import paper_tables_of
from understudy.protocols.sixt2022.printed import published_tables
from understudy.report import write_paper_tables
from understudy.schema import Study


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("two4two")
    choices = write_material(folder / "material")
    made = new_run(sixt2022_comparison(choices._replace(quota=10)), folder, folder / "run")
    cast = cast_of("column_looker", "relevance_guesser", observer=folder / "material" / "observer.onnx")
    rehearse_run(made, cast, seed=1, n_people=30)
    return made


def test_the_page_has_table_2_the_tests_and_figure_4(run: Run, tmp_path: Path) -> None:
    tables = paper_tables_of(run, {})
    assert tables is not None
    findings = study_results(run.script, tables_of(run)).findings
    page = write_paper_tables(findings, tables, tmp_path / "paper.html")
    text = page.read_text()
    assert [table.title for table in tables.tables] == [
        "Table 2, study 2",
        "Tests of study 2",
        "People by their number of right answers (Figure 4)",
    ]
    assert "SYNTHETIC DATA" in text
    assert "31.7 would be 95 of 300" in text


def test_a_study_with_shipped_pictures_says_that_they_are_not_of_the_paper_s_world(run: Run) -> None:
    for study in (sixt2022_comparison(), sixt2022_validation()):
        tables = published_tables(study)
        assert tables is not None
        assert "come from the world sixt2022-code" in study.question
        assert any("sixt2022-code" in note for note in tables.notes)
    own = published_tables(run.script.study)
    assert own is not None
    assert not any("sixt2022-code" in note for note in own.notes)


def test_people_are_counted_by_their_right_answers(run: Run) -> None:
    tables = paper_tables_of(run, {})
    assert tables is not None
    counted = sum(count or 0 for line in tables.tables[-1].lines for count in line.known)
    assert counted == 30


@pytest.mark.parametrize(("study", "is_compared"), [(sixt2022_validation(), True), (loan_demo(), False)])
def test_only_the_paper_s_own_plans_are_compared(study: Study, *, is_compared: bool) -> None:
    assert (published_tables(study) is not None) == is_compared
