"""The part of the tour for model developers: the picture of a concept test, in both layouts."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tour.album import Album
from understudy.probe.picture import write_picture

if TYPE_CHECKING:
    from playwright.async_api import Browser

_VERDICTS = Path(__file__).parents[2] / "frontend" / "tests" / "verdicts.json"
_WIDE, _TALL = (1280, 800), (520, 1400)


async def pictures(browser: "Browser", album: Album, folder: Path) -> None:
    """Photograph a page that stands alone: as it opens, traced, with another threshold, and going down."""
    path = write_picture(json.loads(_VERDICTS.read_text(encoding="utf-8")), folder / "concept-test.html")
    await _take(browser, album, path, "concept-test")
    await _take(browser, album, path, "concept-test-traced", traced="H1")
    await _take(browser, album, path, "concept-test-dark", scheme="dark", alpha="0.01")
    await _take(browser, album, path, "concept-test-tall", window=_TALL)


async def _take(
    browser: "Browser",
    album: Album,
    path: Path,
    name: str,
    *,
    window: tuple[int, int] = _WIDE,
    scheme: Literal["light", "dark"] = "light",
    traced: str | None = None,
    alpha: str | None = None,
) -> None:
    size: Any = dict(zip(("width", "height"), window, strict=True))
    context = await browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    page = await context.new_page()
    await page.goto(path.as_uri())
    if traced is not None:
        await page.locator(f'[data-id="{traced}"]').press("Enter")
    if alpha is not None:
        await page.get_by_label("Threshold on p, as a number").fill(alpha)
        await page.keyboard.press("Enter")
    await album.take(page, name)
    await context.close()
