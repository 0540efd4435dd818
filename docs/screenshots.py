"""Photographs every screen of running servers in Chromium into docs/screens, and writes the page (`make screenshots`)."""

import asyncio
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tour import concept_tests, explanations, participants, researchers
from tour.album import Album
from tour.film import make_media
from tour.participants import Tour
from tour.servers import demo, serving
from tour.showcase import FILM, PICTURE, showcase
from understudy.actions.run_folder import new_run
from understudy.errors import exit_status
from understudy.simulate.browser import open_chromium

DOCS = Path(__file__).parent
PICTURES = DOCS / "screens"
PER_SECOND = 4.0
"""Simulated people per second."""


async def photograph(folder: Path) -> None:
    """Go on the whole tour, with everything that it leaves behind in one folder."""
    PICTURES.mkdir(exist_ok=True)
    album = Album(PICTURES)
    async with open_chromium(os.environ, is_shown=False) as browser:
        with demo(folder / "demo", per_second=PER_SECOND) as address:
            at_the_demo = Tour(browser, album, address)
            await researchers.people_come(at_the_demo)
            await researchers.landing(at_the_demo)
            await researchers.desk(at_the_demo)
            await researchers.report(at_the_demo)
        await concept_tests.pictures(browser, album, folder)
        simulations = [new_run(study, folder, folder / study.name).folder for study in explanations.studies()]
        with serving(*simulations) as address:
            await explanations.pictures(Tour(browser, album, address))
        await make_media(browser, film=folder / FILM, picture=folder / PICTURE)
        studies = [showcase(), showcase("showcase-de", language="de"), showcase("showcase-full", quota=1)]
        with serving(*(new_run(study, folder, folder / study.name).folder for study in studies)) as address:
            at_the_study = Tour(browser, album, address)
            for part in (
                participants.whole_way, participants.other_ends, participants.other_lights, participants.obstacles,
                researchers.door,
            ):  # fmt: skip
                await part(at_the_study)
    (DOCS / "screens.md").write_text(album.finish(), encoding="utf-8")


def main() -> int:
    """Make the pictures; a fault is one sentence."""
    with TemporaryDirectory() as folder:
        return exit_status(lambda: asyncio.run(photograph(Path(folder))))


if __name__ == "__main__":
    sys.exit(main())
