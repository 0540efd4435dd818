"""Hands at dials: somebody who knows where they have to stand, and turns them by mouse or by keyboard."""

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.journeys.player_hands import Hands
from tests.journeys.player_stage import Stage
from understudy.actions.run_folder import existing_run
from understudy.schema import Interacted, Json

N_STEPS = 500
THUMB_PX = 26


def dial_targets(stage: Stage, trial: dict[str, Any]) -> list[float]:
    """Say where each dial of a trial has to be, by the answer key, which no page has."""
    return targets_by(existing_run(stage.folder).prepared.key.truth[stage.trial_of(trial["trial_id"])], trial)


def targets_by(truth: Json, trial: dict[str, Any]) -> list[float]:
    """Say where each dial of a trial has to be, by what is true of it."""
    code = json.loads(str(truth["target_code"]))
    wanted: list[float] = []
    for dial in trial["params"]["decoder"]["card"]["dials"]:
        n = len(dial["options"]) or 1
        own, code = code[:n], code[n:]
        span = dial["high"] - dial["low"]
        wanted.append(own.index(1) if dial["options"] else round(N_STEPS * (own[0] - dial["low"]) / span))
    return wanted


class DialHands(Hands):
    """A participant at live models; reads the target's code from the answer key, which no page has."""

    def __init__(self, page: Page, stage: Stage) -> None:
        super().__init__(page)
        self.stage = stage

    def answer(self) -> None:
        """Solve what the page shows."""
        if self.task() == "reconstruct":
            self.solve()

    def step(self) -> dict[str, Any]:
        """Ask the server what stands on the page."""
        told = self.page.request.get(self.stage.address.replace("/s/", "/api/s/") + "/state")
        step: dict[str, Any] = told.json()["step"]
        return step

    def targets(self) -> list[float]:
        """Say where each dial has to stand: a step of a slider, or the index of an option."""
        return dial_targets(self.stage, self.step()["trial"])

    def row(self, index: int) -> Locator:
        """Find the controls of a dial."""
        return self.page.locator(".dial-row").nth(index)

    def is_solved(self) -> bool:
        """Tell whether the way on is open."""
        return self.page.locator(".card .primary").is_visible()

    def solve(self) -> None:
        """Turn dial after dial to where it has to stand."""
        self.drawn()
        if self.page.locator(".checklist").get_by_text("Change how the target is shown").count():
            self.toggle()
        for index, wanted in enumerate(self.targets()):
            if not self.is_solved():
                self.turn(index, int(wanted))
                self.drawn()
        expect(self.page.locator(".card .primary")).to_be_visible()

    def toggle(self) -> None:
        """Change how the target is shown."""
        self.page.click(".gallery button")

    def turn(self, index: int, wanted: int) -> None:
        """Turn one dial with the mouse."""
        row = self.row(index)
        if row.locator("input[type=radio]").count():
            row.locator("input[type=radio]").nth(wanted).check()
        else:
            self.slide(row.locator("input[type=range]"), wanted)

    def slide(self, slider: Locator, wanted: int) -> None:
        """Move a slider to a step."""
        drag(self.page, slider, wanted)

    def drawn(self) -> None:
        """Wait until the picture shows where the dials stand."""
        self.page.wait_for_selector(".gallery:not([aria-busy])")


class DialMouse(DialHands):
    """The same person who never touches the keyboard, and lets go as near as the pixels of a slider allow."""

    def slide(self, slider: Locator, wanted: int) -> None:
        """Move a slider without the keyboard."""
        pull(self.page, slider, wanted)


class DialKeys(DialHands):
    """The same person without a mouse."""

    def toggle(self) -> None:
        """Reach the button with Tab."""
        self.tab_to(".gallery button")
        self.page.keyboard.press("Space")

    def tab_to(self, selector: str) -> None:
        """Press Tab until the focus is where it should be."""
        for _ in range(40):
            if self.page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached by keyboard.")

    def turn(self, index: int, wanted: int) -> None:
        """Turn one dial with page keys and arrows."""
        kind = "radio" if self.row(index).locator("input[type=radio]").count() else "range"
        self.tab_to(f".dial-row:nth-child({index + 1}) input[type={kind}]")
        keys = self.page.keyboard
        while (left := wanted - self.place_of_focus()) and not self.is_solved():
            if kind == "radio":
                keys.press("ArrowRight")
            else:
                keys.press(("PageUp" if left > 0 else "PageDown") if abs(left) >= N_STEPS // 10 else "ArrowRight" if left > 0 else "ArrowLeft")  # fmt: skip

    def place_of_focus(self) -> int:
        """Read the control that has the focus."""
        return int(self.page.evaluate("Number(document.activeElement.value)"))

    def go_on(self) -> None:
        """Press Enter on the way on."""
        self.page.evaluate("document.querySelector('.stage .card').dataset.mark = 'old'")
        self.tab_to(".card .primary")
        self.page.keyboard.press("Enter")
        self.leave_feedback()


def pull(page: Page, slider: Locator, wanted: int) -> None:
    """Take the thumb and pull it to a step, as far as a window's pixels allow."""
    box = slider.bounding_box()
    if box is None:
        raise AssertionError("the slider is not on the screen")
    span = box["width"] - THUMB_PX

    def x_at(step: int) -> float:
        return float(box["x"] + THUMB_PX / 2 + span * step / N_STEPS)

    y = box["y"] + box["height"] / 2
    page.mouse.move(x_at(int(slider.input_value())), y)
    page.mouse.down()
    page.mouse.move(x_at(wanted), y, steps=12)
    page.mouse.up()


def drag(page: Page, slider: Locator, wanted: int) -> None:
    """Pull the thumb, and leave the last steps to the keyboard."""
    pull(page, slider, wanted)
    while slider.is_enabled() and (left := wanted - int(slider.input_value())):
        slider.press("ArrowRight" if left > 0 else "ArrowLeft")


def told(stage: Stage, action: str) -> list[dict[str, Any]]:
    """Return what was logged under an action, in order."""
    return [dict(event.payload) for event in stage.events() if isinstance(event, Interacted) and event.action == action]
