"""What results look like when they are printed or shown in a notebook: words and tables, not forms of Python."""

import pytest

import understudy as us
from tests.small_studies import helped_flow, two_groups
from understudy.api.findings import printed

WEIGHTS = us.Ref(name="weighted_features", params={"features": ["income", "debt"]})
MODEL = us.Ref(name="linear_classifier", params={"weights": [1.5, -0.6], "labels": ["defaulted", "repaid"]})


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> us.Findings:
    """The findings of a small rehearsal."""
    study = two_groups(flow=helped_flow(), assignment={"quota": 4})
    return us.rehearse(study, out=tmp_path_factory.mktemp("run")).findings


def test_the_text_form_is_not_displayed_while_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert printed(lambda console: console.print("found")) == "found\n"


def test_printed_findings_have_their_estimates(findings: us.Findings) -> None:
    first = findings.findings[0]
    assert "SYNTHETIC: simulated people" in str(findings)
    assert f"{first.analysis}, " in str(findings)
    assert "95% [" in str(findings)


def test_findings_in_a_notebook_say_what_their_interval_is(findings: us.Findings) -> None:
    shown = findings._repr_html_()
    assert "95% [" in shown
    assert "corrected p" in shown
    assert "adjusted_p" not in shown


def test_an_explanation_is_shown_feature_by_feature() -> None:
    found = us.explain(MODEL, WEIGHTS, [[1, 2]])
    assert str(found) == "0: income 1.5, debt -1.2; toward: repaid; against: defaulted"
    assert found._repr_html_().count("<tr>") == 5  # headings, two features, toward, against


def test_a_reference_is_written_as_its_name_and_parameters() -> None:
    assert str(WEIGHTS) == "weighted_features (features: income, debt)"
    assert "[&#x27;" not in WEIGHTS._repr_html_()


def test_a_plan_has_a_line_for_each_part() -> None:
    lines = str(us.load("loan-demo").plan).splitlines()
    assert "hypotheses:" in lines
    assert any(
        line.startswith("  H1 (claim: People who saw feature weights predict the model better.") for line in lines
    )


def test_a_study_without_a_question_shows_no_empty_row() -> None:
    built = us.between(
        "loans", {"shown": WEIGHTS, "hidden": None}, dataset="loan_cases", model=MODEL, answers=("defaulted", "repaid")
    )
    assert ">question<" not in built._repr_html_()
    assert ">question<" in us.load("loan-demo")._repr_html_()
