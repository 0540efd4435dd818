"""Voices: one participant agrees, is recorded and reloads; another declines; a third takes everything back."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.journeys.player_hands import Hands
from tests.journeys.player_stage import Stage, StageOf, launched, visiting
from tests.journeys.player_study import player_study
from tests.journeys.test_player_access import violations_in_both_schemes
from understudy.actions.run_folder import existing_run
from understudy.record import parts_in
from understudy.schema import Interacted, RecordingStored, ResponseGiven, SessionEnded, Study

FAKE = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
ASKING = {
    "kind": "screen",
    "block_id": "voice",
    "purpose": "check",
    "task": {"name": "microphone", "params": {"text": "We record what you say.\n\n- Two of us listen.", "blocks": ["predict"]}},
}  # fmt: skip
DECODED_S = """async (packed) => {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const context = new OfflineAudioContext(1, 48000, 48000);
  return (await context.decodeAudioData(bytes.buffer)).duration;
}"""
ON, PAUSED, OFF = "Recording your voice", "Recording is paused", "Not recording"
SHORT_CHUNKS = """const start = MediaRecorder.prototype.start;
MediaRecorder.prototype.start = function (chunk_ms) { start.call(this, Math.min(chunk_ms, 1200)); };"""
"""Makes the page send what it recorded every 1.2 s, where people send it every 3 s."""
HAS_A_CHUNK = "() => performance.getEntriesByType('resource').some(entry => entry.name.includes('/recordings?') && entry.responseStatus === 200)"


def heard_study() -> Study:
    """The player's study, with the question about the microphone before its stages."""
    plain = player_study().model_dump(mode="json")
    flow = [
        block for block in plain["flow"] if block["block_id"] in ("consent", "method", "learn", "predict", "debrief")
    ]
    return Study.model_validate({**plain, "name": "voices", "flow": [flow[0], ASKING, *flow[1:]]})


@pytest.fixture(scope="module")
def mouths(browser: Browser) -> Iterator[Browser]:
    """A Chromium whose microphone beeps, and which says yes when it is asked for it."""
    started = launched(browser.browser_type, *FAKE)
    assert started is not None
    yield started
    started.close()


@pytest.fixture
def someone(mouths: Browser) -> Iterator[BrowserContext]:
    with visiting(mouths) as made:
        made.add_init_script(SHORT_CHUNKS)
        yield made


@pytest.fixture
def heard(stage_of: StageOf) -> Stage:
    return stage_of(heard_study())


def at_the_stage(page: Page, stage: Stage, *, agrees: bool, on_question: Callable[[], None] = lambda: None) -> Hands:
    """Take part up to the recorded stage."""
    hands = Hands(page)
    page.goto(stage.address)
    hands.play(until="microphone")
    on_question()
    if agrees:
        hands.go_on()
    else:
        page.get_by_role("button", name="No, continue without recording").click()
    hands.play(until="judge")
    while not page.locator("[data-question=prediction]").count():
        hands.go_on()
        hands.task()
    return hands


def say_a_little(page: Page) -> None:
    """Wait until a chunk of the present page has been acknowledged."""
    expect(page.locator(".voice")).to_contain_text(ON)
    page.wait_for_function(HAS_A_CHUNK)


def files(stage: Stage) -> list[Path]:
    return sorted(path for path in (stage.folder / "recordings").rglob("*") if path.is_file())


def durations_s(browser: Browser, stage: Stage) -> list[float]:
    """Decode the recordings that the log names as a player would, after each was held against its digests."""
    recordings = existing_run(stage.folder).recordings
    page = browser.new_page()
    told = [
        float(page.evaluate(DECODED_S, base64.b64encode(recordings.read(part)).decode()))
        for part in parts_in(stage.events())
    ]
    page.close()
    return told


def answer_to_the_question(stage: Stage) -> object:
    given = [event.response for event in stage.events() if isinstance(event, ResponseGiven)]
    return next(response["microphone"] for response in given if "microphone" in response)


def test_a_voice_is_recorded_through_a_reload_and_can_be_played(
    mouths: Browser, someone: BrowserContext, heard: Stage
) -> None:
    page = someone.new_page()
    hands = at_the_stage(page, heard, agrees=True)
    say_a_little(page)
    page.reload()
    hands.task()
    say_a_little(page)
    hands.play()
    expect(page.locator(".voice")).to_be_hidden()
    assert answer_to_the_question(heard) == "agreed"
    assert [path.name for path in files(heard)] == ["001-predict.webm", "002-predict.webm"]
    assert [seconds > 1 for seconds in durations_s(mouths, heard)] == [True, True]


def test_who_declines_finishes_without_a_recording(someone: BrowserContext, heard: Stage) -> None:
    page = someone.new_page()
    hands = at_the_stage(page, heard, agrees=False)
    expect(page.locator(".voice")).to_be_hidden()
    hands.play()
    assert answer_to_the_question(heard) == "declined"
    assert [event.outcome for event in heard.events() if isinstance(event, SessionEnded)] == ["completed"]
    assert files(heard) == []


def test_who_takes_everything_back_takes_the_voice_back(someone: BrowserContext, heard: Stage) -> None:
    page = someone.new_page()
    at_the_stage(page, heard, agrees=True)
    say_a_little(page)
    assert len(files(heard)) == 1
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("dialog").locator(".danger").click()
    page.get_by_role("button", name="Yes, erase everything").click()
    expect(page.locator(".voice")).to_be_hidden()
    expect(page.locator(".stage .message")).to_be_visible()
    assert list((heard.folder / "recordings").iterdir()) == []
    assert heard.events() == []


def test_a_recording_is_paused_and_taken_up_again_by_keys(someone: BrowserContext, heard: Stage) -> None:
    page = someone.new_page()
    at_the_stage(page, heard, agrees=True)
    say_a_little(page)
    button = page.locator(".voice button")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".voice")).to_contain_text(PAUSED)
    page.reload()
    expect(page.locator(".voice")).to_contain_text(PAUSED)
    button.focus()
    page.keyboard.press("Enter")
    say_a_little(page)
    assert len(files(heard)) == 2


def test_a_bad_connection_delays_the_voice_and_loses_nothing(
    mouths: Browser, someone: BrowserContext, heard: Stage
) -> None:
    page = someone.new_page()
    failed: list[str] = []
    address = "**/recordings?*"
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.route(address, lambda route: route.abort())
    hands = at_the_stage(page, heard, agrees=True)
    expect(page.locator(".voice")).to_contain_text(ON)
    page.wait_for_event("requestfailed")
    page.wait_for_event("requestfailed")
    page.unroute(address)
    say_a_little(page)
    hands.play()
    chunks = [event.chunk for event in heard.events() if isinstance(event, RecordingStored)]
    assert chunks == list(range(1, len(chunks) + 1))
    assert len(failed) >= 2
    assert [seconds > 1 for seconds in durations_s(mouths, heard)] == [True]


def test_a_microphone_that_is_taken_away_is_logged_and_the_study_goes_on(someone: BrowserContext, heard: Stage) -> None:
    page = someone.new_page()
    page.add_init_script(
        "const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);"
        "navigator.mediaDevices.getUserMedia = async (wanted) => (window.stream = await ask(wanted));"
    )
    hands = at_the_stage(page, heard, agrees=True)
    say_a_little(page)
    page.evaluate(
        "window.stream.getTracks().forEach(track => { track.stop(); track.dispatchEvent(new Event('ended')); })"
    )
    expect(page.locator(".voice")).to_contain_text(OFF)
    hands.play()
    lost = [
        event.payload["reason"]
        for event in heard.events()
        if isinstance(event, Interacted) and event.action == "recording_lost"
    ]
    assert lost == ["microphone_gone"]
    assert [event.outcome for event in heard.events() if isinstance(event, SessionEnded)] == ["completed"]


def test_without_a_microphone_the_page_says_so_and_goes_on(someone: BrowserContext, heard: Stage) -> None:
    page = someone.new_page()
    page.add_init_script(
        "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotFoundError'));"
    )
    hands = Hands(page)
    page.goto(heard.address)
    hands.play(until="microphone")
    page.get_by_role("button", name="Yes, record my voice").click()
    expect(page.get_by_role("alert")).to_contain_text("did not give us access to a microphone")
    page.get_by_role("button", name="Continue without recording").click()
    hands.play()
    assert answer_to_the_question(heard) == "not available"


def test_neither_the_question_nor_the_sign_shuts_anybody_out(mouths: Browser, heard: Stage) -> None:
    context = mouths.new_context(viewport={"width": 390, "height": 700}, reduced_motion="reduce")
    context.add_init_script(SHORT_CHUNKS)
    page = context.new_page()
    found: list[str] = []
    at_the_stage(page, heard, agrees=True, on_question=lambda: found.extend(violations_in_both_schemes(page)))
    say_a_little(page)
    found.extend(violations_in_both_schemes(page))
    width = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert (found, width) == ([], 390)
