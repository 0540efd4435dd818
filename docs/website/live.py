"""Live examples: pages that the site shows in frames, made when it is built and never committed."""

import json
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from understudy.actions.casts import MIXED
from understudy.actions.rehearse import rehearse_run
from understudy.actions.report import report_of
from understudy.actions.run_folder import new_run
from understudy.probe.picture import write_picture
from understudy.protocols import loan_demo
from website.live_dials import write_live_dials
from website.live_tasks import write_live_tasks
from website.pages import ROOT

LIVE = {
    "screens/concept-test.png": "live/concept-test.html",
    "screens/report.png": "live/report.html",
    "screens/learning.png": "live/attribution.html",
    "screens/word-weights.png": "live/token_attribution.html",
    "screens/rule.png": "live/rule.html",
    "screens/similar-case.png": "live/similar_case.html",
    "screens/path.png": "live/path.html",
    "protocols/pictures/kim2022-one-map.png": "live/heatmap.html",
    "Regions next to prototypes](protocols/pictures/kim2022-prototypes.png": "live/prototype_matches.html",
    "Steps of a tree](protocols/pictures/kim2022-tree.png": "live/tree_path.html",
    "Concepts in rows](protocols/pictures/sixt2022-concepts.png": "live/picture_grid.html",
    "Reading a decision tree](protocols/pictures/kim2022-warm-up.png": "live/prototype_tree.html",
    "Dials and a target](protocols/pictures/ross2021-dials.png": "live/reconstruct.html",
    "screens/predict.png": "live/judge.html",
    "screens/rating.png": "live/questionnaire.html",
}
"""Picture -> the live example that takes its place in the gallery and on the page for reviewers.

A picture that several sections show has its words before it.
"""
SHOWN_ON = ("gallery.md", "for-reviewers.md")
_VERDICTS = ROOT / "frontend" / "tests" / "verdicts.json"


def write_live_examples(folder: Path) -> None:
    """Write every live example into a new folder."""
    folder.mkdir(parents=True)
    write_live_tasks(folder)
    write_live_dials(folder)
    write_picture(json.loads(_VERDICTS.read_text(encoding="utf-8")), folder / "concept-test.html")
    with TemporaryDirectory() as runs:
        run = new_run(loan_demo(), Path(), Path(runs) / "loan-demo")
        rehearse_run(run, MIXED, seed=1)
        report_of(run, folder / "report.html")
    for path in folder.glob("*.state"):
        path.unlink()


def with_live_examples(address: str, text: str) -> str:
    """Return a page with a frame in place of each picture of a live example."""
    if address not in SHOWN_ON:
        return text
    for picture, example in LIVE.items():
        new = os.path.relpath(example, Path(address).parent.as_posix()).replace(os.sep, "/")
        name = re.sub(r"[-_]", " ", Path(example).stem)
        frame = f'<iframe class="live" src="{new}" title="Live example: {name}" loading="lazy"></iframe>'
        link = f'<p><a href="{new}" target="_blank">Open {name} in a new tab</a></p>'
        words, _, address_of_picture = picture.rpartition("](")
        wanted = rf"^!\[{re.escape(words) or '.*'}\]\({re.escape(address_of_picture)}\)$"
        text = re.sub(wanted, f"{frame}\n{link}", text, flags=re.MULTILINE)
    return text
