"""Photographs a preview, the desk of a running study and the pay table into docs/how-to (run it after changes to them)."""

import asyncio
import os
import subprocess
import sys
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tour.album import packed
from tour.servers import demo
from understudy.errors import UnderstudyError
from understudy.simulate.browser import open_chromium

if TYPE_CHECKING:
    from playwright.async_api import Page, ViewportSize

DOCS = Path(__file__).parent
_WINDOW: "ViewportSize" = {"width": 1024, "height": 640}
_LONG_MS = 120_000
_FEW = 12
"""Sessions of simulated people before the desk is photographed."""
_TERMINAL = (
    "<body style='margin:0;background:#12181e'><pre style='margin:0;padding:22px 26px;color:#e8ecef;"
    'font:13px/1.45 ui-monospace,"DejaVu Sans Mono",monospace;white-space:pre-wrap\'>{text}</pre></body>'
)


async def photograph(folder: Path) -> None:
    """Take all pictures."""
    async with open_chromium(os.environ, is_shown=False) as browser:
        page = await browser.new_page(viewport=_WINDOW, reduced_motion="reduce", locale="en-GB")
        await page.set_content(
            _TERMINAL.format(text=escape(f"$ understudy pay runs/my-study --dry-run\n{_pay_table()}"))
        )
        await _take(page, "pay-table", part="pre")
        with demo(folder / "demo", per_second=4.0) as address:
            await page.goto(f"{address}/demo/dashboard")
            await page.goto(f"{address}/preview/loan-demo")
            await page.wait_for_selector(".preview-condition", timeout=_LONG_MS)
            await _take(page, "preview-contents")
            await page.goto(f"{address}/preview/loan-demo?condition=shown&page=6")
            await page.wait_for_selector(".stage h1")
            await _take(page, "preview-page")
            await page.goto(f"{address}/admin#/loan-demo")
            await page.wait_for_selector(".recruiting")
            await _take(page, "recruiting", part=".recruiting")
            await page.goto(f"{address}/admin#/loan-demo-rehearsal/monitor")
            await page.wait_for_function(
                f"() => Number(document.querySelector('.facts dd')?.textContent.split(' ')[0]) >= {_FEW}",
                timeout=_LONG_MS,
            )
            await _take(page, "monitor")


def _pay_table() -> str:
    """Return what `understudy pay` prints for a few people of the platform that the tests have."""
    command = [sys.executable, "-m", "tests.paid_screen"]
    shown = subprocess.run(  # noqa: S603 - our own words
        command, capture_output=True, text=True, check=False, cwd=DOCS.parent
    )
    if shown.returncode:
        raise UnderstudyError(f"The pay table could not be made: {shown.stderr.strip()}")
    return shown.stdout.rstrip()


async def _take(page: "Page", name: str, *, part: str = "") -> None:
    await page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
    shot = await (page.locator(part) if part else page).screenshot(animations="disabled", caret="hide")
    (DOCS / "how-to" / f"{name}.png").write_bytes(packed(shot))


if __name__ == "__main__":
    with TemporaryDirectory() as root:
        asyncio.run(photograph(Path(root)))
