"""Builds the documentation site with Zensical into .site/html; open .site/html/index.html (`make docs`)."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import tomli_w

from understudy.actions.serve import built_front_end
from understudy.errors import UnderstudyError, exit_status
from website.live import with_live_examples, write_live_examples
from website.navigation import navigation
from website.pages import ROOT, pictures, site_pages, text_for_site

FOLDER = ROOT / ".site"
WEBSITE = Path(__file__).parent / "website"
COPIED = ("site.css", "site.js", "iframe-worker.js", "iframe-worker.LICENSE")
SHIM = re.compile(r'https://[^"\s>]+/iframe-worker/shim')
"""Where the pages of the builder load a script from that they need to search from a folder."""


def write_pages(folder: Path) -> None:
    """Write every page and picture into a new folder, as the site builder wants them."""
    shutil.rmtree(folder, ignore_errors=True)
    for address in site_pages():
        path = folder / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(with_live_examples(address, text_for_site(address)), encoding="utf-8")
    for picture in pictures():
        path = folder / picture.relative_to(ROOT / "docs")
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, path)
    (folder / "website").mkdir()
    for name in COPIED:
        shutil.copyfile(WEBSITE / name, folder / "website" / name)
    (folder / "NOTICES.txt").write_text(notices(), encoding="utf-8")


def notices() -> str:
    """Return the licences of what the site holds: our scripts for examples to try, and those of the site builder."""
    templates = Path(str(files("zensical"))) / "templates"
    theirs = [templates / "assets" / "javascripts" / "LICENSE", *sorted((templates / ".icons").glob("*/LICENSE*"))]
    builder = files("zensical").joinpath("..", f"zensical-{version('zensical')}.dist-info", "licenses", "LICENSE.md")
    texts = [
        (built_front_end() / "NOTICES.txt").read_text(encoding="utf-8"),
        f"Zensical, which built the pages and their scripts\n\n{Path(str(builder)).read_text(encoding='utf-8')}",
        *(f"{path.relative_to(templates)} of Zensical\n\n{path.read_text(encoding='utf-8')}" for path in theirs),
        f"website/iframe-worker.js\n\n{(WEBSITE / 'iframe-worker.LICENSE').read_text(encoding='utf-8')}",
    ]
    return f"\n{'=' * 80}\n".join(texts)


def write_settings(folder: Path) -> Path:
    """Write the settings of the site builder, with the navigation, into the folder of the site."""
    settings = tomllib.loads((WEBSITE / "zensical.toml").read_text(encoding="utf-8"))
    settings["project"] |= {"docs_dir": "pages", "site_dir": "html", "nav": navigation()}
    path = folder / "zensical.toml"
    path.write_text(tomli_w.dumps(settings), encoding="utf-8")
    return path


def keep_search_offline(html: Path) -> None:
    """Let pages load the script that search needs in a folder from the site, and not from elsewhere."""
    for page in html.rglob("*.html"):
        up = "../" * (len(page.relative_to(html).parts) - 1)
        text = page.read_text(encoding="utf-8")
        page.write_text(SHIM.sub(f"{up}website/iframe-worker.js", text), encoding="utf-8")


def build_site(folder: Path = FOLDER) -> Path:
    """Build the site and return its first page."""
    if find_spec("zensical") is None:
        raise UnderstudyError("The documentation site needs Zensical, which is not installed: run `make setup`.")
    write_pages(folder / "pages")
    write_live_examples(folder / "pages" / "live")
    settings = write_settings(folder)
    # The builder keeps what it rendered by the content of pages; --clean also forgets pages that were removed.
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--config-file", str(settings)]
    built = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - our own words
    if built.returncode:
        raise UnderstudyError(f"Zensical could not build the site:\n{built.stdout}{built.stderr}")
    keep_search_offline(folder / "html")
    return folder / "html" / "index.html"


def main() -> int:
    """Build the site; a fault is one sentence."""
    return exit_status(lambda: sys.stdout.write(f"Open {build_site()}\n"))


if __name__ == "__main__":
    sys.exit(main())
