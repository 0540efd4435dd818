"""Answers cannot be found by trying: invented ids get in nowhere, or learn nothing."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.playing import stage, study_of
from tests.serve.stage_door import Hands, Person, answering, folder_of, played, server
from tests.shell import understudy
from understudy.check.secrecy import secrecy_sentences
from understudy.prepare import prepare
from understudy.schema import Study

N_ITEMS = 12
BY_LINK = [{"links": "signed"}, {"links": "listed"}]
GUARDED = [*BY_LINK, {"results": "hidden"}]


def paid_study(**access: Any) -> Study:
    """Twelve questions with two options, a page that tells the score, and a bonus for each right answer."""
    results = {"name": "feedback", "params": {"measures": ["n_right"]}}
    return study_of(
        stage("predict"),
        {"kind": "screen", "block_id": "results", "purpose": "feedback", "task": results},
        measures=[
            {"name": "correct", "measure": "correct"},
            {"name": "n_right", "measure": "correct", "summary": "sum"},
            {"name": "same_answer", "measure": {"name": "straight_lining", "params": {"question": "guess"}}},
        ],
        pay={"base": 2, "bonuses": [{"measure": "n_right", "per_unit": 0.1}]},
        access=access,
    )


async def told(client: httpx.AsyncClient, pid: str, flipped: str | None) -> tuple[Any, dict[str, Any]]:
    """Say yes to all but one question, and return what the study tells about it, and the questions met."""
    person = Person(client, "two-groups", PROLIFIC_PID=pid)
    await person.start()
    if not person.token:
        return None, {}
    met: dict[str, Any] = {}
    said: list[Any] = []
    while person.state["ended"] is None:
        trial = person.state["step"]["trial"]
        item = str(trial["params"].get("content", {}).get("name", ""))
        met |= {item: "yes"} if item else {}
        said.append(person.state["step"]["feedback"]["measures"])
        await person.answer(answering(guess="no" if item == flipped else "yes"))
    pay = person.state["ended"]["pay"]
    return (said[-1], pay["base"], pay["bonus"]), met


async def attack(client: httpx.AsyncClient) -> dict[str, str]:
    """Come fourteen times under invented ids, and return every answer that can be concluded."""
    before, met = await told(client, "invented", None)
    after = {item: (await told(client, f"invented {item}", item))[0] for item in list(met)[:N_ITEMS]}
    await told(client, "invented once more", None)
    changed = {item: found for item, found in after.items() if found != before}
    return {item: "no" if found[1:] > before[1:] else "yes" for item, found in changed.items()}


def key_of(app: Any) -> dict[str, str]:
    script = app.state.server.studies["two-groups"].script
    named = {str(trial.params["content"]["name"]): name for name, trial in script.trials.items() if "content" in trial.params}  # fmt: skip
    return {item: script.answers[trial_id]["guess"] for item, trial_id in named.items()}


def test_an_open_study_that_tells_results_gives_every_answer_away(tmp_path: Path) -> None:
    with server(folder_of(paid_study(), tmp_path)) as app:
        found, key = played(app, attack), key_of(app)
    assert found == {item: key[item] for item in found}
    assert len(found) == N_ITEMS


@pytest.mark.parametrize("access", GUARDED, ids=str)
def test_fourteen_invented_ids_find_no_answer(tmp_path: Path, access: dict[str, Any]) -> None:
    with server(folder_of(paid_study(**access), tmp_path)) as app:
        assert played(app, attack) == {}


@pytest.mark.parametrize("access", BY_LINK, ids=str)
@pytest.mark.parametrize("fields", [{}, {"PROLIFIC_PID": "invented"}, {"PROLIFIC_PID": "a", "signature": "0" * 32}])
def test_a_link_that_was_not_given_out_opens_nothing(
    tmp_path: Path, access: dict[str, Any], fields: dict[str, str]
) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        return (await client.post("/api/s/two-groups/start", json={"recruiter": fields})).json()

    with server(folder_of(paid_study(**access), tmp_path)) as app:
        assert played(app, play) == {"refused": "link", "is_paid": True}


def test_a_signed_link_opens_its_own_study_and_its_id_only(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        server_state = client._transport.app.state.server  # type: ignore[attr-defined]
        mine = server_state.keyring.link_signature("two-groups", "ann")
        elsewhere = server_state.keyring.link_signature("other", "ann")
        links = [("ann", mine), ("bob", mine), ("ann", elsewhere), ("ann", mine)]
        got = [
            await client.post("/api/s/two-groups/start", json={"recruiter": {"PROLIFIC_PID": name, "signature": proof}})
            for name, proof in links
        ]
        (person,) = server_state.studies["two-groups"].ledger._session_of
        return [one.status_code for one in got], server_state.studies["two-groups"].people.fields_of(person)

    with server(folder_of(paid_study(links="signed"), tmp_path)) as app:
        statuses, stored = played(app, play)
    assert statuses == [201, 200, 200, 200]
    assert stored == {"PROLIFIC_PID": "ann"}


def test_the_printed_links_are_the_ones_that_open_the_study(tmp_path: Path) -> None:
    folder = folder_of(paid_study(links="signed"), tmp_path / "run")
    (tmp_path / "ids.txt").write_text("ann\n\n bob \n")
    shown = understudy("links", str(folder), str(tmp_path / "ids.txt"), "--address", "https://study.example/")
    lines = shown.out.split()
    assert [line.partition("&")[0] for line in lines] == [
        f"https://study.example/s/two-groups?participant_id={name}" for name in ("ann", "bob")
    ]
    assert len({line.partition("&signature=")[2] for line in lines}) == 2


def test_a_listed_id_may_take_part_and_the_list_may_grow(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[str]:
        tokens = []
        for pid in ("ann", "bob"):
            person = Person(client, "two-groups", PROLIFIC_PID=pid)
            await person.start()
            tokens.append(person.token)
            (tmp_path / "allowed_ids.txt").write_text("ann\nbob\n")
        return tokens

    folder = folder_of(paid_study(links="listed"), tmp_path)
    (folder / "allowed_ids.txt").write_text("ann\n")
    with server(folder) as app:
        assert all(played(app, play))


def test_an_id_can_be_required_without_a_list(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        without, with_id = Person(client, "two-groups"), Person(client, "two-groups", PROLIFIC_PID="ann")
        return [(await person.start()).status_code for person in (without, with_id)]

    with server(folder_of(paid_study(ids="required"), tmp_path)) as app:
        assert played(app, play) == [200, 201]


def test_only_so_many_people_start_in_an_hour(tmp_path: Path) -> None:
    clock = Hands()

    async def play(client: httpx.AsyncClient) -> list[int]:
        statuses = []
        for number in range(4):
            clock.ms += 1_800_000 if number == 3 else 0
            person = Person(client, "two-groups", PROLIFIC_PID=str(number % 3))
            statuses.append(
                (await client.post(f"{person.base}/start", json={"recruiter": person.recruiter})).status_code
            )
        return statuses

    with server(folder_of(paid_study(new_per_hour=2), tmp_path), clock=clock) as app:
        assert played(app, play) == [201, 429, 429, 200]


@pytest.mark.parametrize(("results", "n_told"), [("shown", 1), ("total", 0), ("hidden", 0)])
def test_a_page_that_discloses_results_does_so_only_where_results_are_shown(
    tmp_path: Path, results: Any, n_told: int
) -> None:
    rule = {"rule": "share_correct", "block": "predict", "question": "guess"}
    page = {"kind": "screen", "block_id": "told", "purpose": "questionnaire",
            "task": {"name": "disclosure", "params": {"rules": [rule]}}}  # fmt: skip
    study = study_of(stage("predict"), page, access={"results": results})

    async def play(client: httpx.AsyncClient) -> int:
        person = Person(client, "two-groups")
        await person.start()
        while person.state["step"]["trial"]["task"] != "disclosure":
            await person.answer()
        return len(person.state["step"]["feedback"]["results"])

    with server(folder_of(study, tmp_path)) as app:
        assert played(app, play) == n_told
    assert ("The page 'told' tells results." in secrecy_sentences(prepare(study, Path()))) == bool(n_told)


@pytest.mark.parametrize(
    ("access", "said"),
    [
        ({}, ["The page 'results' tells results.", "The end tells the bonus", "Anybody can come back"]),
        ({"results": "total"}, ["The end tells the whole pay", "Anybody can come back"]),
        ({"results": "hidden"}, ["No reply tells"]),
        ({"links": "signed"}, ["The page 'results'", "The end tells the bonus", "Nobody can try again"]),
    ],
    ids=str,
)
def test_check_says_what_a_study_reveals(access: dict[str, Any], said: list[str]) -> None:
    sentences = secrecy_sentences(prepare(paid_study(**access), Path()))
    assert len(sentences) == len(said)
    assert all(sentence.startswith(start) for sentence, start in zip(sentences, said, strict=True))


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"applies": "at_close", "pay_share": 0.5}, "The end tells the base pay (field ended.pay.base)"),
        (
            {"applies": "live"},
            "After block 'predict', the study ends for some people by whether their answers are right",
        ),
        ({"applies": "at_close"}, "The exclusion 'poor' depends on whether answers are right, and frees a place"),
        ({"applies": "at_close", "rule": "n_right == 5"}, "The exclusion 'poor' depends on whether answers are right"),
        ({"applies": "at_close", "rule": "same_answer >= 1"}, "No reply tells whether answers are right"),
    ],
    ids=str,
)
def test_check_walks_into_exclusions_that_tell_answers_though_results_are_hidden(rule: Any, said: str) -> None:
    exclusion = {"exclusion_id": "poor", "rule": "n_right < 7", "reason": "Too few were right.", **rule}
    study = Study.model_validate({**paid_study(results="hidden").model_dump(mode="json"), "exclusions": [exclusion]})
    assert secrecy_sentences(prepare(study, Path()))[0].startswith(said)


def test_check_says_that_one_link_can_be_used_for_rounds_without_end() -> None:
    study = paid_study(links="signed", restart_after_erasing=True)
    last = secrecy_sentences(prepare(study, Path()))[-1]
    assert last.startswith("Each person needs a signed link, but can erase, start again and find the answers by trying")


def test_a_gate_without_end_is_walked_in_bounded_time() -> None:
    endless = stage("predict", gate={"at_least": 1, "tries": "unlimited"})
    sentences = secrecy_sentences(prepare(study_of(endless), Path()))
    assert "After block 'predict'" in sentences[0]
    assert sentences[-1].startswith("Not walked: pages after the first")
