"""Monitoring: right counts, blind until somebody asks with a reason, and recruitment that pauses at its limits."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.stage_door import ADMIN_HEADERS, Person, folder_of, played, server
from tests.shell import understudy
from tests.small_studies import two_group_plain, two_groups
from understudy.actions.run_folder import Run, existing_run, require_unblinded
from understudy.check.study_check import stop_rule_faults
from understudy.errors import UnderstudyError
from understudy.record import Log, open_log
from understudy.schema import Sequential, SessionEnded, SessionStarted, Study, TrialShown
from understudy.schema.plan import StopRule
from understudy.serve.desk.monitor import MonitorFold, blind_order
from understudy.serve.desk.monitor_view import monitoring_of
from understudy.serve.desk.overview import FactsCache, SessionFacts
from understudy.serve.desk.routes import obey_stop_rules, record_looks

MONITOR = "/api/admin/studies/two-groups/monitor"
UNBLIND = "/api/admin/studies/two-groups/unblind"
WEEK_MS = 7 * 24 * 3_600_000


def ruled(*rules: dict[str, Any], **changes: Any) -> Study:
    study = two_groups(**changes)
    plan = study.plan.model_copy(update={"stop_rules": tuple(StopRule.model_validate(rule) for rule in rules)})
    return study.model_copy(update={"plan": plan})


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return existing_run(folder_of(two_groups(assignment={"quota": 50}), tmp_path))


@pytest.fixture
def log(run: Run) -> Iterator[Log]:
    with run.open_log() as opened:
        yield opened


def came(run: Run, log: Log, *lives: tuple[str, str, str | None]) -> None:
    """Let people come: condition, the block they reach, and how they end."""
    script = run.script
    first = {trial.block_id: trial.trial_id for trial in reversed(script.trials.values())}
    n = log.count_sessions(script.study.name)
    for k, (condition, block, ending) in enumerate(lives, n):
        cell = next(cell for cell in script.study.cells if cell.name == condition)
        at = {"session_id": f"s{k}", "at_ms": 1_700_000_000_000}
        started = SessionStarted.model_validate(
            {
                **at, "seq": 1, "study_name": script.study.name, "study_digest": script.digest,
                "participant_id": f"p{k}", "participant_kind": "person",
                "assignment": {"arrival": k, "condition": condition, "levels": cell.levels, "seed": k},
            }
        )  # fmt: skip
        shown = [
            TrialShown(**at, seq=seq, step=seq - 1, trial_id=first[name])
            for seq, name in enumerate(list(script.blocks)[: list(script.blocks).index(block) + 1], 1)
        ]
        ended = [SessionEnded.model_validate({**at, "seq": 2, "outcome": ending})] if ending else []
        log.append([started, *shown, *ended])


def looked(run: Run, log: Log, fold: MonitorFold | None = None) -> Any:
    fold = fold or MonitorFold(log, run.script)
    while not fold.advance():
        pass
    return monitoring_of(fold, log.steering(run.script.study.name), is_paused=False)


def test_people_are_counted_where_they_leave(run: Run, log: Log) -> None:
    came(
        run,
        log,
        ("shown", "predict", "abandoned"),
        ("shown", "debrief", "completed"),
        ("hidden", "consent", "withdrew"),
    )
    found = looked(run, log)
    order = blind_order(run.script.study)
    pages = {page.block: dict(zip(order, page.left, strict=True)) for page in found.pages}
    assert pages == {
        "consent": {"shown": 0, "hidden": 1}, "predict": {"shown": 1, "hidden": 0}, "debrief": {"shown": 0, "hidden": 0}
    }  # fmt: skip
    assert [sum(page.reached) for page in found.pages] == [3, 2, 1]


def test_looking_again_and_again_gives_what_one_look_gives(run: Run, log: Log) -> None:
    fold = MonitorFold(log, run.script)
    for condition in ("shown", "hidden", "shown"):
        came(run, log, (condition, "predict", "abandoned"), (condition, "debrief", "completed"))
        while not fold.advance(limit=2):
            pass
    assert looked(run, log, fold) == looked(run, log)


def test_an_erased_session_leaves_the_sums_and_counts_as_left(run: Run, log: Log) -> None:
    came(run, log, *[("shown", "debrief", "completed")] * 6, *[("hidden", "debrief", "completed")] * 6)
    fold = MonitorFold(log, run.script)
    looked(run, log, fold)
    log.erase("s0")
    found = looked(run, log, fold)
    order = blind_order(run.script.study)
    assert dict(zip(order, found.attrition.left, strict=True)) == {"shown": 1, "hidden": 0}
    assert sum(found.pages[0].reached) == 11


def test_a_look_reads_no_more_than_its_share_of_a_long_log(run: Run, log: Log) -> None:
    came(run, log, *[("shown", "debrief", "completed")] * 40)
    fold = MonitorFold(log, run.script)
    assert not fold.advance(limit=50)
    assert 0 < fold.read_share < 1


def test_a_look_without_news_reads_nothing(run: Run, log: Log) -> None:
    came(run, log, *[("shown", "debrief", "completed"), ("hidden", "predict", "abandoned")] * 5)
    fold = MonitorFold(log, run.script)
    first = looked(run, log, fold)
    assert log.progress_events("two-groups", log.last_position(), 100).events == ()
    assert looked(run, log, fold) == first


def test_conditions_have_no_names_until_somebody_says_why(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[Any]:
        client.headers.update(ADMIN_HEADERS)
        blind = (await client.get(MONITOR)).json()
        silent = await client.post(UNBLIND, json={"reason": "  "})
        await client.post(UNBLIND, json={"reason": "Pictures may be broken."})
        named = (await client.get(MONITOR)).json()
        return [blind["conditions"], silent.status_code, named["conditions"], named["notes"][0]["reason"]]

    with server(folder_of(two_groups(), tmp_path)) as app:
        assert played(app, play) == [["A", "B"], 422, ["shown", "hidden"], "Pictures may be broken."]


def test_the_report_lists_who_asked_for_names(run: Run, log: Log) -> None:
    came(run, log, *[("shown", "debrief", "completed")] * 2)
    shown = understudy("monitor", run.folder, "--unblind", "Is a condition broken?")
    page = run.folder / "report.html"
    understudy("report", run.folder, "--out", page)
    assert shown.code == 0
    text = page.read_text(encoding="utf-8")
    assert "asked for the names of the conditions: Is a condition broken?" in text
    assert "broken?." not in text


def test_no_outcome_is_in_what_monitoring_says(run: Run, log: Log) -> None:
    came(run, log, ("shown", "debrief", "completed"))
    said = understudy("monitor", run.folder, "--json").out
    measures = [use.name for use in run.script.study.measures]
    assert [name for name in (*measures, "guess") if f'"{name}"' in said] == []


def test_recruitment_pauses_at_its_limit_once(tmp_path: Path) -> None:
    study = ruled({"rule_id": "enough", "watches": "completed", "at_least": 1}, assignment={"quota": 9})
    with server(folder_of(study, tmp_path)) as app:
        running = app.state.server.studies["two-groups"]

        async def play(client: httpx.AsyncClient) -> list[Any]:
            person = Person(client, "two-groups", PROLIFIC_PID="a")
            await person.start()
            await obey_stop_rules(running)
            before = await running.recruitment.is_paused()
            await person.finish()
            await obey_stop_rules(running)
            refused = (await Person(client, "two-groups", PROLIFIC_PID="b").start()).json()["refused"]
            resume = "/api/admin/studies/two-groups/recruitment"
            await client.post(resume, json={"is_paused": False}, headers=ADMIN_HEADERS)
            await obey_stop_rules(running)
            again = (await Person(client, "two-groups", PROLIFIC_PID="c").start()).status_code
            return [before, refused, again]

        assert played(app, play) == [False, "paused", 201]
    with open_log(tmp_path / "events.sqlite") as log:
        paused, resumed = log.steering("two-groups")
    assert (paused.actor, paused.reason, resumed.action) == (
        "stop rule enough", "Paused because 1 person has completed the study.", "recruitment_resumed"
    )  # fmt: skip


@pytest.mark.parametrize(("lives", "is_reached"), [(("abandoned", "completed"), True), (("completed", "completed"), False)])  # fmt: skip
def test_a_difference_in_leaving_is_watched(tmp_path: Path, lives: tuple[str, str], is_reached: bool) -> None:
    rule = {"rule_id": "uneven", "watches": "attrition_difference", "at_least": 0.5, "fewest": 6}
    run = existing_run(folder_of(ruled(rule, assignment={"quota": 50}), tmp_path))
    with run.open_log() as log:
        came(run, log, *[("shown", "predict", lives[0])] * 6, *[("hidden", "predict", lives[1])] * 6)
        (state,) = looked(run, log).rules
    assert state.is_reached is is_reached


def test_faults_of_stop_rules_are_named() -> None:
    rules = [
        {"rule_id": "a", "watches": "failed_checks", "at_least": 30},
        {"rule_id": "a", "watches": "spent", "at_least": 5},
    ]
    faults = stop_rule_faults(ruled(*rules))
    assert [fault.split(";")[0] for fault in faults] == [
        "Two stop rules are called 'a'",
        "The stop rule 'a' has at_least 30, but failed_checks is a share",
        "The stop rule 'a' watches money, but the study has no pay",
    ]


def blinded(study: Study) -> Study:
    return study.model_copy(update={"plan": study.plan.model_copy(update={"blinded": True})})


def with_examples() -> Study:
    """Two groups, one of which sees a page more before it predicts."""
    plain = two_group_plain()
    page = {
        "kind": "screen", "block_id": "examples", "purpose": "instructions", "when": {"explanation": "shown"},
        "task": {"name": "instructions", "params": {"pages": ["The model liked high incomes."]}},
    }  # fmt: skip
    flow = [plain["flow"][0], page, *plain["flow"][1:]]
    return Study.model_validate({**plain, "flow": flow, "assignment": {"quota": 50}})


def test_status_shows_the_letters_of_the_desk_in_a_blinded_study(tmp_path: Path) -> None:
    run = existing_run(folder_of(blinded(two_groups()), tmp_path))
    with run.open_log() as log:
        came(run, log, ("shown", "debrief", "completed"))
    letter = dict(zip(blind_order(run.script.study), "AB", strict=True))["shown"]
    rows = json.loads(understudy("status", tmp_path, "--json").out)
    assert {row["condition"]: row["n_completed"] for row in rows} == {"A": 0, "B": 0} | {letter: 1}
    table = understudy("status", tmp_path).out
    assert [word in table for word in ("shown", "hidden", "The study is blinded")] == [False, False, True]
    understudy("monitor", tmp_path, "--unblind", "All have come.")
    assert [row["condition"] for row in json.loads(understudy("status", tmp_path, "--json").out)] == ["shown", "hidden"]


def test_where_people_are_does_not_tell_blind_conditions_apart(tmp_path: Path) -> None:
    run = existing_run(folder_of(blinded(with_examples()), tmp_path))
    with run.open_log() as log:
        facts = FactsCache(log, run.script)
    first = {trial.block_id: trial.trial_id for trial in reversed(run.script.trials.values())}
    at = [SessionFacts(step=step, trial_id=first[block]) for step, block in enumerate(run.script.blocks)]
    assert [facts.step_of(place) for place in at] == ["1 · consent", "2 · examples", "3 · predict", "4 · debrief"]
    assert [facts.step_of(place, is_blind=True) for place in at] == ["consent", "consent", "predict", "debrief"]


def test_a_blinded_study_names_no_condition_at_the_desk_and_closes_its_report(tmp_path: Path) -> None:
    folder = folder_of(blinded(two_groups()), tmp_path)

    async def play(client: httpx.AsyncClient) -> list[Any]:
        client.headers.update(ADMIN_HEADERS)
        person = Person(client, "two-groups")
        await person.start()
        await person.finish()
        told = []
        for _ in range(2):
            counts = (await client.get("/api/admin/studies")).json()[0]["cells"]
            rows = (await client.get("/api/admin/studies/two-groups/sessions")).json()["rows"]
            found = await client.get(f"/api/admin/studies/two-groups/sessions?condition={rows[0]['condition']}")
            told += [{cell["condition"] for cell in counts}, rows[0]["condition"] in ("A", "B"), found.json()["total"]]
            if not told[3:]:
                page = await client.get("/api/admin/studies/two-groups/report", headers={"Accept": "text/html"})
                assert "The report is closed" in page.text
            await client.post(UNBLIND, json={"reason": "Everybody has come."})
        return told

    with server(folder) as app:
        told = played(app, play)
    assert told == [{"A", "B"}, True, 1, {"shown", "hidden"}, False, 1]


def test_a_page_of_one_condition_counts_only_people_who_could_come_to_it(tmp_path: Path) -> None:
    run = existing_run(folder_of(with_examples(), tmp_path))
    with run.open_log() as log:
        came(
            run, log, ("shown", "debrief", "completed"), ("hidden", "consent", None), ("hidden", "debrief", "completed")
        )
        pages = {page.block: sorted(map(str, page.reached)) for page in looked(run, log).pages}
    # Nothing is drawn, and no line falls to nothing, where a condition does not have the page.
    assert pages == {"consent": ["1", "2"], "examples": ["1", "None"], "predict": ["1", "1"], "debrief": ["1", "1"]}
    drawn = next(line for line in understudy("monitor", tmp_path).out.splitlines() if "examples" in line)
    assert drawn.count("█") == 18


def test_a_blinded_study_shows_no_page_of_one_condition(tmp_path: Path) -> None:
    run = existing_run(folder_of(blinded(with_examples()), tmp_path))
    with run.open_log() as log:
        came(run, log, ("shown", "examples", "abandoned"))
        pages = {page.block: sum(page.left) for page in looked(run, log).pages}
    assert pages == {"consent": 1, "predict": 0, "debrief": 0}


def test_a_blinded_report_needs_a_reason(run: Run, log: Log) -> None:
    closed = run._replace(script=type("Blinded", (), {"study": blinded(run.script.study)})())
    came(run, log, ("shown", "debrief", "completed"))
    with pytest.raises(UnderstudyError, match="--unblind"):
        require_unblinded(closed)
    understudy("monitor", run.folder, "--unblind", "All have come.")
    require_unblinded(closed)


def test_a_look_is_recorded_when_it_is_reached(tmp_path: Path) -> None:
    study = ruled(assignment={"quota": 9})
    plan = study.plan.model_copy(update={"sequential": Sequential(looks=(2, 3))})
    members = []
    with server(folder_of(study.model_copy(update={"plan": plan}), tmp_path)) as app:
        running = app.state.server.studies["two-groups"]
        log = running.served.log

        async def play(client: httpx.AsyncClient) -> None:
            people = [Person(client, "two-groups", PROLIFIC_PID=name) for name in "abcd"]
            for person in people:
                await person.start()
            # The first to arrive is the last to finish.
            for person in reversed(people):
                await person.finish()
                await record_looks(running)
                members.append([look.marks for look in log.looks("two-groups")])

        played(app, play)
    assert [[len(look) for look in looks] for looks in members] == [[], [2], [2, 3], [2, 3]]
    first, last = members[1][0], members[3][0]
    assert first == last
    assert members[2][1] > first
