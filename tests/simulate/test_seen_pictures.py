"""Simulated people see the pictures of the explanation on their page, and no other file of the study."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from tests.playing import Player
from tests.prepare.test_explaining_models import N_COLUMNS, N_ROWS, grid_study
from understudy.conduct import Script
from understudy.prepare import prepare
from understudy.prepare.prepared import read_prepared, write_prepared
from understudy.roles import Reaction, Rng, Scene
from understudy.schema import Ability, Impression, Trial
from understudy.simulate.actor import Actor, CastRole, pictures_of


def trials() -> tuple[Trial, Trial, dict[str, Path | bytes]]:
    """Return a trial with a grid and one without, and the files of the study."""
    prepared = prepare(grid_study(), Path())
    found = sorted(prepared.materials.trials.values(), key=lambda trial: trial.explanation is None)
    return found[0], found[-1], prepared.files


def test_every_picture_of_a_grid_can_be_looked_at() -> None:
    trial, _, files = trials()
    seen = pictures_of(trial, files)
    assert len(seen) == N_ROWS * N_COLUMNS
    assert all(address.startswith(sha256(content).hexdigest()) for address, content in seen.items())


def test_a_page_without_an_explanation_shows_no_picture_of_another() -> None:
    shown, bare, files = trials()
    address = next(iter(pictures_of(shown, files)))
    assert dict(pictures_of(bare, files)) == {}
    with pytest.raises(KeyError):
        pictures_of(bare, files)[address]


def test_pictures_of_a_written_study_are_read_from_its_folder(tmp_path: Path) -> None:
    trial, _, files = trials()
    write_prepared(prepare(grid_study(), Path()), tmp_path)
    assert dict(pictures_of(trial, read_prepared(tmp_path).files)) == dict(pictures_of(trial, files))


class Looker:
    """Leaves, after counting the pictures."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        self.counts.append(len(impression.pictures))
        return None


def test_the_impression_of_a_page_holds_its_pictures() -> None:
    prepared, looker = prepare(grid_study(), Path()), Looker()
    script = Script(*prepared)
    player = Player(script, condition="shown").until("judge")
    actor = Actor(script, CastRole("looker", looker, Ability()), np.random.default_rng(1))
    actor.reaction_to(player.step, n_seen=0)
    assert looker.counts == [N_ROWS * N_COLUMNS]
