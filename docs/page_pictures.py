"""Photographs every kind of page of studies at three window sizes, and lists pages that scroll, overflow or cut words off.

Simulated people walk through each study in Chromium; the first page of each block and each announcement of a part are
photographed. Run `python docs/page_pictures.py hase2020-tabular ross2021-synthetic --out pictures`, with `--language de`
for the texts around a study in German, and look at the pictures. The name `dashboard` photographs the researchers' side.
"""

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from tour.servers import demo
from understudy.actions.casts import default_cast
from understudy.actions.rehearse import HEIGHT_PX, WIDTH_PX, BrowserOptions, rehearse_in_browser
from understudy.actions.run_folder import new_run
from understudy.errors import UnderstudyError
from understudy.protocols import ready_names, ready_study
from understudy.simulate.browser import LAYOUT_FAULT, Screen, open_chromium

if TYPE_CHECKING:
    from playwright.async_api import Page

SIZES: Mapping[str, tuple[int, int]] = {"1280": (1280, 800), "1024": (1024, 640), "390": (390, 844)}
"""A laptop, the smallest window that studies ask for, and a phone."""
DASHBOARD = "dashboard"
_LAYOUT = """() => {
  const root = document.documentElement;
  const main = [...document.querySelectorAll('.stage .primary, .stage .actions .button')].pop();
  const box = main ? main.getBoundingClientRect() : null;
  return {
    scrolls: Math.max(0, root.scrollHeight - innerHeight),
    overflows: Math.max(0, root.scrollWidth - innerWidth),
    hidden: box ? Math.max(0, Math.round(box.bottom - innerHeight)) : 0,
  };
}"""


class Layout(NamedTuple):
    """How a page fits a window, in pixels."""

    name: str
    size: str
    scrolls: int
    """How much longer the page is than the window."""
    overflows: int
    """How much wider."""
    hidden: int
    """How far the way on lies below the window."""
    fault: str | None
    """What does not fit; None where everything does."""


class Photographer:
    """Photographs the first page of each block and each announcement, once per kind."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken: set[str] = set()
        self.layouts: list[Layout] = []
        folder.mkdir(parents=True, exist_ok=True)

    async def look(self, page: "Page", screen: Screen) -> None:
        """Photograph a screen at every size, if it is the first of its kind."""
        block_id = screen.step.visit.block.block_id
        if screen.step.visit.try_number > 1:
            block_id += "-again"
        name = f"{block_id}-announced" if screen.is_announcement else block_id
        if name in self._taken:
            return
        self._taken.add(name)
        number = len(self._taken)
        # Pages draw themselves anew in the next frame, and the frames of a rehearsal wait for its clock.
        await self.take(page, f"{number:02d}-{name}", lambda: page.clock.run_for(400))

    async def take(self, page: "Page", name: str, settle: Callable[[], Awaitable[None]]) -> None:
        """Photograph what a page shows at every size; `settle` lets it draw itself anew."""
        for size, (width, height) in SIZES.items():
            await page.set_viewport_size({"width": width, "height": height})
            await settle()
            found = await page.evaluate(_LAYOUT)
            fault = await page.evaluate(LAYOUT_FAULT)
            self.layouts.append(Layout(name, size, found["scrolls"], found["overflows"], found["hidden"], fault))
            await page.screenshot(path=self._folder / f"{name}-{size}.png", full_page=True)
        await page.set_viewport_size({"width": WIDTH_PX, "height": HEIGHT_PX})
        await settle()


def photographed(name: str, folder: Path, *, language: str, n_people: int | None) -> list[Layout]:
    """Photograph the pages of a ready study, and return how they fit."""
    study = ready_study(name).model_copy(update={"language": language})
    photographer = Photographer(folder)
    with TemporaryDirectory() as runs:
        run = new_run(study, Path(), Path(runs) / "run")
        options = BrowserOptions(n_people or 2 * len(study.cells), seed=1, watch=photographer.look)
        rehearse_in_browser(run, default_cast(study), options, environment=os.environ)
    return photographer.layouts


async def dashboard_photographed(folder: Path) -> list[Layout]:
    """Photograph the dashboard of a demo that simulated people arrive at."""
    photographer = Photographer(folder)
    with TemporaryDirectory() as runs, demo(Path(runs) / "demo", per_second=4.0) as address:
        async with open_chromium(os.environ, is_shown=False) as browser:
            page = await browser.new_page(reduced_motion="reduce")

            async def settle() -> None:
                await page.wait_for_load_state("networkidle")

            await page.goto(f"{address}/demo/dashboard")
            await page.wait_for_selector(".flow .n")
            await photographer.take(page, "01-studies", settle)
            await page.locator("[data-study=loan-demo-rehearsal]").get_by_role("link", name="Sessions").click()
            await page.wait_for_selector(".sessions tbody tr")
            await photographer.take(page, "02-study", settle)
            await page.get_by_role("link", name=re.compile("^Replay of")).first.click()
            await page.wait_for_selector(".step")
            await photographer.take(page, "03-session", settle)
    return photographer.layouts


def main(words: Sequence[str] | None = None) -> int:
    """Write the pictures and the list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="+", choices=[*ready_names(), DASHBOARD], metavar="STUDY")
    parser.add_argument("--out", type=Path, default=Path("pictures"))
    parser.add_argument("--language", choices=["en", "de"], default="en")
    parser.add_argument("--people", type=int, help="how many simulated people walk; by default two of each condition")
    chosen = parser.parse_args(words)
    for name in chosen.studies:
        folder = chosen.out / f"{name}-{chosen.language}"
        try:
            layouts = (
                asyncio.run(dashboard_photographed(folder))
                if name == DASHBOARD
                else photographed(name, folder, language=chosen.language, n_people=chosen.people)
            )
        except UnderstudyError as error:
            sys.stderr.write(f"{name}: {error}\n")
            return 2
        for layout in layouts:
            if layout.fault is not None:
                sys.stdout.write(f"{name} {layout.name} at {layout.size}: {layout.fault}\n")
            if layout.overflows or layout.hidden:
                sys.stdout.write(
                    f"{name} {layout.name} at {layout.size}: {layout.scrolls} px to scroll, way on {layout.hidden} px below, "
                    f"{layout.overflows} px too wide\n"
                )
        sys.stdout.write(f"{len(layouts)} pictures of {name} in {folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
