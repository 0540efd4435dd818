"""The parts of a longitudinal study: who may come back and when, in which condition, and what both say together."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest
from starlette.applications import Starlette

from tests.serve.stage_door import ADMIN, GENEROUS, SECRET, Hands, Person, folder_of, played
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.actions.casts import MIXED
from understudy.actions.parts import Inviting, invitations, joined_parts, with_earlier_parts
from understudy.actions.rehearse import Back, rehearse_later_part, rehearse_run
from understudy.actions.run_folder import Run, existing_run
from understudy.actions.serve import served_from_folder
from understudy.schema.study import DAY_MS, FollowUp
from understudy.serve import close_app, create_app
from understudy.serve.access import Keyring

FOLLOWS = FollowUp(study="part-1", after_days=7, within_days=14)


@pytest.fixture
def parts(tmp_path: Path) -> tuple[Path, Path]:
    first = two_groups(name="part-1", assignment={"quota": 60})
    second = first.model_copy(update={"name": "part-2", "follows": FOLLOWS})
    return folder_of(first, tmp_path / "part-1"), folder_of(second, tmp_path / "part-2")


@contextmanager
def both(parts: tuple[Path, Path], clock: Hands) -> Iterator[Starlette]:
    studies = with_earlier_parts([served_from_folder(folder) for folder in parts], ())
    app = create_app(
        studies, secret=SECRET, admin_token=ADMIN, clock=clock, settings=GENEROUS, seconds=lambda: clock() / 1000
    )
    try:
        yield app
    finally:
        close_app(app)
        for study in studies:
            study.log.close()


def answers(parts: tuple[Path, Path], play: Callable[[httpx.AsyncClient, Hands], Any]) -> Any:
    clock = Hands()
    with both(parts, clock) as app:
        return played(app, lambda client: play(client, clock))


async def finished(client: httpx.AsyncClient, clock: Hands, pid: str) -> Person:
    person = Person(client, "part-1", PROLIFIC_PID=pid)
    await person.start()
    while person.state.get("ended") is None:
        clock.ms += 5000
        await person.answer()
    return person


@pytest.mark.parametrize(("days", "said"), [(3, "early"), (10, None), (20, "late")])
def test_a_later_part_is_open_in_its_days_only(parts: tuple[Path, Path], days: float, said: str | None) -> None:
    async def play(client: httpx.AsyncClient, clock: Hands) -> Any:
        await finished(client, clock, "a")
        clock.ms += round(days * DAY_MS)
        return (await Person(client, "part-2", PROLIFIC_PID="a").start()).json().get("refused")

    assert answers(parts, play) == said


def test_only_people_who_completed_the_earlier_part_may_come(parts: tuple[Path, Path]) -> None:
    async def play(client: httpx.AsyncClient, clock: Hands) -> Any:
        await Person(client, "part-1", PROLIFIC_PID="begun").start()
        clock.ms += 8 * DAY_MS
        people = [Person(client, "part-2", PROLIFIC_PID="begun"), Person(client, "part-2", PROLIFIC_PID="new")]
        return [(await person.start()).json()["refused"] for person in (*people, Person(client, "part-2"))]

    assert answers(parts, play) == ["uninvited"] * 3


def test_people_keep_their_condition_and_their_pseudonym(parts: tuple[Path, Path]) -> None:
    async def play(client: httpx.AsyncClient, clock: Hands) -> None:
        for pid in "abcd":
            await finished(client, clock, pid)
        clock.ms += 8 * DAY_MS
        for pid in "dbca":
            await Person(client, "part-2", PROLIFIC_PID=pid).start()

    answers(parts, play)
    kept = []
    for folder in parts:
        run = existing_run(folder)
        with run.open_log() as log:
            kept.append({one.participant_id: one.condition for one in log.summaries(run.script.study.name)})
    assert kept[0] == kept[1]
    assert len(kept[0]) == 4


def test_invitations_are_signed_links_for_those_whose_time_has_come(parts: tuple[Path, Path]) -> None:
    clock_at: list[int] = []

    async def play(client: httpx.AsyncClient, clock: Hands) -> None:
        await finished(client, clock, "a")
        await Person(client, "part-1", PROLIFIC_PID="b").start()
        clock_at.append(clock.ms)

    answers(parts, play)
    keyring = Keyring(SECRET)
    inviting = Inviting(existing_run(parts[0]), existing_run(parts[1]), "https://study.example/", keyring)
    found = {days: list(invitations(inviting, clock_at[0] + days * DAY_MS)) for days in (1, 8, 30)}
    assert {days: [each.standing for each in each_day] for days, each_day in found.items()} == {
        1: ["early"], 8: ["welcome"], 30: ["late"]
    }  # fmt: skip
    assert found[8][0].link == (
        f"https://study.example/s/part-2?PROLIFIC_PID=a&signature={keyring.link_signature('part-2', 'a')}"
    )


@pytest.fixture
def rehearsed(parts: tuple[Path, Path]) -> tuple[Run, Run]:
    first, second = map(existing_run, parts)
    rehearse_run(first, MIXED, seed=3, n_people=80)
    rehearse_later_part(second, MIXED, Back(parts[0], 0.7), seed=3)
    return first, second


def test_simulated_people_come_back_with_the_stated_probability(rehearsed: tuple[Run, Run]) -> None:
    joined = joined_parts(*rehearsed)
    n_invited, n_came = (sum(getattr(row, name) for row in joined.flow) for name in ("n_invited", "n_came"))
    assert joined.is_synthetic
    # Three standard errors around the stated share.
    assert abs(n_came / n_invited - 0.7) < 3 * (0.7 * 0.3 / n_invited) ** 0.5


def test_both_parts_are_joined_person_by_person(rehearsed: tuple[Run, Run]) -> None:
    joined = joined_parts(*rehearsed)
    back = joined.people[joined.people["came_back"]]
    assert (back["condition_1"] == back["condition_2"]).all()
    assert joined.people["participant"].is_unique
    assert "accuracy" in joined.compared or "n_answers" in joined.compared
    name = joined.compared[0]
    expected = back[f"{name}_2"].astype(float) - back[f"{name}_1"].astype(float)
    pd.testing.assert_series_equal(back[f"change_{name}"], expected, check_names=False)


def test_a_part_that_follows_nothing_is_told_in_a_sentence(parts: tuple[Path, Path], tmp_path: Path) -> None:
    shown = understudy("join", parts[1], parts[0], "--out", tmp_path / "x.csv")
    assert (shown.code, "follows no earlier part" in shown.err) == (2, True)


def test_a_later_part_is_not_served_without_its_earlier_one(parts: tuple[Path, Path]) -> None:
    shown = understudy("serve", parts[1])
    assert (shown.code, "--earlier-part" in shown.err) == (2, True)


def test_an_analysis_of_joined_simulated_people_says_so(rehearsed: tuple[Run, Run], tmp_path: Path) -> None:
    table, plan = tmp_path / "both.csv", tmp_path / "plan.toml"
    joined_parts(*rehearsed).people.to_csv(table, index=False)
    plan.write_text(
        'title = "Change"\nsource = "both parts"\n[table]\nparticipant = "participant"\n'
        '[[measures]]\nname = "gain"\nvalue = "change_n_answers"\nunit = "session"\nscale = "continuous"\nbetter = "higher"\n'
        '[[plan.outcomes]]\nname = "gain"\nmeasure = "gain"\n'
        '[[plan.descriptions]]\ndescription_id = "D1"\noutcome = "gain"\n',
        encoding="utf-8",
    )
    shown = understudy("analyze", table, "--plan", plan)
    assert (shown.code, "SYNTHETIC" in shown.out) == (0, True)
