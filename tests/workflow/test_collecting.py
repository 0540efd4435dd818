"""Result files come back: sound ones whole, known ones not again, edited ones not at all."""

import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from tests.playing import quiz, stage, study_of
from tests.serve.stage_door import ADMIN_HEADERS, SECRET, played, server
from tests.shell import understudy
from tests.workflow.result_files import START_MS, exported_run, result_of, small_study, written
from understudy.actions.access import keyring_of
from understudy.actions.casts import MIXED
from understudy.actions.collect import collect
from understudy.actions.deposits import Collected, Decisions, n_set_aside
from understudy.actions.rehearse import rehearse_run
from understudy.actions.report import report_of
from understudy.actions.run_folder import Run, existing_run
from understudy.actions.run_tables import tables_of
from understudy.errors import LogError
from understudy.record import look_mark
from understudy.record.log import now_ms
from understudy.schema import ResponseGiven, Sequential, SessionEnded
from understudy.serve.access import Keyring
from understudy.serve.people import MarksFile, People

N_FUZZED = 400


def collected(run: Run, *results: Any, folder: Path) -> Collected:
    files = [written(result, folder / f"result-{place}.json") for place, result in enumerate(results)]
    return collect(run, files, keyring=lambda: Keyring(b"0" * 32))


def token_of(seed: int) -> Callable[[int], bytes]:
    """Random bytes that are the same each time."""
    return np.random.default_rng(seed).bytes


def bytes_of(run: Run) -> bytes:
    with run.open_log() as log:
        return json.dumps([[e.model_dump(mode="json") for e in session] for session in log.sessions()]).encode()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return exported_run(tmp_path, n_sessions=6)


def test_a_whole_session_comes_with_what_the_engine_adds(run: Run, tmp_path: Path) -> None:
    found = collected(run, result_of(run), folder=tmp_path)
    assert found == Collected(1, 0, 0, {"completed": 1}, ())
    with run.open_log() as log:
        (events,) = log.sessions()
    assert isinstance(events[-1], SessionEnded)
    assert sum(isinstance(event, ResponseGiven) for event in events) == 14


def test_tables_and_report_are_made_of_collected_sessions(run: Run, tmp_path: Path) -> None:
    results = [result_of(run, place=k, letter="abcdef"[k]) for k in range(6)]
    assert collected(run, *results, folder=tmp_path).n_new == 6
    assert sorted(tables_of(run).sessions["condition"].astype(str)) == ["hidden"] * 3 + ["shown"] * 3
    assert report_of(run, tmp_path / "report.html").findings.flow.n_analysed == 6


def test_files_that_come_later_join_no_look_that_was_reached(tmp_path: Path) -> None:
    plain = small_study()
    plan = plain.plan.model_copy(update={"sequential": Sequential(looks=(2, 4))})
    run = exported_run(tmp_path, plain.model_copy(update={"plan": plan}), n_sessions=6)
    results = [result_of(run, place=k, letter="abcdef"[k]) for k in range(3)]
    members = []
    for given in (results[1:], results[:1]):
        collected(run, *given, folder=tmp_path)
        with run.open_log() as log:
            members.append(log.looks(run.script.study.name))
    (look,) = members[0]
    assert look.marks == {look_mark("b" * 22), look_mark("c" * 22)}
    assert members[1] == members[0]


def test_a_file_given_twice_counts_once(run: Run, tmp_path: Path) -> None:
    assert collected(run, result_of(run), result_of(run), folder=tmp_path)[:3] == (1, 0, 1)
    before = bytes_of(run)
    assert collected(run, result_of(run), folder=tmp_path)[:3] == (0, 0, 1)
    assert bytes_of(run) == before


def test_a_longer_file_of_the_same_session_continues_it(run: Run, tmp_path: Path) -> None:
    assert collected(run, result_of(run, n_answers=3), folder=tmp_path).outcomes == {"unfinished": 1}
    assert collected(run, result_of(run), folder=tmp_path) == Collected(0, 1, 0, {"completed": 1}, ())
    assert collected(run, result_of(run, n_answers=3), folder=tmp_path).n_known == 1


def test_a_second_version_of_a_session_is_refused_and_changes_nothing(run: Run, tmp_path: Path) -> None:
    collected(run, result_of(run), folder=tmp_path)
    before = bytes_of(run)
    other = result_of(run)
    other["events"][3]["rt_ms"] = 1.0
    (fault,) = collected(run, other, folder=tmp_path).faults
    assert "result-0.json: " in fault
    assert "is in the log with different content" in fault
    assert bytes_of(run) == before


def test_two_people_may_have_drawn_the_same_place(run: Run, tmp_path: Path) -> None:
    assert collected(run, result_of(run, letter="a"), result_of(run, letter="b"), folder=tmp_path).n_new == 2


def test_one_bad_file_does_not_keep_the_others_out(run: Run, tmp_path: Path) -> None:
    found = collected(run, {"no": "result"}, result_of(run), folder=tmp_path)
    assert found.n_new == 1
    assert "It is not a result file" in found.faults[0]


def test_somebody_who_withdrew_is_counted_so(run: Run, tmp_path: Path) -> None:
    result = result_of(run, n_answers=3, withdrew_ms=1_700_000_099_000)
    assert collected(run, result, folder=tmp_path).outcomes == {"withdrew": 1}


def test_lines_of_several_sessions_are_read_one_by_one(run: Run, tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(result_of(run, letter=one)) for one in "abc")
    (tmp_path / "jatos.txt").write_text(f"{lines}\n\n")
    assert collect(run, [tmp_path / "jatos.txt"], keyring=lambda: Keyring(b"0" * 32)).n_new == 3


def test_what_a_recruiter_calls_people_stays_out_of_the_log(run: Run, tmp_path: Path) -> None:
    result = result_of(run, recruiter={"PROLIFIC_PID": "5f1", "STUDY_ID": "x"})
    collected(run, result, folder=tmp_path)
    person = Keyring(b"0" * 32).participant_id("5f1")
    assert b"5f1" not in bytes_of(run)
    assert People(run.folder / "people.sqlite").fields_of(person) == {"PROLIFIC_PID": "5f1", "STUDY_ID": "x"}


KEYS = Keyring(b"0" * 32)
DAY_MS = 24 * 3600 * 1000


def set_aside_of(found: Collected) -> dict[str, str]:
    return {waits.name[0]: " ".join(waits.reasons) for waits in found.set_aside}


def decided(run: Run, *, takes: str = "", drops: str = "") -> Collected:
    """Decide about sessions by their letters."""
    waiting = collect(run, [], keyring=lambda: KEYS).set_aside
    names = [[waits.name for waits in waiting if waits.name[0] in letters] for letters in (takes or " ", drops or " ")]
    return collect(run, [], keyring=lambda: KEYS, decisions=Decisions(*map(tuple, names)))


def test_two_deposits_of_one_person_wait_for_a_decision_in_any_order(run: Run, tmp_path: Path) -> None:
    twice = [result_of(run, letter=letter, recruiter={"PROLIFIC_PID": "5f1"}) for letter in "ab"]
    found = collected(run, *twice, folder=tmp_path)
    assert (found.n_new, bytes_of(run)) == (0, b"[]")
    assert set_aside_of(found)["a"] == f"Its participant is also that of {'b' * 22}."
    assert decided(run, takes="b", drops="a").n_new == 1
    assert n_set_aside(run) == 0
    with run.open_log() as log:
        assert log.session_of("small", KEYS.participant_id("5f1")) == "b" * 22
    # The real one comes after a forged one was taken: it waits, and nothing is lost.
    assert set(set_aside_of(collected(run, twice[0], folder=tmp_path))) == {"a"}


@pytest.mark.parametrize("started_ms", [-(2**53) + 1, 2**53 - 1, 5, START_MS - 30 * DAY_MS, 2**41])
def test_a_wrong_clock_is_set_aside_and_counts_from_when_it_is_taken(run: Run, tmp_path: Path, started_ms: int) -> None:
    result = result_of(run)
    shift = started_ms - result["started_ms"] if abs(started_ms) < 2**50 else 0
    events = [{**event, "at_ms": event["at_ms"] + shift} for event in result["events"]]
    found = collected(run, {**result, "started_ms": started_ms, "events": events}, folder=tmp_path)
    assert (found.n_new, bytes_of(run)) == (0, b"[]")
    assert "Its clock was at" in set_aside_of(found)["a"]
    assert decided(run, takes="a").n_new == 1
    report_of(run, tmp_path / "report.html")
    with run.open_log() as log:
        (summary,) = log.summaries("small")
    assert START_MS < summary.started_ms < summary.last_event_ms <= now_ms()
    assert collected(run, {**result, "started_ms": started_ms, "events": events}, folder=tmp_path)[:3] == (0, 0, 1)


def test_a_clock_that_is_a_little_early_does_not_begin_before_its_export(run: Run, tmp_path: Path) -> None:
    result = result_of(run)
    assert collected(run, {**result, "started_ms": START_MS - 60_000}, folder=tmp_path).n_new == 1
    with run.open_log() as log:
        assert next(log.summaries("small")).started_ms == START_MS - 1000


def test_copies_wait_whoever_they_say_they_are(run: Run, tmp_path: Path) -> None:
    real = result_of(run)
    copies = [{**real, "session_id": letter * 22, "recruiter": {"PROLIFIC_PID": letter}} for letter in "bcd"]
    found = collected(run, real, *copies, result_of(run, letter="e"), folder=tmp_path)
    assert found.n_new == 1
    assert set(set_aside_of(found)) == set("abcd")
    assert "Its times to the millisecond are also those of" in set_aside_of(found)["c"]


def test_somebody_who_departed_does_not_come_back_with_a_new_file(run: Run, tmp_path: Path) -> None:
    collected(run, result_of(run, recruiter={"PROLIFIC_PID": "5f1"}), folder=tmp_path)
    mark = KEYS.departure_mark("small", KEYS.participant_id("5f1"))
    MarksFile(run.folder / "people.sqlite").enter_departure(mark)
    with run.open_log() as log:
        log.erase("a" * 22)
    found = collected(run, result_of(run, letter="b", recruiter={"PROLIFIC_PID": "5f1"}), folder=tmp_path)
    assert set_aside_of(found) == {"b": "Its participant erased an earlier session and may not take part again."}


def test_more_people_than_places_wait_where_a_place_was_taken_twice(run: Run, tmp_path: Path) -> None:
    many = [result_of(run, place=k % 6, letter="abcdefgh"[k]) for k in range(8)]
    found = collected(run, *many, folder=tmp_path)
    assert found.n_new == 4
    assert set(set_aside_of(found)) == set("abgh")
    assert "more people" in set_aside_of(found)["a"].lower()


def test_the_order_of_honest_and_hostile_files_makes_no_difference(tmp_path: Path) -> None:
    rng = np.random.default_rng(4711)
    outcomes = []
    for attempt in range(5):
        run = exported_run(tmp_path / f"{attempt}", token=token_of(9), n_sessions=8)
        results = [result_of(run, place=k, letter="abcdefgh"[k], recruiter={"PROLIFIC_PID": f"p{k}"}) for k in range(8)]
        results += [
            result_of(run, place=2, letter="x", recruiter={"PROLIFIC_PID": "p3"}),
            {**results[1], "session_id": "y" * 22},
            {**results[5], "started_ms": 0},
            changed(results[4], "events", 3, "rt_ms", to=1.0),
            {"no": "result"},
        ]
        order = rng.permutation(len(results))
        found = collected(run, *(results[k] for k in order), folder=tmp_path)
        outcomes.append((found[:3], len(found.faults), found.set_aside, bytes_of(run)))
        tables_of(run)
    assert all(outcome == outcomes[0] for outcome in outcomes)
    assert outcomes[0][0] == (3, 0, 0)


def test_an_erased_session_does_not_come_back(run: Run, tmp_path: Path) -> None:
    collected(run, result_of(run), folder=tmp_path)
    with run.open_log() as log:
        log.erase("a" * 22)
    assert "was erased at the participant's request" in collected(run, result_of(run), folder=tmp_path).faults[0]


def test_a_missing_file_is_named(run: Run, tmp_path: Path) -> None:
    found = collect(run, [tmp_path / "none.json"], keyring=lambda: Keyring(b"0" * 32))
    assert found.faults == (f"{tmp_path / 'none.json'} is not a file; give the result files themselves.",)


def test_a_gate_is_decided_by_the_key_and_not_by_the_file(tmp_path: Path) -> None:
    run = exported_run(tmp_path, study_of(quiz(tries=1), stage("predict")), n_sessions=1)
    honest = result_of(run)
    honest["events"][3]["response"] = {"quiz": "that"}
    assert "Event 5 follows the end of the session (screened_out)." in collected(run, honest, folder=tmp_path).faults[0]


def changed(result: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    made = copy.deepcopy(result)
    place: Any = made
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = to
    return made


@pytest.mark.parametrize(
    ("path", "to", "sentence"),
    [
        (["study_name"], "other", "It is of the study 'other'"),
        (["study_digest"], "0" * 64, "another version of 'small' (000000000000)"),
        (["place"], "../answers", "The place '../answers' was not drawn"),
        (["session_id"], "../../etc/passwd", "session_id"),
        (["started_ms"], 1e300, "started_ms"),
        (["recruiter"], {"a": 1}, "recruiter"),
        (["recruiter"], {"a": "x" * 301}, "'recruiter' holds texts of at most 300 characters."),
        (["format"], 2, "format"),
        (["events", 0, "seq"], 2, "Events of a batch are numbered without gaps"),
        (["events", 1, "response"], {"consent": "Never"}, "'Never' is not a possible answer to 'consent'."),
        (["events", 1, "response"], {}, "'consent' is not answered."),
        (["events", 1, "response"], {"consent": "I agree", "n_correct": 12}, "'n_correct' was not asked."),
        (["events", 1, "trial_id"], "predict.0", "is not the current step"),
        (["events", 1, "step"], 5, "is not the current step"),
        (["events", 1, "rt_ms"], -1, "rt_ms"),
        (["events", 1, "stream"], "desk", "without session_id, stream and received_ms"),
        (["events", 1, "type"], "session_excluded", "events.1"),
        (["events", 1, "more"], 1, "events.1"),
        (["withdrew_ms"], 5, "but the session had ended (completed)"),
        (["extra"], 5, "extra"),
    ],
)  # fmt: skip
def test_an_edited_file_gets_a_sentence_and_changes_nothing(
    run: Run, tmp_path: Path, path: list[Any], to: Any, sentence: str
) -> None:
    found = collected(run, changed(result_of(run), *path, to=to), folder=tmp_path)
    assert found.n_new == 0
    assert sentence in found.faults[0]
    assert bytes_of(run) == b"[]"


def test_events_cut_out_of_the_middle_are_missed(run: Run, tmp_path: Path) -> None:
    result = result_of(run)
    del result["events"][4:8]
    assert "numbered without gaps" in collected(run, result, folder=tmp_path).faults[0]


def test_fuzzed_files_get_sentences_and_change_nothing(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    text = json.dumps(result_of(run, n_answers=3)).encode()
    n_refused = 0
    for place in range(N_FUZZED):
        body = bytearray(text)
        for at in rng.integers(len(body), size=rng.integers(1, 4)):
            body[int(at)] = int(rng.integers(256))
        file = tmp_path / f"fuzzed-{place % 5}.json"
        file.write_bytes(bytes(body))
        found = collect(run, [file], keyring=lambda: Keyring(b"0" * 32))
        n_refused += len(found.faults)
        assert all(one.isprintable() for fault in found.faults for one in fault)
        assert len(found.faults) + found.n_new + found.n_known + found.n_longer == 1
    assert n_refused > N_FUZZED * 0.6


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b"\xff\xfe", b"{" * 100_000, b'{"place":' * 50_000, b'{"place": NaN}', b'{"place": "\\ud800"}']
)  # fmt: skip
def test_what_is_no_result_is_told(run: Run, tmp_path: Path, body: bytes) -> None:
    (tmp_path / "odd.json").write_bytes(body)
    (fault,) = collect(run, [tmp_path / "odd.json"], keyring=lambda: Keyring(b"0" * 32)).faults
    assert fault.isprintable()
    assert bytes_of(run) == b"[]"


def test_a_run_of_simulated_people_collects_nobody(run: Run, tmp_path: Path) -> None:
    result = result_of(run)
    rehearse_run(run, MIXED, seed=1, n_people=1)
    with pytest.raises(LogError, match="holds simulated people"):
        collected(run, result, folder=tmp_path)


def test_deposits_are_decided_at_the_desk_while_the_run_is_served(tmp_path: Path) -> None:
    run = exported_run(tmp_path, n_sessions=6)
    people = [result_of(run, place=k, letter="abcd"[k], recruiter={"PROLIFIC_PID": "abbd"[k]}) for k in range(4)]
    files = [written(result, tmp_path / f"{result['session_id']}.json") for result in people]
    collect(run, files, keyring=lambda: Keyring(SECRET))
    route = "/api/admin/studies/small"

    async def play(client: httpx.AsyncClient) -> list[Any]:
        async def waiting() -> list[str]:
            assert (await client.get(f"{route}/deposits")).status_code == 401
            got = (await client.get(f"{route}/deposits", headers=ADMIN_HEADERS)).json()["deposits"]
            assert all(each["reasons"] for each in got)
            return [each["name"] for each in got]

        async def counted() -> tuple[int, int]:
            (study,) = (await client.get("/api/admin/studies", headers=ADMIN_HEADERS)).json()
            return study["n_deposits"], sum(cell["completed"] for cell in study["cells"])

        names = await waiting()
        seen: list[Any] = [await counted()]
        for name, is_taken in ((names[0], True), ("../answers", True), (names[1], False)):
            decision = {"name": name, "is_taken": is_taken}
            got = await client.post(f"{route}/deposits", json=decision, headers=ADMIN_HEADERS)
            seen.append((got.status_code, *(await counted())))
        sessions = (await client.get(f"{route}/sessions", headers=ADMIN_HEADERS)).json()["total"]
        audit = (await client.get(f"{route}/audit", headers=ADMIN_HEADERS)).json()["entries"]
        return [*seen, sessions, sorted(entry["action"] for entry in audit)]

    with server(run.folder) as app:
        assert played(app, play) == [
            (2, 2), (200, 1, 3), (409, 1, 3), (200, 0, 3), 3, ["deposit_deleted", "deposit_taken"],
        ]  # fmt: skip
        ledger = app.state.server.studies["small"].ledger
        assert sum(place.n_completed for place in ledger.places()) == 3


def test_copies_among_served_sessions_are_named_wherever_they_count(tmp_path: Path) -> None:
    run = exported_run(tmp_path, n_sessions=6)
    results = [result_of(run, place=k, letter="abc"[k]) for k in range(3)]
    collected(run, *results, folder=tmp_path)
    with run.open_log() as log:
        (first, second, *_) = log.sessions("small")
        # A served session has what its page sent, whoever sent it.
        given = iter([event.rt_ms for event in first if isinstance(event, ResponseGiven)])
        copied = [e.model_copy(update={"rt_ms": next(given)}) if isinstance(e, ResponseGiven) else e for e in second]
        log.erase(second[0].session_id)
        log.append([event.model_copy(update={"session_id": "z" * 22}) for event in copied])
    for command in (("status", run.folder), ("pay", run.folder, "--dry-run")):
        shown = understudy(*command)
        assert shown.code == 0, shown.err
        assert (
            f"Session {'a' * 22} may be a copy: Its times to the millisecond are also those of {'z' * 22}." in shown.err
        )
        assert "c" * 22 not in shown.err

    async def play(client: httpx.AsyncClient) -> dict[str, Any]:
        rows = (await client.get("/api/admin/studies/small/sessions", headers=ADMIN_HEADERS)).json()["rows"]
        return {row["session_id"][0]: " ".join(row["warnings"]) for row in rows}

    with server(run.folder) as app:
        warned = played(app, play)
    assert ["also those of" in warned[letter] for letter in "azc"] == [True, True, False]
    report_of(run, tmp_path / "report.html")
    assert "may be a copy" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_hostile_deposits_among_many_change_nothing_and_every_command_works(tmp_path: Path) -> None:
    """Copies, forged, departed and empty ids, clocks of every kind, cut files and huge ones, in three orders."""
    n, rng = 60, np.random.default_rng(3204)
    base = exported_run(tmp_path, token=token_of(32), n_sessions=n)
    keys = keyring_of(base.folder, {})
    MarksFile(base.folder / "people.sqlite").enter_departure(keys.departure_mark("small", keys.participant_id("gone")))
    real = []
    for place in range(n):
        result = result_of(base, place=place, recruiter={"PROLIFIC_PID": f"p{place}"})
        events = [
            {**e, **({"rt_ms": float(rng.integers(500, 9000))} if "rt_ms" in e else {})} for e in result["events"]
        ]
        real.append({**result, "session_id": f"{place:022d}", "events": events})
    forged: list[Any] = []
    for number in range(14):
        own = {**real[-1 - number], "session_id": f"{900 + number:022d}"}
        forged += [
            {**real[number], "session_id": f"{800 + number:022d}", "recruiter": {"PROLIFIC_PID": f"ghost{number}"}},
            {**own, "recruiter": {"PROLIFIC_PID": "gone"}},
            {
                **own,
                "session_id": f"{950 + number:022d}",
                "recruiter": {},
                "started_ms": [-(2**53) + 1, 2**53 - 1, 0, 9][number % 4],
            },
            {**own, "recruiter": {"PROLIFIC_PID": "x" * 100_000}},
            json.dumps(own)[: 40 * number + 9],
        ][: 5 if number < 7 else 2]
    texts = [each if isinstance(each, str) else json.dumps(each) for each in (*real, *forged)]
    outcomes = []
    for attempt in range(3):
        run = existing_run(shutil.copytree(base.folder, tmp_path / f"run{attempt}"))
        files = []
        for number, k in enumerate(rng.permutation(len(texts))):
            files.append(tmp_path / f"{attempt}-{number}.json")
            files[-1].write_text(texts[k])
        found = collect(run, files, keyring=lambda: keys, clock=lambda: START_MS + 10 * DAY_MS)
        faults = sorted(fault.partition(": ")[2] for fault in found.faults)
        outcomes.append((found[:3], faults, found.set_aside, bytes_of(run)))
    assert all(outcome == outcomes[0] for outcome in outcomes)
    assert outcomes[0][0][0] > n / 2
    folder = tmp_path / "run0"
    for command in (
        ("status", folder), ("monitor", folder), ("pay", folder, "--dry-run"), ("collect", folder, "--decide"),
        ("backup", folder, tmp_path / "backup"), ("report", folder, "--out", tmp_path / "r.html"),
        ("export", folder, "--out", tmp_path / "d.zip"),
    ):  # fmt: skip
        shown = understudy(*command)
        assert (shown.code, "Traceback" in shown.err) == (0, False), (command, shown.err)
    assert "ghost" not in (tmp_path / "r.html").read_text(encoding="utf-8")
