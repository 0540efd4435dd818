"""A plain jsPsych page, outside our server, runs our tasks from the built bundle."""

import json
import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.house.test_docs import fences
from tests.journeys.dials_hands import DialKeys, targets_by
from tests.journeys.dials_study import dials_study
from tests.journeys.picture_study import WIDTH, Shown, with_heatmap
from tests.journeys.static_site import plain_host
from tests.small_studies import RIGHT_OR_WRONG
from understudy.actions.serve import built_front_end
from understudy.prepare import Prepared, prepare, write_prepared

ROOT = Path(__file__).parents[2]
ATTRIBUTION = {"kind": "attribution", "toward": "yes", "features": ["income", "debt"], "weights": [0.8, -0.3]}


def judged(shown: Shown) -> dict[str, Any]:
    return {
        "task": "judge", "params": {"content": shown.content, "display": shown.display},
        "asks": [RIGHT_OR_WRONG], "explanation": shown.explanation,
    }  # fmt: skip


def site(folder: Path, prepared: Prepared) -> Path:
    """Lay out the page, jsPsych as its package has it, our bundle, and the files of a study."""
    written = write_prepared(prepared, folder / "run") / "public"
    root = folder / "site"
    root.mkdir()
    (root / "jspsych").symlink_to(ROOT / "frontend" / "node_modules" / "jspsych")
    shutil.copytree(built_front_end() / "jspsych", root / "understudy")
    (runtime,) = (built_front_end() / "assets").glob("ort-wasm*.wasm")
    shutil.copy(runtime, root / "understudy")
    (root / "study").symlink_to(written)
    (root / "index.html").write_bytes((root / "understudy" / "example.html").read_bytes())
    question = next(trial for trial in prepared.materials.trials.values() if trial.task == "reconstruct")
    heat = with_heatmap()
    (written / "assets" / str(heat.content["image"])).write_bytes(heat.files[0])
    trials = {
        "heat": judged(heat),
        "weights": judged(Shown(ATTRIBUTION, content={"income": 41000, "debt": 2000})),
        question.trial_id: question.model_dump(mode="json"),
    }
    (written / "materials.json").write_text(json.dumps({"trials": trials}), encoding="utf-8")
    return root


class Turner(DialKeys):
    """Turns dials by keyboard in a page without a server."""

    def __init__(self, page: Page, prepared: Prepared) -> None:
        self.page = page
        self.prepared = prepared

    def targets(self) -> list[float]:
        trial = self.step()["trial"]
        return targets_by(self.prepared.key.truth[trial["trial_id"]], trial)

    def step(self) -> dict[str, Any]:
        trials = self.prepared.materials.trials.values()
        return {"trial": next(trial.model_dump(mode="json") for trial in trials if trial.task == "reconstruct")}


def test_a_plain_timeline_runs_judge_and_reconstruct_to_the_end(page: Page, tmp_path: Path) -> None:
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    prepared = prepare(dials_study(), tmp_path)
    with plain_host(site(tmp_path, prepared)) as address:
        page.goto(address)
        expect(page.locator(".heatmap canvas").first).to_be_visible()
        assert page.locator(".item img").evaluate("image => image.naturalWidth") == WIDTH
        page.get_by_text("yes", exact=True).click()
        page.locator(".card .primary").click()
        expect(page.locator(".explanation")).to_contain_text("Income")
        turner = Turner(page, prepared)
        turner.tab_to("input[type=radio]")
        page.keyboard.press("ArrowDown")
        turner.tab_to(".card .primary")
        page.keyboard.press("Enter")
        turner.solve()
        page.locator(".card .primary").click()
        data = json.loads(page.locator("#jspsych-data-display").inner_text())
    assert [row["trial_type"] for row in data] == ["judge", "judge", "reconstruct"]
    assert [row["answers"].get("guess") for row in data] == ["yes", "no", None]
    assert data[2]["answers"]["dials"]["outcome"] == "solved"
    assert all(row["rt"] > 0 for row in data)
    actions = [event["action"] for event in data[2]["events"]]
    assert (actions[0], {"changed", "overlay", "solved"} <= {*actions}) == ("question_started", True)
    assert complaints == []


def test_the_page_of_the_documentation_is_the_example_of_the_bundle() -> None:
    [shown] = [
        fence for fence in fences(ROOT / "docs" / "how-to" / "use-tasks-in-jspsych.md") if fence.language == "html"
    ]
    assert shown.text == (ROOT / "frontend" / "src" / "jspsych" / "example.html").read_text(encoding="utf-8")
