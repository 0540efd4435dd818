"""Somebody who reads every byte over many rounds and many ids learns nothing where check promised secrecy.

The worlds of a study differ only in which answers are right, and everybody gives the same answers in each. Bytes that differ
between worlds are all that an attacker could use.
"""

import itertools
import json
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
import pytest

from tests.playing import stage, study_of
from tests.serve.stage_door import Hands, Person, folder_of, played, server
from understudy.check.secrecy import secrecy_sentences
from understudy.prepare import prepare
from understudy.schema import Study

LEVELS = (0, 5, 6, 12)
MEASURES = [
    {"name": "correct", "measure": "correct"},
    {"name": "n_right", "measure": "correct", "summary": "sum"},
    {"name": "same_answer", "measure": {"name": "straight_lining", "params": {"question": "guess"}}},
]
RULES: dict[str, dict[str, Any]] = {
    "none": {},
    "live": {"rule": "n_right < 6", "applies": "live"},
    "close": {"rule": "n_right == 5"},
    "half pay": {"rule": "n_right < 6", "pay_share": 0.5},
    "no bonus": {"rule": "n_right < 6", "keeps_bonus": False},
    "own answers": {"rule": "same_answer > 2"},
}
GATES: dict[str, dict[str, Any]] = {
    "none": {}, "out": {"on_fail": "screen_out"}, "on": {"on_fail": "go_on"}, "again": {"on_fail": "go_on", "tries": 2},
}  # fmt: skip


class Kind(NamedTuple):
    """What a study tells, and whom it lets in."""

    links: str
    results: str
    feedback: str | None
    rule: str
    gate: str
    has_bonus: bool
    restarts: bool


SPACE = [
    Kind(*parts)
    for parts in itertools.product(
        ("open", "listed", "signed"), ("shown", "total", "hidden"), (None, "per_trial", "after_stage"), RULES, GATES,
        (True, False), (True, False),
    )
]  # fmt: skip
CHOSEN = [
    Kind("open", "hidden", None, "close", "none", has_bonus=True, restarts=False),
    Kind("open", "hidden", None, "own answers", "on", has_bonus=True, restarts=False),
    Kind("signed", "hidden", None, "half pay", "none", has_bonus=False, restarts=True),
    Kind("signed", "shown", "per_trial", "none", "again", has_bonus=True, restarts=False),
]


def study_like(kind: Kind, seed: int) -> Study:
    more: dict[str, Any] = {} if kind.feedback is None else {"feedback": kind.feedback}
    if kind.gate != "none":
        more["gate"] = {"at_least": 0.5, **GATES[kind.gate]}
    rules = [{"exclusion_id": "poor", "reason": "Left out.", **RULES[kind.rule]}] if kind.rule != "none" else []
    bonuses = [{"measure": "n_right", "per_unit": 0.1}] if kind.has_bonus else []
    access = {"links": kind.links, "results": kind.results, "restart_after_erasing": kind.restarts}
    return study_of(
        stage("predict", **more), name="attacked", seed=seed, assignment={"quota": 2}, measures=MEASURES, exclusions=rules,
        pay={"base": 2, "bonuses": bonuses}, access=access,
    )  # fmt: skip


def read(got: httpx.Response) -> tuple[int, bytes]:
    """A reply without what is drawn anew for each session."""
    plain = re.sub(rb'"(token|code)":"[^"]*"', b"", got.content)
    return got.status_code, re.sub(rb'"(trial_id|block_id|block)":"[^"]*"', b"", plain)


def bytes_read(folder: Path, study: Study) -> list[tuple[int, bytes]]:
    """Everything that an attacker reads who says yes to all, under new ids or again and again under the one they have."""
    found: list[tuple[int, bytes]] = []
    is_one_person = study.access.links != "open"
    (folder / "allowed_ids.txt").write_text("me\n")

    async def play(client: httpx.AsyncClient) -> None:
        server_state = client._transport.app.state.server  # type: ignore[attr-defined]
        for number in range(2 if is_one_person else 5):
            client.cookies.clear()
            name = "me" if is_one_person else f"invented-{number}"
            proof = {"signature": server_state.keyring.link_signature("attacked", name)} if is_one_person else {}
            person = Person(client, "attacked", participant_id=name, **proof)
            found.append(read(await person.start()))
            while person.token and person.state["ended"] is None:
                found.append(read(await person.answer()))
            if is_one_person and person.token:
                end = await client.post(f"{person.base}/withdraw", json={"erase": True}, headers=person.headers)
                found.append(read(end))

    with server(folder, clock=Hands()) as app:
        played(app, play)
    return found


def attacked(study: Study, tmp_path: Path) -> tuple[list[str], int, int]:
    """Return what check says, in how many worlds the bytes differ, and how many sessions somebody got."""
    said, folder = secrecy_sentences(prepare(study, Path())), folder_of(study, tmp_path / "study")
    trials = json.loads((folder / "public" / "materials.json").read_text())["trials"]
    key = json.loads((folder / "answers.json").read_text())
    items = sorted({trials[name]["stimulus_id"] for name, answers in key["answers"].items() if "guess" in answers})
    worlds = []
    for level in LEVELS:
        yes = set(np.random.default_rng(level).permutation(items)[:level])
        for name, answers in key["answers"].items():
            if "guess" in answers:
                answers["guess"] = "yes" if trials[name]["stimulus_id"] in yes else "no"
        world = shutil.copytree(folder, tmp_path / str(level))
        (world / "answers.json").write_text(json.dumps(key))
        worlds.append(bytes_read(world, study))
    n_different = len({repr(world) for world in worlds})
    return said, n_different, max(sum(status == 201 for status, _ in world) for world in worlds)


def require_true(study: Study, tmp_path: Path) -> None:
    said, n_different, n_sessions = attacked(study, tmp_path)
    assert (said[0].startswith("No reply tells")) == (n_different == 1), (said, n_different)
    if any(sentence.startswith("Nobody can try again") for sentence in said):
        assert n_sessions == 1


@pytest.mark.parametrize("kind", CHOSEN, ids=str)
def test_what_check_says_of_secrecy_is_what_an_attacker_finds(tmp_path: Path, kind: Kind) -> None:
    require_true(study_like(kind, seed=31), tmp_path)


@pytest.mark.slow
def test_no_combination_of_options_tells_more_than_check_says(tmp_path: Path) -> None:
    rng = np.random.default_rng(3207)
    for number in range(6):
        require_true(study_like(SPACE[int(rng.integers(len(SPACE)))], seed=number), tmp_path / str(number))
