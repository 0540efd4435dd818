"""What a browser may run on a report that the dashboard shows."""

from pathlib import Path

from tests.report import report_samples as samples
from understudy.report import write_report
from understudy.serve.desk.report_page import REPORT_POLICY, report_policy


def test_the_script_of_a_report_may_run_and_no_other(tmp_path: Path) -> None:
    bare = samples.findings().model_copy(update={"findings": (), "descriptions": ()})
    page = write_report(bare, tmp_path / "report.html").read_bytes()
    policy = report_policy(page)
    assert policy.startswith(f"{REPORT_POLICY}; script-src 'sha256-")
    assert policy.removeprefix(f"{REPORT_POLICY}; ").encode() in page


def test_a_page_cannot_allow_a_script_in_its_content() -> None:
    assert report_policy(b"<head></head><body>script-src 'sha256-abc='</body>") == REPORT_POLICY
