"""Find and start Chromium for a rehearsal, Playwright's build or an installed one."""

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
    # A second process for each window, kept ready for an address that never comes.
    "SpareRendererForSitePerProcess",
)  # fmt: skip
"""Features of a browser that nobody sees here; the pages of the address bar take half the cost of a new window."""
FLAGS = (
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
    "--autoplay-policy=no-user-gesture-required", f"--disable-features={','.join(_UNUSED)}",
)  # fmt: skip
"""No requests to other servers, videos may start without a click, and windows open without extras."""


def playwright_library() -> Any:
    """Return the Playwright module, or raise an error with the command that installs it."""
    return optional("playwright.async_api", extra="browser")


def chromium_path(environment: Mapping[str, str], bundled: str) -> str:
    """Return the browser to start: UNDERSTUDY_CHROMIUM, Playwright's build, or the first one on PATH."""
    named = environment.get("UNDERSTUDY_CHROMIUM")
    if named:
        if not Path(named).is_file():
            raise MissingExtra(f"UNDERSTUDY_CHROMIUM names {named!r}, but there is no such file; correct or unset it.")
        return named
    if Path(bundled).is_file():
        return bundled
    candidates = (shutil.which(name, path=environment.get("PATH", "")) for name in ON_PATH)
    installed = next(filter(None, candidates), None)
    if installed is None:
        raise MissingExtra(
            "There is no Chromium to rehearse in: run `playwright install chromium`, or install Chromium so that it is "
            "on PATH (or name it in UNDERSTUDY_CHROMIUM)."
        )
    return installed


@asynccontextmanager
async def open_chromium(environment: Mapping[str, str], *, is_shown: bool) -> "AsyncIterator[Browser]":
    """Start the browser and close it at the end of the block."""
    library = playwright_library()
    async with library.async_playwright() as playwright:
        path = chromium_path(environment, playwright.chromium.executable_path)
        # Chromium cannot use its sandbox as root, as in a container.
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
    """Return the first line of an error message, without a full stop."""
    return str(error).strip().partition("\n")[0].rstrip(".")
