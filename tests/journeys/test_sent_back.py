"""From a link of Prolific through the study and back, in Chromium: each of six endings with the code of its own."""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.fake_prolific import FakeProlific, api_of
from tests.journeys.player_hands import Hands
from tests.journeys.player_stage import SECRET, Stage, served, visiting
from tests.paid_studies import paid_plain
from tests.small_studies import numbered_items
from understudy.actions.recruit import PlatformFile, ProlificPlatform
from understudy.recruiters.prolific import Prolific, draft_from
from understudy.schema import Study
from understudy.schema.study import SENT_BACK
from understudy.serve.access import Keyring

BACK = "https://app.prolific.com/submissions/complete"


class Recruited(NamedTuple):
    """A served study, and the platform its people come from."""

    stage: Stage
    fake: FakeProlific

    def link(self, name: str) -> str:
        """Take a place at the platform, and return the link that it makes for this person."""
        assert self.fake.enter("study0", name) is not None
        written = self.fake.studies["study0"]["external_study_url"].replace(
            "https://study.example", _origin(self.stage)
        )
        return str(written).replace("{{%PROLIFIC_PID%}}", name).replace("{{%SESSION_ID%}}", f"sub-{name}")


def _origin(stage: Stage) -> str:
    return stage.address.rpartition("/s/")[0]


def two_cases() -> Study:
    """The paid study with one place in each condition and two items."""
    items = {"name": "cases", "n_items": 2, "dataset": numbered_items(2, answer=["yes", "no"])}
    return Study.model_validate(paid_plain(item_sets=[items], assignment={"quota": 1}))


@pytest.fixture(scope="module")
def recruited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recruited]:
    fake, study, keyring = FakeProlific(secret="a secret"), two_cases(), Keyring(SECRET)
    draft = draft_from(
        study, Prolific(), "https://study.example", lambda ending: keyring.outcome_code(study.name, ending)
    )
    api = api_of(fake)
    api.create_study({**draft, "total_available_places": 100})
    api.transition_study("study0", "PUBLISH")
    platform = ProlificPlatform(api, PlatformFile(study_id="study0", webhook_secret=fake.secret))
    with served(study, tmp_path_factory.mktemp("run"), platform=platform) as stage:
        yield Recruited(stage, fake)


def declined(page: Page, _recruited: Recruited) -> None:
    page.get_by_role("button", name="I do not agree", exact=True).click()


def _agreed(page: Page) -> Hands:
    page.get_by_role("button", name="I agree", exact=True).click()
    expect(page.locator("[data-question=ready]")).to_be_visible()
    return Hands(page)


def screened_out(page: Page, _recruited: Recruited) -> None:
    hands = _agreed(page)
    hands.choose("no")
    hands.go_on()


def withdrew(page: Page, _recruited: Recruited) -> None:
    _agreed(page)
    page.get_by_role("button", name="Stop", exact=True).click()
    page.locator("dialog").get_by_role("button", name="Stop", exact=False).first.click()


def abandoned(page: Page, recruited: Recruited) -> None:
    hands = _agreed(page)
    recruited.fake.leave("sub-abandoned", "TIMED-OUT")
    told = {"event_type": "submission.status.change", "resource_id": "sub-abandoned"}
    message = recruited.fake.message(told, int(time.time()))
    headers = {**message.headers, "content-type": "application/json"}
    httpx.post(
        f"{_origin(recruited.stage)}/api/s/two-groups/webhook", content=message.body, headers=headers
    ).raise_for_status()
    hands.choose("yes")
    page.click(".card .primary")


def completed(page: Page, _recruited: Recruited) -> None:
    hands = _agreed(page)
    for answer in ("yes", "some", "yes", "yes"):
        hands.choose(answer)
        hands.go_on()
    hands.go_on()


def full(page: Page, recruited: Recruited) -> None:
    """Meet a study whose last place somebody else holds."""


ENDINGS: tuple[Callable[[Page, Recruited], None], ...] = (declined, screened_out, withdrew, abandoned, completed, full)


def test_each_ending_leads_back_with_its_own_code(recruited: Recruited, browser: Browser) -> None:
    codes = {Keyring(SECRET).outcome_code("two-groups", ending): ending for ending in SENT_BACK}
    found = []
    for ending in ENDINGS:
        if ending is full:
            with visiting(browser) as window:
                holder = window.new_page()
                holder.goto(recruited.link("holder"))
                _agreed(holder)
        with visiting(browser) as window:
            page = window.new_page()
            page.route(f"{BACK}*", _thanked)
            page.goto(recruited.link(ending.__name__))
            ending(page, recruited)
            # Somebody who has to go back must not be told to leave.
            expect(page.locator(".stage")).not_to_contain_text("You can close this window")
            page.get_by_role("link", name="Return to where you signed up").click()
            page.wait_for_url(f"{BACK}*")
            found.append(codes[parse_qs(urlsplit(page.url).query)["cc"][0]])
    assert found == [ending.__name__ for ending in ENDINGS]


def _thanked(route: Route) -> None:
    """Answer in the place of Prolific."""
    route.fulfill(status=200, body="Thank you.")
