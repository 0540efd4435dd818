"""Photographs pages of the protocols' studies for docs/protocols, while simulated people take part.

Run `python docs/protocol_pictures.py` for all studies, or name some of them.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tour.album import packed
from understudy.actions.casts import default_cast
from understudy.actions.rehearse import WIDTH_PX, BrowserOptions, rehearse_in_browser
from understudy.actions.run_folder import new_run
from understudy.errors import UnderstudyError, exit_status
from understudy.protocols import ready_study
from understudy.simulate.browser import Screen

if TYPE_CHECKING:
    from playwright.async_api import Page

PICTURES = Path(__file__).parent / "protocols" / "pictures"
BLOCKS: dict[str, dict[str, str]] = {
    "ross2021-synthetic": {
        "practice_intro": "ross2021-instructions",
        "solve_targets": "ross2021-dials",
        "judge_dials": "ross2021-exemplars",
        "ease": "ross2021-rating",
    },
    "hase2020-text": {
        "consent": "hase2020-consent",
        "lesson_lime": "hase2020-lesson",
        "screening_lime": "hase2020-check",
        "examples": "hase2020-learning",
        "predict_before": "hase2020-prediction",
        "edit_before": "hase2020-edited",
    },
    "sixt2022-comparison": {
        "film_1": "sixt2022-film",
        "test_1": "sixt2022-test",
        "summary_3_concepts": "sixt2022-summary",
        "judge_attributes": "sixt2022-concepts",
    },
    "kim2022-demo": {
        "worked_examples_one_map": "kim2022-worked-example",
        "task_one_map": "kim2022-one-map",
        "task_four_maps": "kim2022-four-maps",
        "task_prototypes": "kim2022-prototypes",
        "warm_up_1_tree": "kim2022-warm-up",
        "task_tree": "kim2022-tree",
        "trade_off_one_map": "kim2022-trade-off",
    },
}
"""Study -> block -> name of the picture of its first page."""
N_PEOPLE = 12
MOST_HEIGHT = 1500
"""Longer pages are cut: their ends look like their beginnings."""


def photograph(name: str) -> None:
    """Send people through one study until each wanted page was photographed."""
    missing = dict(BLOCKS[name])

    async def watch(page: "Page", screen: Screen) -> None:
        picture = None if screen.is_announcement else missing.pop(screen.step.visit.block.block_id, None)
        if picture is not None:
            height = min(await page.evaluate("document.documentElement.scrollHeight"), MOST_HEIGHT)
            shot = await page.screenshot(
                animations="disabled", full_page=True, clip={"x": 0, "y": 0, "width": WIDTH_PX, "height": height}
            )
            (PICTURES / f"{picture}.png").write_bytes(packed(shot))

    with TemporaryDirectory() as folder:
        study = ready_study(name)
        run = new_run(study, Path(), Path(folder) / "run")
        options = BrowserOptions(N_PEOPLE, seed=1, watch=watch)
        rehearse_in_browser(run, default_cast(study), options, environment=os.environ)
    if missing:
        raise UnderstudyError(f"Nobody came to these pages of {name}: {', '.join(missing)}. Send more people.")


def main(names: Sequence[str]) -> int:
    """Take the pictures of the named studies, or of all; a fault is one sentence."""

    def photograph_all() -> None:
        for name in names or BLOCKS:
            photograph(name)

    return exit_status(photograph_all)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
