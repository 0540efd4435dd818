"""What goes wrong in real life: reloads, dead connections, second tabs."""

from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.player_hands import RIGHT, Hands
from tests.journeys.player_stage import Stage
from tests.journeys.test_player_journeys import SCREENS
from understudy.schema import Event, Interacted, ResponseGiven, TrialShown


def page_events(stage: Stage) -> list[Event]:
    return [event for event in stage.events() if event.stream == "page"]


def test_a_reload_at_every_screen_comes_back_to_the_same_trial_and_its_draft(film_stage: Stage, page: Page) -> None:
    stage = film_stage
    page.goto(stage.address)
    hands = Hands(page)
    lost: list[str] = []

    def reload(task: str) -> None:
        heading = hands.heading()
        hands.answer()
        before = page.evaluate(FORM)
        page.reload()
        hands.task()
        if (hands.heading(), page.evaluate(FORM)) != (heading, before):
            lost.append(f"{task}: {before} became {page.evaluate(FORM)}")

    hands.play(reload)
    code = page.inner_text(".code")
    page.reload()
    assert (hands.task(), page.inner_text(".code")) == ("end", code)
    assert set(hands.seen) == set(SCREENS)
    shown = [event.step for event in page_events(stage) if isinstance(event, TrialShown)]
    assert lost == []
    assert shown == sorted(set(shown))
    assert [event.seq for event in page_events(stage)] == list(range(1, len(page_events(stage)) + 1))


FORM = """[...document.querySelectorAll('.question input, .question textarea, .question .track, .ranking')].map(one =>
  one.matches('.track') ? one.className : one.matches('.ranking') ? one.innerText :
  one.type === 'radio' || one.type === 'checkbox' ? one.checked : one.value)"""

KEEPS_NOTHING = """
  const denied = () => { throw new DOMException('denied', 'SecurityError'); };
  navigator.locks.request = async () => denied();
  indexedDB.open = denied;
  for (const name of ['sessionStorage', 'localStorage']) Object.defineProperty(window, name, { get: denied });
"""
"""What a browser does whose owner lets no site keep anything."""


def test_a_browser_that_keeps_nothing_takes_part_all_the_same(stage: Stage, page: Page) -> None:
    page.add_init_script(KEEPS_NOTHING)
    page.goto(stage.address)
    Hands(page, n_wrong=0).play()
    assert page.locator(".code").count() == 1


def answered_offline(stage: Stage, page: Page, context: BrowserContext) -> Hands:
    page.goto(stage.address)
    hands = Hands(page, n_wrong=0)
    hands.play(until="questionnaire")
    context.set_offline(True)
    hands.choose(RIGHT)
    page.click(".card .primary")
    return hands


def test_an_answer_given_without_a_connection_is_kept_and_sent(
    stage: Stage, page: Page, context: BrowserContext
) -> None:
    answered_offline(stage, page, context)
    expect(page.locator(".banner")).to_have_text(
        "You are offline. Your answers are safe, and we will send them as soon as you are connected again."
    )
    page.wait_for_event("requestfailed", lambda request: request.url.endswith("/events"))
    context.set_offline(False)
    page.wait_for_selector("[data-task=judge] .card")
    expect(page.locator(".banner")).to_be_hidden()
    answers = [event.response for event in page_events(stage) if isinstance(event, ResponseGiven)]
    assert answers[-1] == {"who": RIGHT}
    assert len(answers) == 4


def test_an_answer_on_its_way_can_no_longer_be_changed(stage: Stage, page: Page, context: BrowserContext) -> None:
    hands = answered_offline(stage, page, context)
    expect(page.locator(".banner")).to_be_visible()
    hands.option("My own").click(force=True)
    expect(hands.option(RIGHT).locator("input")).to_be_checked()
    context.set_offline(False)
    page.wait_for_selector("[data-task=judge] .card")


def test_a_reload_without_having_been_acknowledged_sends_what_was_kept(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    hands = Hands(page, n_wrong=0)
    hands.play(until="questionnaire")
    page.route("**/events", lambda route: route.abort())
    hands.choose(RIGHT)
    page.click(".card .primary")
    expect(page.locator(".banner")).to_be_visible()
    page.unroute("**/events")
    page.reload()
    page.wait_for_selector("[data-task=judge] .card")
    assert [e.response for e in page_events(stage) if isinstance(e, ResponseGiven)][-1] == {"who": RIGHT}


def test_two_tabs_do_not_fight(stage: Stage, page: Page, context: BrowserContext) -> None:
    page.goto(stage.address)
    hands = Hands(page, n_wrong=0)
    hands.play(until="questionnaire")
    other = context.new_page()
    other.goto(stage.address)
    expect(other.get_by_role("heading", name="This study is open in another tab")).to_be_visible()
    other.get_by_role("button", name="Continue here").click()
    other.wait_for_selector("[data-task=questionnaire] .card")
    expect(page.get_by_role("heading", name="You continued in another tab")).to_be_visible()
    Hands(other, n_wrong=0).play()
    assert other.locator(".code").count() == 1


def test_leaving_the_page_is_told(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    hands = Hands(page, n_wrong=0)
    hands.play(until="questionnaire")
    page.evaluate("window.dispatchEvent(new Event('blur')); window.dispatchEvent(new Event('focus'))")
    hands.answer()
    hands.go_on()
    hands.task()
    told = [event.action for event in page_events(stage) if isinstance(event, Interacted)]
    assert [one for one in told if "focus" in one] == ["focus_lost", "focus_gained"]


def test_time_at_work_is_never_longer_than_time_on_the_screen(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    Hands(page, n_wrong=0).play(until="judge")
    answers = [event for event in page_events(stage) if isinstance(event, ResponseGiven)]
    assert all(0 < (answer.active_ms or 0) <= answer.rt_ms for answer in answers)
