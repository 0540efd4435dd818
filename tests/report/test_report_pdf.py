import re
from pathlib import Path

import pytest

from tests.report import report_samples as samples
from understudy.errors import MissingExtra, UnderstudyError
from understudy.report import find_browser, write_pdf, write_report


def test_the_report_prints_as_pdf(tmp_path: Path) -> None:
    if find_browser(Path.home()) is None:
        pytest.skip("no Chromium or Chrome on this machine")
    page = write_report(samples.findings(with_published=False), tmp_path / "page.html")
    pdf = write_pdf(page, tmp_path / "deep" / "page.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 1


def test_no_browser_is_a_sentence_that_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(MissingExtra, match="playwright install chromium"):
        write_pdf(tmp_path / "page.html", tmp_path / "page.pdf")


def test_playwrights_own_browser_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    kept = tmp_path / ".cache" / "ms-playwright" / "chromium-1200" / "chrome-linux" / "chrome"
    kept.parent.mkdir(parents=True)
    kept.touch()
    assert find_browser(tmp_path) == kept


def test_a_missing_page_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnderstudyError, match="There is no report page"):
        write_pdf(tmp_path / "page.html", tmp_path / "page.pdf", browser=Path("chromium"))


def test_a_browser_that_fails_is_told(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>page", encoding="utf-8")
    with pytest.raises(UnderstudyError, match="did not print the PDF"):
        write_pdf(page, tmp_path / "page.pdf", browser=Path("/bin/false"))
