"""Chromium: the browser of a rehearsal, Playwright's own or the computer's."""

import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.errors import MissingExtra, UnderstudyError
from understudy.extras import optional

if TYPE_CHECKING:
    from playwright.async_api import Browser

ON_PATH = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_UNUSED = (
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup",
    # Playwright's own list: Chromium heeds only the last --disable-features it is given.
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect", "TcpPortRandomizationWin", "OptimizationHints", "NetworkTimeServiceQuerying",
    "AimEnabled", "PreconnectToSearch",
)  # fmt: skip
"""Features of a browser that nobody sees here; the pages of the address bar take half the cost of a new window."""
FLAGS = (
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
    "--autoplay-policy=no-user-gesture-required", f"--disable-features={','.join(_UNUSED)}",
)  # fmt: skip
"""Nothing is fetched from elsewhere, a film may start without a person's click, and a window opens without its extras."""


def playwright_library() -> Any:
    """Import Playwright, or say which command installs it."""
    return optional("playwright.async_api", extra="browser")


def chromium_path(environment: Mapping[str, str], own: str) -> str:
    """Return the browser to start: the one that is named, Playwright's own, or the first on PATH."""
    named = environment.get("UNDERSTUDY_CHROMIUM")
    if named:
        if not Path(named).is_file():
            raise MissingExtra(f"UNDERSTUDY_CHROMIUM names {named!r}, but there is no such file; correct or unset it.")
        return named
    if Path(own).is_file():
        return own
    found = next((path for name in ON_PATH if (path := shutil.which(name, path=environment.get("PATH", "")))), None)
    if found is None:
        raise MissingExtra(
            "There is no Chromium to rehearse in: run `playwright install chromium`, or install Chromium so that it is "
            "on PATH (or name it in UNDERSTUDY_CHROMIUM)."
        )
    return found


@asynccontextmanager
async def open_chromium(environment: Mapping[str, str], *, is_shown: bool) -> "AsyncIterator[Browser]":
    """Start the browser, and close it at the end of the block."""
    library = playwright_library()
    async with library.async_playwright() as playwright:
        path = chromium_path(environment, playwright.chromium.executable_path)
        # Chromium refuses to run its sandbox for root, as in a container.
        flags = [*FLAGS, "--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else list(FLAGS)
        try:
            browser = await playwright.chromium.launch(executable_path=path, headless=not is_shown, args=flags)
        except library.Error as error:
            hint = "; without --show it needs no screen" if is_shown else ""
            raise UnderstudyError(f"{path} did not start ({first_line(error)}){hint}.") from None
        try:
            yield browser
        finally:
            await browser.close()


def first_line(error: BaseException) -> str:
    """Return the first line of what a library says, without a full stop."""
    return str(error).strip().partition("\n")[0].rstrip(".")
