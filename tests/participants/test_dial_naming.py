"""Simulated people name dials where a page asks for names, and only there."""

import numpy as np

from tests.dial_play import Blobs, trial
from understudy.registry import create
from understudy.roles import Reaction
from understudy.schema import Impression, Ref


def reaction(*, labels: bool, names: float = 1.0) -> Reaction:
    person = create("participants", Ref(name="dial_number_watcher", params={"habits": {"names": names}}))
    shown = trial([-0.8, -0.8, -0.8], [0.5, 0.5, 0.5], labels=labels)
    found = person.respond(shown, Impression(), np.random.default_rng(2), Blobs())
    assert isinstance(found, Reaction)
    return found


def test_every_dial_that_was_moved_is_named_by_who_always_does() -> None:
    done = reaction(labels=True)
    moved = {interaction.payload["dial"] for interaction in done.interactions if interaction.action == "changed"}
    assert {
        interaction.payload["dial"] for interaction in done.interactions if interaction.action == "labelled"
    } == moved


def test_nobody_names_dials_on_a_page_without_fields_for_names() -> None:
    actions = [interaction.action for interaction in reaction(labels=False).interactions]
    assert "labelled" not in actions


def test_who_never_names_dials_leaves_the_fields_empty() -> None:
    actions = [interaction.action for interaction in reaction(labels=True, names=0.0).interactions]
    assert "labelled" not in actions
