"""Picture of a concept test: a real drag of the threshold in Chromium, with twenty groups beside the whole."""

import json
import math
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Page

from browser import Slowness, chromium
from measured import Bench, Row, Timing
from understudy.probe.picture import page

SEED, N_GROUPS, N_MOVES = 0, 20, 400
_SAMPLE = Path(__file__).parents[2] / "frontend" / "tests" / "verdicts.json"
_FRAME_MS = 1000 / 60
_WATCH = """() => {
  const seen = { work: [], shown: [], frames: [], states: new Set() };
  let start = 0;
  let last = 0;
  const slider = document.querySelector('input[type=range]');
  addEventListener('input', () => { start = performance.now(); }, true);
  slider.addEventListener('input', () => {
    const begun = start;
    seen.work.push(performance.now() - begun);
    seen.states.add([...document.querySelectorAll('.row')].map((one) => one.getAttribute('class')).join());
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => seen.shown.push(performance.now() - begun);
    requestAnimationFrame(() => port2.postMessage(0));
  });
  const tick = (now) => { if (last) seen.frames.push(now - last); last = now; requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  window.seen = seen;
}"""
_TOLD = "() => ({ ...window.seen, states: window.seen.states.size })"


def dragged(slowness: Slowness | None, is_quick: bool) -> Row:
    """Measure one drag to and fro over the whole slider."""
    n_moves = 120 if is_quick else N_MOVES
    with chromium() as browser, TemporaryDirectory() as folder:
        path = Path(folder) / "picture.html"
        path.write_text(page(_verdicts()), encoding="utf-8")
        window = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        window.goto(path.as_uri())
        if slowness is not None:
            wire = window.context.new_cdp_session(window)
            wire.send("Emulation.setCPUThrottlingRate", {"rate": slowness.processor})
        told = _drag(window, n_moves)
        version = browser.version
    return _row(told, version, slowness)


def _drag(window: Page, n_moves: int) -> dict[str, Any]:
    box = window.locator("input[type=range]").bounding_box()
    if box is None:
        raise RuntimeError("The page has no slider.")
    y, left, width = box["y"] + box["height"] / 2, box["x"] + 13, box["width"] - 26
    window.mouse.move(left + width * 0.7, y)
    window.mouse.down()
    window.evaluate(_WATCH)
    for turn in range(n_moves):
        window.mouse.move(left + width * (0.5 + 0.48 * math.cos(turn / 15)), y)
        window.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
    told: dict[str, Any] = window.evaluate(_TOLD)
    window.mouse.up()
    return told


def _row(told: dict[str, Any], version: str, slowness: Slowness | None) -> Row:
    work, shown, frames = (sorted(told[name]) for name in ("work", "shown", "frames"))
    in_time = sum(frame_ms <= 1.5 * _FRAME_MS for frame_ms in frames) / len(frames)
    slow = "" if slowness is None else f", processor slowed {slowness.processor:.0f}×"
    return Row(
        what=f"Threshold dragged, 12 x 6 cells and {N_GROUPS} groups{slow}",
        n=len(work),
        seed=SEED,
        ours=Timing(_share(work, 0.5) / 1000, _share(work, 0.95) / 1000, len(work), "wall"),
        peer=None,
        method=f"Chromium {version}, no graphics card. Median, with the 95th percentile in brackets, from the input "
        "event of a real drag until rules, picture, words and table are up to date; then until the task after the "
        f"frame that shows them. The drag passed {told['states']} patterns of verdicts.",
        reads=f"slider to pixels median {_share(shown, 0.5):.1f} ms, p95 {_share(shown, 0.95):.1f} ms; "
        f"{1000 * len(frames) / sum(frames):.0f} frames per second, {100 * in_time:.0f} % of frames in time",
        target="60 frames per second; p95 of the work <= 16.7 ms" if slowness is None else "",
    )


def _verdicts() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(_SAMPLE.read_text(encoding="utf-8"))
    groups = document["groups"]
    copies = [{**groups[k % len(groups)], "name": f"{groups[k % len(groups)]['name']} {k}"} for k in range(N_GROUPS)]
    return {**document, "groups": copies}


def _share(times: list[float], part: float) -> float:
    return times[min(len(times) - 1, int(part * len(times)))]


ROWS = (
    Bench("threshold drag", partial(dragged, None)),
    Bench("threshold drag, slow processor", partial(dragged, Slowness())),
)
