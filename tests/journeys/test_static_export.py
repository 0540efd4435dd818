"""Whole sessions from a plain web host, brought back into the run."""

import json
from pathlib import Path

import pandas as pd
from playwright.sync_api import Page, expect

from tests.journeys.player_hands import Hands
from tests.journeys.player_stage import served
from tests.journeys.player_study import short_study
from tests.journeys.static_site import Site, hosted, receiver, static_study
from tests.shell import understudy
from understudy.actions.run_folder import Run, existing_run
from understudy.actions.run_tables import tables_of
from understudy.estimate.tables import StoredTables
from understudy.schema import GateDecided, Interacted, SessionEnded

TIMES = ("minutes", "ms", "seconds", "session", "participant", "started", "pace")
# JATOS itself is a Java server, so this stands in for the part of its documented jatos.js that the page calls.
JATOS = """
window.told = [];
const held = {understudy_next: 2};
window.jatos = {
  onLoad: (ready) => setTimeout(ready),
  urlQueryParameters: {},
  batchSession: {get: (name) => held[name], set: (name, value) => { held[name] = value; window.told.push(['set', name, value]); return Promise.resolve(); }},
  submitResultData: (text) => { window.told.push(['submit', text]); return Promise.resolve(); },
  endStudy: (isSuccessful, message) => window.told.push(['end', isSuccessful, message]),
  abortStudy: (message) => window.told.push(['abort', message]),
};
"""

TELL_OF_DRAFT = """
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function (...given) {
    if (JSON.stringify(given).includes('"draft"'))
      this.transaction.addEventListener('complete', () => { document.documentElement.dataset.draft = 'kept'; });
    return put.apply(this, given);
  };
"""
"""Says when a draft is kept for good, which the page does a moment after the last change."""


def without_times(frame: pd.DataFrame) -> pd.DataFrame:
    kept = [name for name in frame.columns if not any(part in name for part in TIMES)]
    return frame[kept].reset_index(drop=True)


def saved_file(page: Page, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save my answers").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def tables_from_a_server(tmp_path: Path, page: Page) -> StoredTables:
    with served(static_study(), tmp_path / "server") as stage:
        page.goto(stage.address)
        Hands(page).play()
        return tables_of(existing_run(stage.folder))


def events_of(run: Run) -> list[object]:
    with run.open_log() as log:
        return [event for session in log.sessions(run.script.study.name) for event in session]


def test_a_session_from_a_web_host_gives_the_tables_of_a_server(tmp_path: Path, page: Page) -> None:
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text) if message.type in ("error", "warning") else None)
    # Options to be ranked start in a random order, which the hands keep as their answer.
    page.add_init_script("Math.random = () => 0.5")
    with hosted(tmp_path) as site:
        page.goto(f"{site.address}?n=1")
        hands = Hands(page)
        hands.play(until="judge")
        page.reload()
        hands.play()
        file = saved_file(page, tmp_path)
    assert understudy("collect", site.run.folder, file).out.startswith("1 new sessions, 0 continued (1 completed)")
    ours, theirs = tables_of(site.run), tables_from_a_server(tmp_path, page)
    (our_trials,), (their_trials,) = ours.trial_parts(), theirs.trial_parts()
    pd.testing.assert_frame_equal(without_times(our_trials), without_times(their_trials))
    pd.testing.assert_frame_equal(without_times(ours.sessions), without_times(theirs.sessions))
    assert [event.is_passed for event in events_of(site.run) if isinstance(event, GateDecided)] == [False, True]
    assert told == []


def test_a_reload_keeps_the_draft_and_is_told(tmp_path: Path, page: Page) -> None:
    with hosted(tmp_path) as site:
        page.add_init_script(TELL_OF_DRAFT)
        page.goto(site.address)
        hands = Hands(page, n_wrong=0)
        hands.play(until="questionnaire")
        hands.choose("My own")
        page.wait_for_selector("html[data-draft=kept]")
        page.reload()
        hands.task()
        expect(hands.option("My own").locator("input")).to_be_checked()
        hands.play()
        file = saved_file(page, tmp_path)
    assert understudy("collect", site.run.folder, file).code == 0
    assert "resumed" in [event.action for event in events_of(site.run) if isinstance(event, Interacted)]


def test_after_the_end_the_file_can_be_saved_again(tmp_path: Path, page: Page) -> None:
    with hosted(tmp_path, study=static_study(short_study())) as site:
        page.goto(site.address)
        Hands(page).play()
        first = saved_file(page, tmp_path).read_bytes()
        page.reload()
        again = saved_file(page, tmp_path)
    assert again.read_bytes() == first


def test_data_go_to_the_address_after_failed_sends_and_leave_this_computer(tmp_path: Path, page: Page) -> None:
    study = static_study(short_study())
    with receiver(n_failing=2) as held, hosted(tmp_path, post=held.address, study=study) as site:
        page.goto(f"{site.address}?PROLIFIC_PID=5f1-zebra")
        Hands(page).play()
        expect(page.locator(".deposit [role=status]")).to_contain_text("have been sent")
        page.reload()
        expect(page.locator(".deposit [role=status]")).to_contain_text("have been sent")
    (body,) = held.bodies
    (tmp_path / "sent.json").write_bytes(body)
    assert understudy("collect", site.run.folder, tmp_path / "sent.json").code == 0
    assert b"5f1-zebra" not in (site.run.folder / "events.sqlite").read_bytes()
    assert b"5f1-zebra" in (site.run.folder / "people.sqlite").read_bytes()


def test_an_address_that_never_answers_leaves_the_file(tmp_path: Path, page: Page) -> None:
    with receiver(n_failing=99) as held, hosted(tmp_path, post=held.address) as site:
        page.goto(site.address)
        page.get_by_role("button", name="I do not agree").click()
        expect(page.locator(".deposit [role=status]")).to_contain_text("could not be sent")
        assert understudy("collect", site.run.folder, saved_file(page, tmp_path)).code == 0
    assert [event.outcome for event in events_of(site.run) if isinstance(event, SessionEnded)] == ["declined"]


def jatos_site(site: Site, page: Page) -> None:
    page.route("**/jatos.js", lambda route: route.fulfill(content_type="text/javascript", body=JATOS))
    page.goto(f"{site.address}jatos.html")


def test_inside_jatos_the_batch_counts_and_takes_the_data(tmp_path: Path, page: Page) -> None:
    with hosted(tmp_path, study=static_study(short_study())) as site:
        jatos_site(site, page)
        Hands(page).play()
        page.wait_for_function("window.told.some((one) => one[0] === 'end')")
        told = page.evaluate("window.told")
    assert told[0] == ["set", "understudy_next", 3]
    assert told[-1] == ["end", True, "completed"]
    (tmp_path / "jatos.txt").write_text(f"{told[1][1]}\n")
    assert json.loads(told[1][1])["place"] == json.loads((site.folder / "manifest.json").read_text())["places"][2]
    assert understudy("collect", site.run.folder, tmp_path / "jatos.txt").code == 0


def test_who_erases_inside_jatos_leaves_nothing(tmp_path: Path, page: Page) -> None:
    with hosted(tmp_path, study=static_study(short_study())) as site:
        jatos_site(site, page)
        Hands(page).play(until="judge")
        page.get_by_role("button", name="Stop", exact=True).click()
        page.get_by_role("button", name="Stop and erase my data").click()
        page.get_by_role("button", name="Yes, erase everything").click()
        expect(page.locator(".lead")).to_contain_text("Nothing was sent")
        assert page.evaluate("window.told.slice(1)") == [["abort", "withdrew"]]


def test_a_second_failed_check_ends_kindly(tmp_path: Path, page: Page) -> None:
    with hosted(tmp_path) as site:
        page.goto(site.address)
        hands = Hands(page, n_wrong=2)
        hands.play()
        assert hands.heading() == "Thank you for your time"
        assert understudy("collect", site.run.folder, saved_file(page, tmp_path)).code == 0
    assert [event.outcome for event in events_of(site.run) if isinstance(event, SessionEnded)] == ["screened_out"]


def test_who_stops_hands_in_what_there_is(tmp_path: Path, page: Page) -> None:
    with hosted(tmp_path, study=static_study(short_study())) as site:
        page.goto(site.address)
        Hands(page).play(until="judge")
        page.get_by_role("button", name="Stop", exact=True).click()
        page.get_by_role("button", name="Stop and keep my answers").click()
        assert understudy("collect", site.run.folder, saved_file(page, tmp_path)).code == 0
    assert [event.outcome for event in events_of(site.run) if isinstance(event, SessionEnded)] == ["withdrew"]
