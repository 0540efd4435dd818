"""The live part of the tour: the preview, the participant link, monitoring and the pay table of the demo."""

import subprocess
import sys
from html import escape
from pathlib import Path

from tour.participants import Tour
from understudy.errors import UnderstudyError

ROOT = Path(__file__).parent.parent.parent

_TERMINAL = (
    "<body style='margin:0;background:#12181e'><pre style='margin:0;padding:22px 26px;color:#e8ecef;"
    'font:13px/1.45 ui-monospace,"DejaVu Sans Mono",monospace;white-space:pre-wrap\'>{text}</pre></body>'
)


async def preview(tour: Tour) -> None:
    """Photograph the contents of a preview, and one page in it."""
    async with tour.somebody("/demo/dashboard") as walker:
        page = walker.page
        await page.goto(f"{tour.address}/preview/loan-demo")
        await page.wait_for_selector(".preview-condition")
        await tour.album.take(page, "preview-contents")
        await page.goto(f"{tour.address}/preview/loan-demo?condition=shown&page=6")
        await page.wait_for_selector(".stage h1")
        await tour.album.take(page, "preview-page")


async def recruiting(tour: Tour) -> None:
    """Photograph the link that people get, and how the study goes."""
    async with tour.somebody("/demo/dashboard") as walker:
        page = walker.page
        await page.goto(f"{tour.address}/admin#/loan-demo")
        await page.wait_for_selector(".recruiting")
        await tour.album.take(page, "recruiting", part=".recruiting")
        await page.goto(f"{tour.address}/admin#/loan-demo-rehearsal/monitor")
        await page.wait_for_selector(".chart .line")
        await page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
        await tour.album.take(page, "monitor")


async def pay_table(tour: Tour) -> None:
    """Photograph what `understudy pay` prints for a few people of a platform that the tests have."""
    command = [sys.executable, "-m", "tests.paid_screen"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)  # noqa: S603 - our own words
    if shown.returncode:
        raise UnderstudyError(f"The pay table could not be made: {shown.stderr.strip()}")
    async with tour.visit() as context:
        page = await context.new_page()
        text = escape(f"$ understudy pay runs/my-study --dry-run\n{shown.stdout.rstrip()}")
        await page.set_content(_TERMINAL.format(text=text))
        await tour.album.take(page, "pay-table", part="pre")
