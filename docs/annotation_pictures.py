"""Photographs the annotators' page and the page of agreement for docs/how-to/annotate.md: python docs/annotation_pictures.py."""

import asyncio
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tour.album import packed
from tour.servers import serving
from understudy.actions.annotate import coded_run
from understudy.actions.run_folder import Run, new_run
from understudy.actions.study_files import read_study
from understudy.conduct.coding_room import Author, Given, given_event
from understudy.record import desk_in
from understudy.schema import Cast, CastMember, Event, Ref, ResponseGiven, SessionStarted
from understudy.serve.desk.researchers import Researchers
from understudy.simulate import rehearse
from understudy.simulate.browser import open_chromium

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

PAGE = Path(__file__).parent / "how-to" / "annotate.md"
PASSWORD = "four quiet random words"  # noqa: S105 - opens a server that only this script starts
TEXTS = (
    "It said yes whenever the income was above two thousand, also for people who had no savings at all. So I think it "
    "only looks at the income.",
    "I would never lend money to a stranger, so I said no.",
    "In the second example the savings were low and it still said yes, so savings do not matter much.",
    "Not sure. The numbers on the left perhaps?",
    "High income means yes, low income means no. I checked it with all the examples.",
    "Nice colours, and the text was easy to read.",
    "It looks at income, and maybe at how long somebody has worked.",
    "I guessed most of the time.",
)
CODES = {"ann": " xiuixiu", "bob": "ixiiixuu"}
"""What two annotators say about the texts: i for include, u for unsure, x for exclude; the first is left for the picture."""
NAMES = {"i": "include", "u": "unsure", "x": "exclude"}
CAREFUL = Cast(name="careful", members=(CastMember(participant=Ref(name="careful"), share=1),))


def filled_run(folder: Path) -> Run:
    """Prepare the study of the page, let people write the texts, and let two annotators code them."""
    text = re.search(r"^```toml coded\.toml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (folder / "coded.toml").write_text(text[1] if text else "", encoding="utf-8")
    run = new_run(read_study(folder / "coded.toml"), folder, folder / "coded")
    with run.open_log() as log:
        for written, events in zip(TEXTS, rehearse(run.script, CAREFUL, seed=1, n_people=len(TEXTS)), strict=True):
            log.append([_saying(event, written) for event in events])
    accounts = Researchers(desk_in(run.folder / "researchers.sqlite"))
    for name, role in (("ada", "owner"), ("ann", "annotator"), ("bob", "annotator"), ("eve", "annotator")):
        accounts.add(name, role, PASSWORD)
    with coded_run(run, is_writing=True) as coded:
        for name, codes in CODES.items():
            state = coded.state(coded.schemes[0])
            said = {text: NAMES[code] for text, code in zip(TEXTS, codes, strict=True) if code in NAMES}
            coded.add(
                [
                    (unit.session_id, given_event(state, unit, Author(name, is_blind=True), Given((said[unit.texts[0].text],))))
                    for unit in state.units
                    if unit.texts[0].text in said
                ]
            )  # fmt: skip
    return run


def _saying(event: Event, text: str) -> Event:
    match event:
        case SessionStarted():
            return event.model_copy(update={"participant_kind": "person", "cast": None})
        case ResponseGiven(response={"why": _}):
            return event.model_copy(update={"response": {"why": text}})
    return event


async def signed_in(browser: "Browser", address: str, name: str, scheme: str = "light") -> "Page":
    """Open a window for somebody and sign in."""
    page = await browser.new_page(viewport={"width": 1024, "height": 640}, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    await page.goto(f"{address}/admin/annotate")
    await page.get_by_label("Name").fill(name)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("heading", name="Texts to code").wait_for()
    return page


async def photograph(target: Path, schemes: Sequence[str] = ("light",)) -> None:
    """Take the pictures of the page."""
    with TemporaryDirectory() as name:
        run = filled_run(Path(name))
        async with open_chromium(os.environ, is_shown=False) as browser:
            with serving(run.folder) as address:
                for scheme in schemes:
                    end = "" if scheme == "light" else f"-{scheme}"
                    coding = await signed_in(browser, address, "ann", scheme)
                    await coding.get_by_role("link", name="Continue coding").click()
                    await coding.locator(".answer-text").wait_for()
                    _write(target / f"annotate-coding{end}.png", await coding.screenshot())
                    agreement = await signed_in(browser, address, "ada", scheme)
                    await agreement.get_by_role("link", name="Agreement").first.click()
                    await agreement.locator(".dispute").first.wait_for()
                    _write(target / f"annotate-agreement{end}.png", await agreement.screenshot(full_page=True))


def _write(path: Path, picture: bytes) -> None:
    path.write_bytes(packed(picture))


if __name__ == "__main__":
    asyncio.run(photograph(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE.parent, sys.argv[2:] or ("light",)))
