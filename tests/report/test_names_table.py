"""The table of names of dials on the report page."""

from pathlib import Path

from tests.report.report_samples import findings
from understudy.report import write_report
from understudy.schema import DialNames, Interval

SLANT = DialNames(
    group="5, ss", dial=2, n_people=5, n_named=4, common=(("<b>slant</b>", 3), ("size", 1)), n_same=3, n_pairs=6,
    agreement=0.5, interval=Interval(low=0.25, high=1.0, level=0.95), elsewhere=0.125,
)  # fmt: skip
UNNAMED = DialNames(group="5, ae", dial=1, n_people=5, n_named=0)


def page(tmp_path: Path, *names: DialNames, is_synthetic: bool = False) -> str:
    made = write_report(findings(is_synthetic=is_synthetic), tmp_path / "report.html", names=names)
    return made.read_text(encoding="utf-8")


def section(text: str) -> str:
    return text.split('<section id="names"')[1].split("</section>", maxsplit=1)[0]


def test_coverage_names_and_agreement_stand_in_a_row(tmp_path: Path) -> None:
    shown = section(page(tmp_path, SLANT))
    for words in ("5, ss", "Dial #2", "4 of 5", "3 of 6", "0.50 [0.25, 1.00]", "0.12"):
        assert words in shown


def test_what_people_write_is_shown_and_never_run(tmp_path: Path) -> None:
    shown = section(page(tmp_path, SLANT))
    assert "&lt;b&gt;slant&lt;/b&gt; (3); size (1)" in shown


def test_a_dial_without_names_shows_gaps(tmp_path: Path) -> None:
    shown = section(page(tmp_path, UNNAMED))
    assert "0 of 5" in shown
    assert shown.count(">—<") == 4


def test_names_of_simulated_people_are_marked(tmp_path: Path) -> None:
    assert "Synthetic data: simulated people" in section(page(tmp_path, SLANT, is_synthetic=True))


def test_a_study_without_names_has_no_section(tmp_path: Path) -> None:
    assert 'id="names"' not in page(tmp_path)
