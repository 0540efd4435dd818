"""Hands at any engine: real pointer and key events, and nothing else, to get through a study."""

import json
from typing import Any

from tests.journeys.dials_hands import dial_targets
from tests.journeys.engines import Engine
from tests.journeys.player_stage import Stage

KEYS = {"PageUp": "\ue00e", "PageDown": "\ue00f", "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Enter": "\ue007"}
SOLVED = "document.querySelector('.card .primary').checkVisibility()"
SHOWN = (
    "document.querySelector('.stage .announcement') ? 'announcement' : "
    "document.querySelector('.stage .message') ? 'end' : document.querySelector('.stage').dataset.task"
)
FEEDBACK = ".answer-feedback .primary"
NEW_PAGE = ".stage .card:not(.is-loading):not([data-mark=old]) h1"


class EngineHands:
    """A participant at an engine that Playwright does not drive."""

    def __init__(self, engine: Engine, stage: Stage) -> None:
        self.engine = engine
        self.stage = stage
        self.seen: list[str] = []

    def play(self) -> str:
        """Go from the link to the end, and return the completion code."""
        self.engine.goto(self.stage.address)
        while (task := self._task()) != "end":
            if task == "announcement":
                self._leave(".announcement .primary")
                continue
            self.seen.append(task)
            if task == "judge":
                self.click("[data-question=prediction] .option")
                self.click("[data-question=confidence] .point:nth-child(4)")
            elif task == "reconstruct":
                self.solve()
            self._leave(".card .primary")
        return str(self.engine.evaluate("document.querySelector('.code').textContent"))

    def _task(self) -> str:
        self.wait(f"document.querySelector('{NEW_PAGE}, {FEEDBACK}')")
        if self.engine.evaluate(f"Boolean(document.querySelector('{FEEDBACK}'))"):
            self._leave(FEEDBACK)
            self.wait(f"document.querySelector('{NEW_PAGE}')")
        return str(self.engine.evaluate(SHOWN))

    def _leave(self, button: str) -> None:
        """Press a button that leads to another page."""
        self.engine.evaluate("document.querySelector('.stage .card').dataset.mark = 'old'")
        # Two quick clicks in one place would count as a double click, whose second one the page ignores.
        self.click(".stage h1")
        self.click(button)

    def wait(self, condition: str) -> None:
        """Wait in the page until a condition holds; a script that is never answered fails by its own limit."""
        look = f"(function look() {{ ({condition}) ? done(true) : setTimeout(look, 20); }})()"
        self.engine.evaluate(f"new Promise((done) => {look})")

    def click(self, selector: str) -> None:
        """Press where an element is."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.wait(found)
        middle = "[box.left + box.width / 2, box.top + box.height / 2].map(Math.round)"
        to_view = f"part.scrollIntoView({{block: 'center'}}), ((box) => {middle})(part.getBoundingClientRect())"
        x, y = self.engine.evaluate(f"((part) => ({to_view}))({found})")
        moves = [
            {"type": "pointerMove", "x": x, "y": y, "origin": "viewport"},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self.engine.act([{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}])

    def press(self, key: str, n: int = 1) -> None:
        """Press a key some times."""
        once = [{"type": "keyDown", "value": KEYS[key]}, {"type": "keyUp", "value": KEYS[key]}]
        self.engine.act([{"type": "key", "id": "keys", "actions": once * n}])

    def solve(self) -> None:
        """Turn dial after dial by keyboard, until the picture is right."""
        self.wait("document.querySelector('.gallery:not([aria-busy])')")
        for index, wanted in enumerate(dial_targets(self.stage, self._trial())):
            self.engine.evaluate(f"document.querySelector('.dial-row:nth-child({index + 1}) input').focus()")
            while (left := int(wanted) - self._value()) and not self._is_solved():
                # Page keys go by more than one step; how many, the slider decides.
                self.press("PageUp" if left > 0 else "PageDown")
                moved = abs(int(wanted) - left - self._value()) or 1
                self.press("PageUp" if left > 0 else "PageDown", max(0, abs(left) // moved - 1))
                left = int(wanted) - self._value()
                self.press("ArrowRight" if left > 0 else "ArrowLeft", abs(left))
        self.wait(SOLVED)

    def _value(self) -> int:
        return int(self.engine.evaluate("Number(document.activeElement.value)"))

    def _is_solved(self) -> bool:
        self.wait("document.querySelector('.gallery:not([aria-busy])')")
        return bool(self.engine.evaluate(SOLVED))

    def _trial(self) -> dict[str, Any]:
        address = self.stage.address.replace("/s/", "/api/s/") + "/state"
        asked = f"fetch('{address}').then((got) => got.json()).then((state) => state.step.trial)"
        trial: dict[str, Any] = self.engine.evaluate(asked)
        return trial
