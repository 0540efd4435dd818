import base64
import hashlib
import itertools
import re
from pathlib import Path

import pandas as pd
import pytest

from tests.report import report_samples as samples
from tests.report.page_reading import part_of, reader_of, text_of
from understudy.report import LedgerTotals, PaidTime, write_report
from understudy.report.sections import data_links
from understudy.report.theme import DARK, LIGHT, Palette
from understudy.schema import Findings, Ref
from understudy.schema.study import Recruitment


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def real(folder: Path) -> str:
    path = write_report(samples.findings(), folder / "real.html", study=samples.study(), points=samples.points())
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def synthetic(folder: Path) -> str:
    found = samples.findings(is_synthetic=True)
    path = write_report(found, folder / "synthetic.html", study=samples.study(), points=samples.points())
    return path.read_text(encoding="utf-8")


def test_a_card_reads_as_a_result_does_in_a_paper(real: str) -> None:
    assert text_of(part_of(real, "hypothesis-1", "article")).splitlines() == [
        "H1 ✓ Supported registered",
        "People predict the model better with an explanation. difference of means 0.0853, 95% CI [0.0312, ∞)",
        "Its plan and its study are those that were frozen before data came.",
        "Difference of means 0.0853, 95% CI [0.0312, ∞)",
        "Analysis welch t one-sided, greater",
        "Test t(47.32) = 2.63, p = .006",
        "Adjusted p = .011 Holm, 2 tests in family main",
        "Alpha .05",
        "Analysed 51 participants 51 rows",
        "Cohen's d 0.74, 95% CI [0.17, 1.31]",
        "Standard error 0.0324",
        "Checks, and what followed from them",
        "Shapiro wilk: the assumption holds (statistic 0.97, p = .412), so welch t.",
        "Levene: the assumption does not hold (statistic 5.81, p = .020), so welch t.",
        "Each grey point is one participant. Large dots are means with 95% intervals. "
        "Below: the estimate with its 95% interval. Figure for hypothesis H1; 51 raw points; "
        "Explanation: mean 0.721, 95% CI [0.677, 0.766], n 27; "
        "No explanation: mean 0.636, 95% CI [0.587, 0.685], n 24; "
        "difference of means: 0.0853, 95% CI [0.0312, ∞).",
        "Groups of H1",
        "Group n Mean SD 95% CI",
        "Explanation 27 0.721 0.113 [0.677, 0.766]",
        "No explanation 24 0.636 0.117 [0.587, 0.685]",
        "Data: 51 rows as analysed (CSV) Code: welch_t",
    ]


def test_the_summary_counts_verdicts_in_plain_words(real: str) -> None:
    assert text_of(part_of(real, "summary", "section")).splitlines()[:2] == [
        "Summary",
        "Of 6 hypotheses, 3 are supported, 1 is not supported, 1 is inconclusive and 1 was not tested. "
        "4 are registered and confirmatory and 2 are exploratory, so they can only suggest effects. "
        "The study and its plan are the ones that were preregistered; their digests are equal. "
        "The freeze was not recorded in the log.",
    ]


def test_a_missing_number_is_a_dash_with_its_reason(real: str) -> None:
    assert "pilot 1 0.500 — needs two values — not computed — needs two values" in text_of(real)


def test_the_page_never_prints_a_placeholder_of_a_language(real: str, synthetic: str) -> None:
    # Code of analyses may say None.
    pages = [re.sub(r"<pre.*?</pre>|<script.*?</script>", "", page, flags=re.DOTALL) for page in (real, synthetic)]
    assert not re.search(r"\b(nan|None|NaN|null|inf|True|False)\b", text_of("".join(pages)))


def test_text_from_a_study_stays_text(real: str) -> None:
    assert samples.HOSTILE not in real
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in real


def test_the_page_loads_nothing_and_allows_only_its_own_script(real: str) -> None:
    tags = reader_of(real).tags
    loaded = [value for _, attributes in tags for name, value in attributes.items() if name in {"src", "href", "data"}]
    assert [value for value in loaded if not str(value).startswith(("#", "data:text/csv;"))] == []
    assert re.findall(r"url\((?!#)|@import", real) == []
    scripts = re.findall(r"<script>(.*?)</script>", real, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert len(scripts) == 1
    assert f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'" in real


def test_what_to_be_careful_about_is_on_the_first_screen(real: str) -> None:
    assert text_of(part_of(real, "careful-h", "aside")).splitlines() == [
        "What to be careful about",
        "1 deviation from the plan. Details",
        "20 of the 71 people recruited are not in the analysis. Details",
        "3 tests at alpha .05 without a correction for multiple testing: H2, H3 and H5. Details",
        "No clear answer to H3 and H6. The details give the reason. Details",
        "“Not supported” means that the data do not meet the criterion, not that there is no effect.",
    ]


def test_the_first_screen_shows_findings_in_the_order_of_the_plan_and_counts_the_rest(real: str) -> None:
    summary = part_of(real, "summary", "section")
    assert re.findall(r'<th scope="row" translate="no"><a href="#(hypothesis-\d)">', summary) == [
        f"hypothesis-{k}" for k in range(1, 6)
    ]
    assert "The first 5 of 6 hypotheses, in the order of the plan. All 6" in text_of(summary)


def test_each_finding_links_to_its_data_and_its_code(real: str) -> None:
    card = part_of(real, "hypothesis-1", "article")
    encoded = re.search(r'<a download="hypothesis-1.csv" href="data:text/csv;base64,([^"]+)">', card)
    assert encoded is not None
    rows = base64.b64decode(encoded[1]).decode().splitlines()
    assert rows[0] == "hypothesis_id,participant,group,value"
    assert len(rows) == 1 + 51
    assert '<a href="#code-welch_t">Code: welch_t</a>' in card
    assert "class WelchT" in part_of(real, "code-welch_t", "article")


def test_everything_but_the_summary_is_folded(real: str) -> None:
    tags = reader_of(real).tags
    assert {"open" in attributes for tag, attributes in tags if tag == "details"} == {False}
    assert {tag for tag, attributes in tags if attributes.get("class") == "part"} == {"details"}


def test_a_finding_with_too_many_rows_for_a_page_has_no_data_link() -> None:
    many = pd.DataFrame({"hypothesis_id": "H1", "participant": range(2001), "group": "a", "value": 1.0})
    assert data_links([samples.between()], many) == (None,)


def test_ids_on_the_page_are_unique_and_links_lead_to_them(real: str) -> None:
    tags = reader_of(real).tags
    ids = [str(attributes["id"]) for _, attributes in tags if "id" in attributes]
    named = {str(attributes.get(name)) for _, attributes in tags for name in ("aria-labelledby",) if name in attributes}
    links = {str(attributes["href"])[1:] for tag, attributes in tags if tag == "a" and "download" not in attributes}
    assert len(ids) == len(set(ids))
    assert (named | links) - set(ids) == set()


def test_every_drawing_has_words_for_those_who_cannot_see_it(real: str) -> None:
    drawings = [attributes for tag, attributes in reader_of(real).tags if tag == "svg"]
    assert len(drawings) == 7 + 4, "seven figures, and four strips on the first screen"
    assert {drawing.get("role") for drawing in drawings} == {"img"}


def test_every_table_heading_has_a_scope(real: str) -> None:
    assert {attributes.get("scope") for tag, attributes in reader_of(real).tags if tag == "th"} == {"col", "row"}


def test_headings_never_skip_a_level(real: str) -> None:
    levels = [int(tag[1]) for tag, _ in reader_of(real).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert max(b - a for a, b in itertools.pairwise(levels)) == 1


def test_synthetic_data_are_marked_on_the_page_and_on_each_table_and_figure(synthetic: str) -> None:
    tags = [tag for tag, _ in reader_of(synthetic).tags]
    assert "SYNTHETIC DATA simulated people, not evidence about people" in text_of(synthetic)
    marks = synthetic.count("Synthetic data: simulated people</span>")
    # The flow diagram carries the words inside its drawing; the list of pay and time has a mark without being a table.
    assert marks == tags.count("caption") + tags.count("figure") - 1 + 1
    assert "Synthetic data: simulated people" in synthetic.split('id="pay-h"')[1].split("</section>", maxsplit=1)[0]
    assert "SYNTHETIC DATA — simulated people, not evidence about people</text>" in synthetic


def test_each_synthetic_chart_carries_a_watermark(synthetic: str) -> None:
    charts = re.findall(r'<figure class="chart">.*?</figure>', synthetic, re.DOTALL)
    assert len(charts) == 6
    assert all(">SYNTHETIC</text>" in chart for chart in charts)


def test_data_of_people_are_not_called_synthetic(real: str) -> None:
    assert "synthetic" not in real.lower()


def test_findings_alone_make_a_page(tmp_path: Path) -> None:
    bare = samples.findings(with_published=False).model_copy(update={"findings": (), "descriptions": ()})
    page = write_report(bare, tmp_path / "deep" / "bare.html").read_text(encoding="utf-8")
    assert "The plan has no hypotheses. The report only describes the data." in page


def test_a_changed_study_is_told(tmp_path: Path) -> None:
    found = samples.findings()
    changed = found.provenance.model_copy(update={"preregistered_digest": "f" * 64, "deviations": ()})
    page = write_report(found.model_copy(update={"provenance": changed}), tmp_path / "page.html").read_text()
    assert "The study differs from the one that was preregistered: digest ffffffffffff was frozen" in page


def test_pay_and_time_are_told(tmp_path: Path) -> None:
    paid = PaidTime(n_paid=62, mean_pay=4.1, median_minutes=20.0)
    path = write_report(samples.findings(), tmp_path / "page.html", study=samples.study(), paid=paid)
    assert text_of(part_of(path.read_text(encoding="utf-8"), "pay", "section")).splitlines() == [
        "Pay and time",
        "Base pay GBP 3.00",
        "Bonus GBP 0.10 per unit of correct at most GBP 1.50",
        "Expected time 15 min GBP 12.00 per hour before bonus",
        "Mean pay GBP 4.10 62 paid",
        "Median time 20.0 min GBP 12.30 per hour at this time",
    ]


def test_what_was_paid_out_and_the_pay_per_hour_of_each_condition_are_told(tmp_path: Path) -> None:
    recruitment = Recruitment(recruiter=Ref(name="link"), hourly_minimum=9.0)
    study = samples.study().model_copy(update={"recruitment": recruitment})
    paid = PaidTime(62, 4.1, 20.0, hourly=(("shown", 12.3), ("hidden", 8.5)), ledger=LedgerTotals(254.2, 250.1, 4.1))
    path = write_report(samples.findings(), tmp_path / "page.html", study=study, paid=paid)
    assert text_of(part_of(path.read_text(encoding="utf-8"), "pay", "section")).splitlines()[-3:] == [
        "Pay per hour, shown GBP 12.30 median pay over median time",
        "Pay per hour, hidden GBP 8.50 less than the GBP 9.00 that the study states",
        "Paid and confirmed GBP 250.10 of GBP 254.20 owed; GBP 4.10 on its way",
    ]


def test_published_figures_stand_beside_ours(real: str) -> None:
    assert text_of(part_of(real, "published", "section")).splitlines()[-3:] == [
        "Mean accuracy, saliency 0.72 0.72 yes",
        "F of the interaction 4.10 2.10 no The paper seems to count trials.",
        "Retention 0.67 — could not be recomputed no Not in the data.",
    ]


def test_the_same_findings_give_the_same_page(tmp_path: Path, real: str) -> None:
    again = write_report(samples.findings(), tmp_path / "again.html", study=samples.study(), points=samples.points())
    assert again.read_text(encoding="utf-8") == real


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_text_stands_out_from_its_ground(palette: Palette) -> None:
    pairs = [
        (hue, ground)
        for hue in (palette.ink, palette.soft, palette.accent)
        for ground in (palette.paper, palette.panel)
    ]
    pairs += [(palette.warn_ink, palette.warn), (palette.paper, palette.accent), (palette.ink, palette.wash)]
    assert min(_contrast(a, b) for a, b in pairs) >= 4.5


def test_every_one_of_many_conditions_is_drawn(tmp_path: Path) -> None:
    found = samples.findings()
    steps = (found.flow.steps[0].model_copy(update={"by_condition": {f"condition {k}": k for k in range(1, 12)}}),)
    wide: Findings = found.model_copy(update={"flow": found.flow.model_copy(update={"steps": steps})})
    page = write_report(wide, tmp_path / "page.html").read_text(encoding="utf-8")
    assert all(f"condition {k}</text>" in page for k in range(1, 12))


def _contrast(first: str, second: str) -> float:
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(hue: str) -> float:
    parts = [int(hue[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
