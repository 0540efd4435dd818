"""Each way to end a session leads back to the recruiter with a code of its own, the same for everybody."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.paid_studies import PROLIFIC, paid_study
from tests.serve.stage_door import GENEROUS, SECRET, Hands, Person, answering, folder_of, played, server
from tests.serve.test_withdrawal import withdraw
from understudy.schema.study import SENT_BACK
from understudy.serve import Settings
from understudy.serve.access import Keyring

STUDY = "two-groups"
CODES = {Keyring(SECRET).outcome_code(STUDY, ending): ending for ending in SENT_BACK}


def ending_in(address: str) -> str:
    """The ending whose code an address carries."""
    assert address.startswith("https://app.prolific.com/submissions/complete?cc=")
    return CODES[parse_qs(urlsplit(address).query)["cc"][0]]


@pytest.mark.parametrize(
    ("answers", "ending"),
    [
        ({}, "completed"),
        ({"consent": "I do not agree"}, "declined"),
        ({"ready": "no"}, "screened_out"),
        ({"effort": "none"}, "excluded"),
    ],
)
def test_the_code_says_how_the_session_ended(tmp_path: Path, answers: dict[str, str], ending: str) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, STUDY, PROLIFIC_PID="ann")
        await person.start()
        return await person.finish(answering(**answers))

    with server(folder_of(paid_study(), tmp_path)) as app:
        ended = played(app, play)
    assert (ended["outcome"], ending_in(ended["redirect"])) == (ending, ending)


@pytest.mark.parametrize("erase", [False, True])
def test_somebody_who_stops_is_sent_back_without_a_code_that_pays(tmp_path: Path, erase: bool) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, STUDY, PROLIFIC_PID="ann")
        await person.start()
        await person.answer()
        return await withdraw(person, erase=erase)

    with server(folder_of(paid_study(), tmp_path)) as app:
        assert ending_in(played(app, play)["ended"]["redirect"]) == "withdrew"


def test_the_late_and_those_who_find_the_study_full_are_sent_back(tmp_path: Path) -> None:
    clock = Hands()

    async def play(client: httpx.AsyncClient) -> Any:
        people = [Person(client, STUDY, PROLIFIC_PID=str(number)) for number in range(3)]
        turned_away = [await person.start() for person in people][-1]
        clock.ms += 3 * 60 * 60 * 1000
        await Person(client, STUDY, PROLIFIC_PID="next").start()
        return turned_away.json()["redirect"], (await people[0].fetch())["ended"]["redirect"]

    with server(folder_of(paid_study(assignment={"quota": 1}), tmp_path), clock=clock) as app:
        full, late = played(app, play)
    assert (ending_in(full), ending_in(late)) == ("full", "abandoned")


def test_every_ending_has_another_code_and_every_study_others() -> None:
    others = {Keyring(SECRET).outcome_code("another", ending) for ending in SENT_BACK}
    assert len(CODES) == len(SENT_BACK)
    assert not others & set(CODES)


def test_an_address_of_the_researchers_own_wins(tmp_path: Path) -> None:
    own = Settings(completion_urls={STUDY: "https://lab.example/{outcome}"}, session_burst=GENEROUS.session_burst)

    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, STUDY, PROLIFIC_PID="ann")
        await person.start()
        return await person.finish()

    with server(folder_of(paid_study(), tmp_path), settings=own) as app:
        assert played(app, play)["redirect"] == "https://lab.example/completed"


def test_sona_grants_credit_to_the_survey_code_of_the_link(tmp_path: Path) -> None:
    credit = "https://lab.sona-systems.com/webstudy_credit.aspx?credit_token=abc&survey_code=XXXX"
    sona = {**PROLIFIC, "recruiter": {"name": "sona", "params": {"credit_url": credit}}}

    async def play(client: httpx.AsyncClient) -> Any:
        people = [Person(client, STUDY, survey_code=code) for code in ("17", "18")]
        for person in people:
            await person.start()
        return (await people[0].finish())["redirect"], (await people[1].finish(answering(ready="no")))["redirect"]

    with server(folder_of(paid_study(recruitment=sona), tmp_path)) as app:
        assert played(app, play) == (credit.replace("XXXX", "17"), None)


def test_mechanical_turk_gets_the_assignment_unless_the_link_leads_elsewhere(tmp_path: Path) -> None:
    turk = {**PROLIFIC, "recruiter": "mturk"}

    async def play(client: httpx.AsyncClient) -> list[Any]:
        found = []
        for worker, host in (("a", "https://workersandbox.mturk.com"), ("b", "https://evil.example")):
            person = Person(client, STUDY, workerId=worker, assignmentId="3X", turkSubmitTo=host)
            await person.start()
            found.append((await person.finish())["redirect"])
        return found

    with server(folder_of(paid_study(recruitment=turk), tmp_path)) as app:
        submitted, refused = played(app, play)
    assert submitted.startswith("https://workersandbox.mturk.com/mturk/externalSubmit?assignmentId=3X&code=")
    assert refused is None
