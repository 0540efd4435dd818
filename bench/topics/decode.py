"""Decode: live models in Chromium through the real page, beside TensorFlow.js with the same weights in the same run."""

import base64
import re
import subprocess
import sys
import tempfile
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from browser import chromium
from decoders import MNIST_SIZE, Measured, codes_for, graph_of, measured_decoder, save
from measured import Bench, Peer, Row, Timing
from understudy.inference import shipped_decoders
from understudy.schema import Study

SEED, N_CODES, N_ROUNDS, N_MOVES = 0, 200, 400, 200
TFJS = "4.22.0"
_ROOT = Path(__file__).parents[2]
_IN_PAGE = _ROOT / "bench" / "decode_in_page.js"
_CACHE = _ROOT / "frontend" / "node_modules" / ".cache" / "bench"
_PEER = "http://peer.invalid/"
_SCRIPTS = ("peer/tfjs/dist/tf.min.js", "peer/tfjs-backend-wasm/dist/tf-backend-wasm.min.js")


def decoded(name: str, is_quick: bool) -> Row:
    """Measure one decoder."""
    sys.path.append(str(_ROOT))
    stage = import_module("tests.journeys.player_stage")
    decoder = measured_decoder(name, SEED)
    codes = codes_for(decoder.card, N_CODES, SEED).tolist()
    work = {"codes": codes, "nRounds": 60 if is_quick else N_ROUNDS}
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        save(decoder, Path(folder))
        with stage.served(_study(decoder), Path(folder) / "run", root=Path(folder)) as served:
            page = _opened(browser, served.address)
            pixels = _slider_to_pixels(page, 60 if is_quick else N_MOVES)
            packed = base64.b64encode(decoder.content).decode()
            ours = page.evaluate("work => understudyBench.runtime(work)", {**work, "packed": packed})
        peer = _peer(browser, decoder, work, np.asarray(ours["first"]))
    return _row(name, ours, pixels, peer)


def _row(name: str, ours: dict[str, Any], pixels: dict[str, Any], peer: Peer) -> Row:
    return Row(
        what=f"Live decode in Chromium, {name}, one code with the picture read back",
        n=int(ours["n"]),
        seed=SEED,
        ours=Timing(ours["median_ms"] / 1000, ours["p95_ms"] / 1000, int(ours["n"]), "wall"),
        peer=peer,
        method="Median, with the 95th percentile in brackets, of decodes by the page's own runtime on one thread. "
        "Slider to pixels: from the input event of a real drag to the first task after the frame that shows it.",
        reads=f"decode p95 {ours['p95_ms']:.2g} ms; slider to pixels median {pixels['median_ms']:.1f} ms, "
        f"p95 {pixels['p95_ms']:.1f} ms over {pixels['n']} moves",
        target="slider to pixels p95 <= 16.7 ms; 64 x 64 pictures decode in <= 1 ms, MNIST-size in <= 2.5 ms",
    )


def _study(decoder: Measured) -> Study:
    study = import_module("tests.journeys.dials_study").dials_study(with_practice=False, skip_after_s=0, overlay=False)
    plain = study.model_dump(mode="json")
    card = decoder.card
    params = {
        "file": "measured.onnx", "dials": [dial.model_dump(mode="json") for dial in card.dials], "shape": list(card.shape),
        "view": card.view, "limits": list(card.limits), "threshold": 1,
        "distance": {"name": "tolerance_band" if card.view == "line" else "soft_dice"},
        "pairs": [codes_for(card, 2, SEED).tolist()],
    }  # fmt: skip
    items = {"name": "lines", "n_items": 1, "dataset": {"name": "reconstruction", "params": params}}
    return Study.model_validate({**plain, "name": "decode", "item_sets": [items]})


def _opened(browser: Any, address: str) -> Any:
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(address)
    page.get_by_role("button", name="I agree", exact=True).click()
    page.wait_for_selector(".gallery:not([aria-busy])")
    page.evaluate(_IN_PAGE.read_text(encoding="utf-8"))
    return page


def _slider_to_pixels(page: Any, n_moves: int) -> dict[str, Any]:
    """Drag a dial to and fro with the mouse, a pixel or two at a time."""
    page.evaluate("() => understudyBench.watch()")
    slider = page.locator("input.dial").last
    box = slider.bounding_box()
    y, left, width = box["y"] + box["height"] / 2, box["x"] + 13, box["width"] - 26
    page.mouse.move(left + width * int(slider.input_value()) / 500, y)
    page.mouse.down()
    for turn in range(n_moves):
        if slider.is_disabled():
            break
        page.mouse.move(left + width * (0.5 + 0.45 * np.sin(turn / 12)), y)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
    page.mouse.up()
    told: dict[str, Any] = page.evaluate("() => understudyBench.told()")
    return told


def _peer(browser: Any, decoder: Measured, work: dict[str, Any], wanted: Any) -> Peer:
    """Run the same weights with TensorFlow.js in the same browser, on a page without our policy."""
    name = "TensorFlow.js wasm"
    if not _has_peer():
        return Peer(name, TFJS, None, "not installed, and npm could not fetch it")
    page = browser.new_context().new_page()
    page.route(re.compile(f"^{re.escape(_PEER)}"), _fulfil)
    page.goto(_PEER)
    page.evaluate(_IN_PAGE.read_text(encoding="utf-8"))
    try:
        told = page.evaluate("work => understudyBench.tensorflow(work)", {**work, "graph": graph_of(decoder.content)})
    except import_module("playwright.sync_api").Error as error:
        return Peer(name, TFJS, None, str(error).partition("\n")[0][:120])
    off = float(np.abs(np.asarray(told["first"]) - wanted).max())
    return Peer(name, TFJS, told["median_ms"] / 1000, f"p95 {told['p95_ms']:.2g} ms; largest difference {off:.0e}")


def _fulfil(route: Any) -> None:
    path = route.request.url.removeprefix(_PEER)
    file = _CACHE / "node_modules" / "@tensorflow" / path.removeprefix("peer/")
    if path == "":
        scripts = "".join(f'<script src="/{script}"></script>' for script in _SCRIPTS)
        route.fulfill(body=f"<!doctype html>{scripts}", content_type="text/html")
    elif file.is_file():
        route.fulfill(path=file)
    else:
        route.fulfill(status=404)


def _has_peer() -> bool:
    if not (_CACHE / "node_modules" / "@tensorflow" / "tfjs-backend-wasm").is_dir():
        sys.path.append(str(_ROOT / "frontend"))
        command, environment = import_module("with_node").npm_command()
        _CACHE.mkdir(parents=True, exist_ok=True)
        wanted = [f"@tensorflow/tfjs@{TFJS}", f"@tensorflow/tfjs-backend-wasm@{TFJS}"]
        install = [*command, "install", "--prefix", str(_CACHE), "--no-audit", "--no-fund", "--ignore-scripts", *wanted]
        subprocess.run(install, env=environment, check=False, capture_output=True)
    return (_CACHE / "node_modules" / "@tensorflow" / "tfjs-backend-wasm").is_dir()


ROWS = tuple(Bench(name, partial(decoded, name)) for name in (*shipped_decoders(), MNIST_SIZE))
