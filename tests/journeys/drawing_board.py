"""A page in Chromium on which trials are drawn without a server, in the player's own style."""

import importlib.util
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from playwright.sync_api import Browser, Page

from understudy.schema import Trial, json_from_record
from understudy.workflow.serving import built_front_end

FRONTEND = Path(__file__).parents[2] / "frontend"
SMALLEST = {"width": 1024, "height": 640}
_SHELL = """<!doctype html><html lang="en"><head><title>Board</title></head>
<body><div id="player"><main><div class="stage"></div></main></div></body></html>"""
_DRAWN = """(trials) => trials.map((trial) => {
  const seen = draw(trial);
  const width = document.documentElement.clientWidth;
  const isOut = (box) => box.width > 1 && box.height > 1 && (box.right > width + 1 || box.left < -1);
  const out = [...document.querySelectorAll('#player *')].find((one) => isOut(one.getBoundingClientRect()));
  return { seen, out: out ? out.outerHTML.slice(0, 120) : null };
})"""


def with_node() -> ModuleType:
    """Load the script that finds Node."""
    spec = importlib.util.spec_from_file_location("with_node", FRONTEND / "with_node.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def board_script(folder: Path) -> Path:
    """Bundle the board."""
    command, environment = with_node().npm_command()
    path = folder / "board.js"
    told = subprocess.run(
        [*command, "run", "--silent", "board", "--", str(path)],
        cwd=FRONTEND, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    return path


class Board:
    """The page, and what is seen on it."""

    def __init__(self, browser: Browser, script: Path, *, scheme: Literal["light", "dark"] = "light") -> None:
        size: Any = SMALLEST
        self.page: Page = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.set_content(_SHELL)
        style = next((built_front_end() / "assets").glob("player-style-*.css"))
        self.page.add_style_tag(content=style.read_text(encoding="utf-8"))
        self.page.add_script_tag(content=script.read_text(encoding="utf-8"), type="module")
        self.page.wait_for_function("() => 'draw' in globalThis")

    def drawn(self, trials: Sequence[Trial]) -> list[dict[str, Any]]:
        """Draw trials one after the other; return the words seen of each, and what is wider than the window."""
        told: list[dict[str, Any]] = self.page.evaluate(_DRAWN, [json_from_record(one) for one in trials])
        return told
