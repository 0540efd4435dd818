"""The study of docs/how-to/own-pictures.md in the browser: one person of each arm, and a clock that waits for pictures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.house.test_docs import DOCS, fences, named, of_libraries
from tests.journeys.player_hands import Hands
from tests.journeys.player_stage import Stage, served, visiting
from understudy.actions.study_files import read_study
from understudy.prepare import read_prepared
from understudy.protocols.hase2020.lessons import LESSONS, screening_key
from understudy.schema import AssignmentRule, Heatmap, ResponseGiven, SessionStarted, Study, Trial, TrialShown

PAGE = DOCS / "how-to" / "own-pictures.md"
ARMS = {"gradient", "input_gradient", "control"}
RIGHT = screening_key(tuple(LESSONS))
_BROKEN = (
    "[...document.images].filter((image) => !(image.complete && image.naturalWidth > 0)).map((image) => image.src)"
)
_BLANK = """[...document.querySelectorAll('.stage canvas')].filter((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size < 8; }).length"""
_KIND = """() => [document.querySelector('.stage').dataset.task, ...['.heatmap', '.picture', '[data-question=rating]',
  '[data-question=prediction]'].filter((part) => document.querySelector(`.stage ${part}`))].join(' ')"""


class Walk(NamedTuple):
    """What one person met."""

    faults: list[str]
    kinds: dict[str, int]


class Person(Hands):
    """Answers everything that is required, and looks at every screen."""

    def answer(self) -> None:
        """Pass the screening test, and choose the first option or a point in the middle elsewhere."""
        for question in self.page.locator(".stage fieldset.question:not(:has(.optional))").all():
            name = str(question.get_attribute("data-question"))
            if question.locator(".point").count():
                self.point(name, 4)
            elif name in RIGHT:
                self.choose(RIGHT[name])
            else:
                question.locator("input").first.check()

    def walk(self, *, until: str = "end") -> Walk:
        """Go on to a kind of screen or to the end, and say what was wrong on the way."""
        told = Walk([], {})
        while self.task() != "end" and (kind := self.kind()) != until:
            told.kinds[kind] = told.kinds.get(kind, 0) + 1
            told.faults.extend(f"{kind}: no picture at {source}" for source in self.page.evaluate(_BROKEN))
            n_blank = int(self.page.evaluate(_BLANK))
            told.faults.extend([f"{kind}: {n_blank} blank maps"] if n_blank else [])
            self.answer()
            self.go_on()
        return told

    def kind(self) -> str:
        """Say what is on the screen."""
        return str(self.page.evaluate(_KIND))


@pytest.fixture(scope="module")
def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the lines of the page have run, with gradients in place of captum."""
    pytest.importorskip("torch", reason="torch is not installed, and the page trains a net")
    folder = tmp_path_factory.mktemp("own-pictures")
    space: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for fence in fences(PAGE):
            if fence.language == "python" and not of_libraries(fence.text):
                exec(compile(fence.text, named(PAGE), "exec"), space)
    return folder


@pytest.fixture(scope="module")
def study(own_folder: Path) -> Study:
    """The study with one place in each arm, and without the exclusion of people who answer as fast as a program."""
    read = read_study(own_folder / "my-photos.toml")
    return read.model_copy(update={"exclusions": (), "assignment": AssignmentRule(quota=1)})


@pytest.fixture(scope="module")
def gallery(own_folder: Path, study: Study) -> Iterator[Stage]:
    with served(study, own_folder / "runs" / "served", root=own_folder) as stage:
        yield stage


def trials_of(stage: Stage, block_id: str) -> dict[str, list[Trial]]:
    """Return the trials of a block for each method, under no name where it is the same for all."""
    materials = read_prepared(stage.folder).materials
    return {
        trial_set.levels.get("method", ""): [materials.trials[trial_id] for trial_id in trial_set.trial_ids]
        for trial_set in materials.trial_sets
        if trial_set.block_id == block_id
    }


def photo_of(trial: Trial) -> str:
    """Return the address of the photo that a trial shows."""
    content = trial.params["content"]
    assert isinstance(content, dict)
    return str(content["image"])


def test_all_arms_share_all_items_and_every_picture_is_published_once(gallery: Stage) -> None:
    examples, explained = trials_of(gallery, "examples")[""], trials_of(gallery, "explained")
    learned = {**explained, "control": trials_of(gallery, "examples_again")[""]}
    shown = {method: [trial.stimulus_id for trial in trials] for method, trials in learned.items()}
    assert shown == {arm: [trial.stimulus_id for trial in examples] for arm in ARMS}
    pictures = {photo_of(trial) for trial in (*examples, *trials_of(gallery, "predict_before")[""])}
    assert len(pictures) == 16
    # The one file more is the picture of the lesson.
    assert len(read_prepared(gallery.folder).materials.assets) == 17


def test_a_heat_map_shows_the_very_file_of_its_item_on_the_scale_of_its_method(gallery: Stage) -> None:
    for trials in trials_of(gallery, "explained").values():
        maps = [trial.explanation for trial in trials if isinstance(trial.explanation, Heatmap)]
        assert [one.picture.file for one in maps] == [photo_of(trial) for trial in trials]
        assert len({one.limits for one in maps}) == 1
        assert {layer.label for one in maps for layer in one.layers} == {""}


def test_one_person_of_each_arm_sees_every_picture(gallery: Stage, browser: Browser) -> None:
    walks = []
    for _ in ARMS:
        with visiting(browser) as context:
            page = context.new_page()
            page.goto(gallery.address)
            walks.append(Person(page).walk())
    started = [event for event in gallery.events() if isinstance(event, SessionStarted)]
    arms = [event.assignment.levels["method"] for event in started]
    answered = [event for event in gallery.events() if isinstance(event, ResponseGiven)]
    assert {*arms} == ARMS
    assert [fault for walk in walks for fault in walk.faults] == []
    for arm, walk in zip(arms, walks, strict=True):
        assert walk.kinds.get("judge .heatmap .picture [data-question=rating]", 0) == (0 if arm == "control" else 8)
        assert walk.kinds["judge .picture [data-question=prediction]"] == 16
    assert sum("prediction" in event.response for event in answered) == 3 * 16
    assert sum("rating" in event.response for event in answered) == 2 * 8


def test_the_clock_of_a_heat_map_starts_after_its_delayed_photo(
    own_folder: Path, study: Study, page: Page, tmp_path: Path
) -> None:
    arm = study.model_copy(
        update={"conditions": tuple(cell for cell in study.cells if cell.levels["method"] == "gradient")}
    )
    with served(arm, tmp_path / "run", root=own_folder) as stage:
        photos = {photo_of(trial) for trial in trials_of(stage, "explained")["gradient"]}
        page.goto(stage.address)
        person = Person(page)
        person.walk(until="judge .picture [data-question=prediction]")
        held: list[Route] = []
        released_ms: list[float] = []
        # Intercepting files also switches the cache of the browser off, so a reloaded page fetches them again.
        page.route(
            lambda url: url.rsplit("/", 1)[-1] in photos,
            lambda route: route.continue_() if released_ms else held.append(route),
        )
        page.reload()
        for _ in range(8):
            person.task()
            person.answer()
            page.evaluate("document.querySelector('.stage .card').dataset.mark = 'old'")
            page.click(".card .primary")
            page.wait_for_selector(".card[data-mark=old]", state="detached")
        page.wait_for_selector(".loading h1")
        is_drawn_before = page.locator(".heatmap, .item, .asked").count()
        released_ms.append(page.evaluate("Date.now()"))
        for route in held:
            route.continue_()
        person.task()
        page.wait_for_selector(".heatmap canvas")
        person.answer()
        person.go_on()
        given = next(
            event for event in stage.events() if isinstance(event, ResponseGiven) and "rating" in event.response
        )
        [told] = [
            event for event in stage.events() if isinstance(event, TrialShown) and event.trial_id == given.trial_id
        ]
    assert is_drawn_before == 0
    assert released_ms[0] < told.at_ms
    assert given.rt_ms < given.at_ms - released_ms[0]
