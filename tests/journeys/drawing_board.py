"""A page in Chromium on which trials are drawn without a server, in the player's own style."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.front_end_scripts import npm_run
from understudy.actions.serve import built_front_end
from understudy.schema import Trial, json_from_record

SMALLEST = {"width": 1024, "height": 640}
_SHELL = """<!doctype html><html lang="en"><head><title>Board</title></head>
<body><div id="player"><main><div class="stage"></div></main></div></body></html>"""
_DRAWN = """(trials) => trials.map((trial) => {
  const seen = draw(trial);
  const width = document.documentElement.clientWidth;
  const isOut = (box) => box.width > 1 && box.height > 1 && (box.right > width + 1 || box.left < -1);
  const out = [...document.querySelectorAll('#player *')].find((part) => isOut(part.getBoundingClientRect()));
  return { seen, out: out ? out.outerHTML.slice(0, 120) : null };
})"""


def board_script(folder: Path) -> Path:
    """Bundle the board."""
    path = folder / "board.js"
    npm_run("board", "--", str(path))
    return path


class Board:
    """The page, and what is seen on it."""

    def __init__(self, browser: Browser, script: Path) -> None:
        size: Any = SMALLEST
        self.page: Page = browser.new_page(viewport=size, reduced_motion="reduce")
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.set_content(_SHELL)
        style = next((built_front_end() / "assets").glob("player-style-*.css"))
        self.page.add_style_tag(content=style.read_text(encoding="utf-8"))
        self.page.add_script_tag(content=script.read_text(encoding="utf-8"), type="module")
        self.page.wait_for_function("() => 'draw' in globalThis")

    def drawn(self, trials: Sequence[Trial]) -> list[dict[str, Any]]:
        """Draw trials one after the other; return the words seen of each, and what is wider than the window."""
        told: list[dict[str, Any]] = self.page.evaluate(_DRAWN, [json_from_record(trial) for trial in trials])
        return told
