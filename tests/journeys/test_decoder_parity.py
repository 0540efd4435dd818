"""Browser and Python agree on 1,000 random codes for each decoder that ships, through the page's own runtime.

The page's own dials are turned to 100 of them in every run of the tests, and to all of them in the thorough ones.
"""

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import Page, Route

from tests.journeys.dials_hands import DialHands
from tests.journeys.dials_study import dials_study
from tests.journeys.player_stage import served
from understudy.datasets.reconstruction import uniform_codes
from understudy.inference import OnnxDecoder, shipped_decoder, shipped_decoders, text_from_floats
from understudy.registry import create
from understudy.roles import Distance, Floats
from understudy.schema import DecoderCard, Ref, Study

N_CODES = 1000
N_TURNED = (100, pytest.param(N_CODES, marks=pytest.mark.thorough))
"""Codes that the dials are turned to; every second one is near the target, so that both verdicts are among them."""
SHARE_OF_OTHERS = 4
"""One in so many codes is tried with the distances that a decoder's own study would not use."""
N_STEPS = 500
SLACK = 0.001
THRESHOLDS = (0.5, 0.75, 0.9)
MOST = 0.998
DECODED = """async ([packed, codes]) => {
  const runtime = performance.getEntriesByType('resource').map((one) => one.name).find((one) => /runtime-.*js$/.test(one));
  const { decoderFrom } = await import(runtime);
  const decoder = await decoderFrom(Uint8Array.from(atob(packed), (one) => one.charCodeAt(0)));
  const rows = [];
  for (const code of codes) rows.push(new Uint8Array((await decoder.decode(code)).buffer));
  decoder.close();
  // The browser's own base64: building a text byte by byte takes longer than all decoding.
  const reader = new FileReader();
  const read = new Promise((done) => reader.onload = done);
  reader.readAsDataURL(new Blob(rows));
  await read;
  return reader.result.split(',')[1];
}"""
TURNED = """async (settings) => {
  const [gallery, bar] = [document.querySelector('.gallery'), document.querySelector('.meter-bar')];
  const rows = [...document.querySelectorAll('.dial-row')];
  const beat = () => new Promise((done) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = done; port2.postMessage(0); });
  const agreements = [];
  for (const setting of settings) {
    setting.forEach((at, place) => {
      const range = rows[place].querySelector('input[type=range]');
      const input = range ?? rows[place].querySelectorAll('input[type=radio]')[at];
      if (range) range.value = at; else input.checked = true;
      for (const sign of ['input', 'change']) input.dispatchEvent(new Event(sign));
    });
    do await beat(); while (gallery.hasAttribute('aria-busy'));
    agreements.push(Number(bar.style.getPropertyValue('--share')));
  }
  return agreements;
}"""


class Tried(NamedTuple):
    """Where the dials stand, as steps and options, with the codes that follow."""

    settings: npt.NDArray[np.int64]
    codes: Floats


def tried(card: DecoderCard, n: int) -> Tried:
    """Draw codes at random: every second one from all over the dials, the others at any distance around the first.

    The first is that of a held-out instance, where the card has some. Only near a target do verdicts differ.
    """
    rng = np.random.default_rng(17)
    near = np.arange(n) % 2 == 1
    spread = np.exp(rng.uniform(np.log(0.5), np.log(N_STEPS / 4), size=n))
    first = np.asarray(card.codes[0] if card.codes else uniform_codes(card, 1, rng)[0])
    settings: list[Any] = []
    parts: list[Floats] = []
    for dial in card.dials:
        own, first = first[: dial.n_inputs], first[dial.n_inputs :]
        if dial.kind == "discrete":
            chosen = rng.integers(dial.n_inputs, size=n)
            chosen[near & (rng.random(n) < 0.8)] = chosen[0] = int(own.argmax())
            parts.append(np.eye(dial.n_inputs)[chosen])
        else:
            step = round((float(own[0]) - dial.low) / (dial.width / N_STEPS))
            around = step + np.round(spread * rng.standard_normal(n))
            chosen = np.where(near, around, rng.integers(N_STEPS + 1, size=n)).clip(0, N_STEPS).astype(np.int64)
            chosen[0] = step
            parts.append(np.clip(dial.low + chosen * (dial.width / N_STEPS), dial.low, dial.high)[:, None])
        settings.append(chosen)
    return Tried(np.stack(settings, axis=1), np.concatenate(parts, axis=1))


def distances_for(decoder: OnnxDecoder) -> list[Ref]:
    """Return every distance that fits the outputs."""
    if decoder.card.view == "line":
        return [Ref(name="tolerance_band")]
    shape: Any = list(decoder.card.shape)
    return [Ref(name="soft_dice"), Ref(name="binary_jaccard"), Ref(name="tolerance_band", params={"tolerance": 0.25}),
            Ref(name="ssim", params={"shape": shape})]  # fmt: skip


def parity_study(name: str, distances: list[Ref]) -> Study:
    """A study that asks one question for each distance, which only a perfect match solves and anybody may skip."""
    plain = dials_study(with_practice=False).model_dump(mode="json")
    consent, *_, debrief = plain["flow"]
    sets, stages = [], []
    for distance in distances:
        params = {"decoder": name, "distance": distance.model_dump(mode="json"), "threshold": 1, "matched_seed": 5}
        sets.append({"name": distance.name, "n_items": 1, "dataset": {"name": "reconstruction", "params": params}})
        task = {"name": "reconstruct", "params": {"skip_after_s": 0}}
        stages.append({"kind": "stage", "block_id": distance.name, "items": distance.name, "task": task})
    return Study.model_validate({**plain, "name": "parity", "item_sets": sets, "flow": [consent, *stages, debrief]})


def leave(page: Page) -> None:
    """Take whatever way on there is."""
    page.evaluate("document.querySelector('.stage .card').dataset.mark = 'old'")
    page.locator(".actions button:visible").click()
    page.wait_for_selector(".card[data-mark=old]", state="detached")


def unreachable(decoder: OnnxDecoder, code: Floats, distances: list[Ref]) -> Floats:
    """Return an output with as few values off as keep a page from locking its dials, which is a match of 0.999."""
    shown = decoder.decode(code[None])
    order = np.random.default_rng(3).permutation(shown.shape[1])
    for n_off in range(1, shown.shape[1]):
        target = shown[0].copy()
        target[order[:n_off]] += 2 * (decoder.card.limits[1] - decoder.card.limits[0])
        packed: Floats = target.astype(np.float32).astype(np.float64)
        if all(create("distances", distance).agreement(shown, packed)[0] < MOST for distance in distances):
            return packed
    raise AssertionError("every target can be reached")


def forge_target(page: Page, target: Floats) -> None:
    """Put another target into whatever the server sends."""

    def forge(route: Route) -> None:
        told: Any = route.fetch().json()
        step = (told.get("state") or told).get("step")
        if step and "target" in step["trial"]["params"]:
            step["trial"]["params"]["target"] = text_from_floats(target)
        route.fulfill(body=json.dumps(told), content_type="application/json")

    page.route(re.compile("/api/s/[^/]+/(start|state|events)$"), forge)


@pytest.mark.parametrize("n_turned", N_TURNED)
@pytest.mark.parametrize("name", shipped_decoders())
def test_the_page_shows_what_python_computes(
    name: str, n_turned: int, tmp_path: Path, page: Page, record_property: Callable[[str, object], None]
) -> None:
    decoder = shipped_decoder(name)
    distances = distances_for(decoder)
    settings, codes = tried(decoder.card, N_CODES)
    outputs, target = decoder.decode(codes), unreachable(decoder, codes[0], distances)
    with served(parity_study(name, distances), tmp_path) as stage:
        forge_target(page, target)
        page.goto(stage.address)
        hands = DialHands(page, stage)
        hands.go_on()
        for distance, n in zip(distances, (n_turned, *[n_turned // SHARE_OF_OTHERS] * 3), strict=False):
            hands.task()
            hands.drawn()
            role: Distance = create("distances", distance)
            ours = np.clip(role.agreement(outputs[:n], target), 0, 1)
            theirs = np.asarray(page.evaluate(TURNED, settings[:n].tolist()))
            assert np.abs(theirs - ours).max() < 1e-3
            assert all(((theirs >= threshold - SLACK) == (ours >= threshold - SLACK)).all() for threshold in THRESHOLDS)
            n_solved = int((ours >= (0.75 if distance.name == "ssim" else 0.9) - SLACK).sum())
            assert 0 < n_solved < n, "verdicts that cannot differ"
            record_property(f"{distance.name}: largest difference of agreement", float(np.abs(theirs - ours).max()))
            record_property(f"{distance.name}: solved of {n}", n_solved)
            leave(page)
        packed = base64.b64encode(decoder.content).decode()
        shown = np.frombuffer(base64.b64decode(page.evaluate(DECODED, [packed, codes.tolist()])), dtype="<f4")
        # An answer that is still under way when the page closes would fail the next test.
        page.unroute_all(behavior="wait")
    difference = float(np.abs(shown.reshape(outputs.shape) - outputs).max())
    record_property("largest difference of outputs", difference)
    assert difference < 1e-4
