"""Print the report to PDF with an installed Chromium."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from understudy.errors import MissingExtra, UnderstudyError

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_PLAYWRIGHT: Final = (
    ".cache/ms-playwright/chromium-*/chrome-linux*/chrome",
    "Library/Caches/ms-playwright/chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
    "AppData/Local/ms-playwright/chromium-*/chrome-win*/chrome.exe",
)
_SECONDS: Final = 120


def write_pdf(page: Path, path: Path, *, browser: Path | None = None) -> Path:
    """Print a report page to PDF and return its path; without `browser`, search for one."""
    browser_path = browser or find_browser(Path.home())
    if browser_path is None:
        raise MissingExtra(
            "A PDF is printed by Chromium or Chrome, and none was found on the search path or among Playwright's "
            "browsers. Install one (for example `apt install chromium` or `playwright install chromium`), "
            "or print the HTML page from any browser."
        )
    if not page.is_file():
        raise UnderstudyError(f"There is no report page at {page}. Write the report first, then print it.")
    path.parent.mkdir(parents=True, exist_ok=True)
    # A separate profile, so that a running browser does not take over the job.
    with tempfile.TemporaryDirectory() as profile:
        done = _printed(browser_path, page, path, Path(profile))
    if done.returncode or not path.is_file():
        messages = done.stderr.strip().splitlines()
        raise UnderstudyError(
            f"{browser_path} did not print the PDF: {messages[-1] if messages else 'it gave no reason'}."
        )
    return path


def find_browser(home: Path) -> Path | None:
    """Return an installed Chromium or Chrome, or Playwright's build in a home folder."""
    for name in _NAMES:
        path = shutil.which(name)
        if path:
            return Path(path)
    installed = [path for pattern in _PLAYWRIGHT for path in home.glob(pattern)]
    return max(installed, default=None)


def _printed(browser: Path, page: Path, path: Path, profile: Path) -> subprocess.CompletedProcess[str]:
    command = [
        str(browser),
        "--headless",
        # The page is our own, runs only our script and loads nothing; as root Chromium starts only without its sandbox.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--no-pdf-header-footer",
        f"--user-data-dir={profile}",
        f"--print-to-pdf={path.resolve()}",
        page.resolve().as_uri(),
    ]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnderstudyError(f"{browser} could not print the PDF: {error}. Give another browser.") from None
