"""A simulatability study from its plan to the page that sets it beside Hase & Bansal (2020)."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.journeys.simulatability_study import ARMS, estimate_of, simulatability_study
from tests.shell import understudy
from understudy.actions.casts import MIXED, effect_from, with_effects
from understudy.actions.rehearse import rehearse_run
from understudy.actions.run_folder import new_run
from understudy.actions.run_tables import tables_of
from understudy.estimate import plan_faults, variables_from_study
from understudy.estimate.study_findings import study_results
from understudy.protocols import hase2020_original, loan_demo, published_tables, simulatability_plan
from understudy.protocols.hase2020.plan import METHODS
from understudy.protocols.hase2020.printed import BY_MODEL, CHANGES, RATINGS
from understudy.report import write_paper_tables
from understudy.schema import Findings


class Rehearsed(NamedTuple):
    """What the run says, and the page beside the paper."""

    findings: Findings
    page: str


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Rehearsed:
    """A study whose last stage ends early for the slow, and in which everybody gains."""
    study = simulatability_study(minutes=1.6)
    run = new_run(study, Path(), tmp_path_factory.mktemp("simulatability") / "run")
    rehearse_run(run, with_effects(MIXED, (effect_from("phase=after:1.2", study),)), seed=3)
    findings = study_results(run.script, tables_of(run)).findings
    printed = published_tables(study)
    assert printed is not None
    page = write_paper_tables(findings, printed, run.folder / "beside.html")
    return Rehearsed(findings, page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("domain", ["text", "tabular", "own"])
def test_the_plan_fits_its_study(domain: str) -> None:
    study = simulatability_study(domain)
    assert plan_faults(study.plan, variables_from_study(study)) == []


def test_a_plan_of_one_method_and_one_test_has_no_family_to_correct() -> None:
    plan = simulatability_plan(("lime",), tests=("forward",), control=None)
    assert plan.families == ()
    assert {claim.hypothesis_id for claim in plan.hypotheses if claim.is_confirmatory} == {"change_forward_lime"}
    assert not [claim for claim in plan.hypotheses if claim.factor == "method"]


def test_simulations_of_power_leave_the_papers_way_out() -> None:
    promised = simulatability_plan().promised()
    assert {claim.hypothesis_id.split("_")[0] for claim in promised.hypotheses} == {"change", "over"}


def test_the_original_study_has_the_papers_ten_cells_in_its_tables() -> None:
    study = hase2020_original()
    assert plan_faults(study.plan, variables_from_study(study)) == []
    tables = published_tables(study)
    assert tables is not None
    changes = [table.title for table in tables.tables if "Change by method" in table.title]
    assert changes == [
        "Table 1: Change by method, text",
        "Table 1: Change by method, tabular",
        "Table 2: Change by method, forward test",
        "Table 2: Change by method, counterfactual test",
    ]
    planned = {claim.hypothesis_id for claim in study.plan.hypotheses}
    assert {f"change_{domain}_{method}" for domain in ("text", "tabular") for method in METHODS} <= planned


def test_printed_tables_add_up_as_in_the_paper() -> None:
    for pair in (("text", "tabular"), ("forward", "counterfactual")):
        assert sum(CHANGES[name][""][0] or 0 for name in pair) == 2166
    for table in CHANGES.values():
        assert sum(row[0] or 0 for method, row in table.items() if method) == table[""][0]
    for domain, ratings in RATINGS.items():
        assert sum(row[0] for row in ratings.values()) == sum(row[0] for row in BY_MODEL[domain].values())


def test_other_studies_have_no_tables_beside_them() -> None:
    assert published_tables(loan_demo()) is None
    assert published_tables(simulatability_study("own")) is None


def test_accuracies_of_the_models_join_the_fourth_table() -> None:
    tables = published_tables(simulatability_study("text"), accuracies={"Task model": 79.5})
    assert tables is not None
    (table,) = [table for table in tables.tables if table.title.startswith("Table 4")]
    assert [line.known for line in table.lines] == [(79.5,), (None,)]


def test_every_hypothesis_of_the_plan_is_answered(rehearsed: Rehearsed) -> None:
    assert [
        (finding.hypothesis_id, finding.why) for finding in rehearsed.findings.findings if finding.estimate is None
    ] == []


def test_only_items_of_both_phases_count_and_the_rest_is_counted(rehearsed: Rehearsed) -> None:
    for arm in ARMS:
        details = estimate_of(rehearsed.findings, f"change_counterfactual_{arm}").details
        answered = (details["n_pairs"] or 0) + (details["only_before"] or 0)
        assert (answered, details["only_after"]) == (3 * 16, 0)
    assert (
        sum(estimate_of(rehearsed.findings, f"change_counterfactual_{arm}").details["only_before"] or 0 for arm in ARMS)
        > 0
    )


def test_a_gain_of_everybody_is_a_change_but_none_beyond_the_control(rehearsed: Rehearsed) -> None:
    assert (estimate_of(rehearsed.findings, "change_all").effect or 0) > 0.05
    assert (estimate_of(rehearsed.findings, "change_all").p_value or 1) < 0.05
    assert (estimate_of(rehearsed.findings, "over_control_all_lime").p_value or 0) > 0.05


def test_the_page_has_the_papers_tables_and_ours_beside_them(rehearsed: Rehearsed) -> None:
    titles = re.findall(r"<h2 id=[^>]*>([^<]*)</h2>", rehearsed.page)
    assert [title.split(":")[0] for title in titles[:6]] == [*("Table 1", "Table 2", "Table 2", "Table 3"), "Table 4", "Table 5"]  # fmt: skip
    assert titles[-1] == "Who answered what"
    for words in ("11.25", ".014", "9.53", "the paper&#39;s way", "Decision Boundary", "SYNTHETIC"):
        assert words in rehearsed.page


def test_the_report_command_writes_the_page(tmp_path: Path) -> None:
    study = simulatability_study("text", arms=("lime", "anchor"), tests=("forward",))
    run = new_run(study, Path(), tmp_path / "run")
    rehearse_run(run, MIXED, seed=4)
    shown = understudy("report", run.folder)
    assert "paper-comparison.html" in shown.out, shown.err
    assert "Table 2: Change by method, forward test" in (run.folder / "paper-comparison.html").read_text("utf-8")
