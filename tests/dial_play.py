"""Questions with dials for tests: a decoder small enough to reason about, trials over it, and what people did."""

from typing import Any

import numpy as np

from understudy.inference import text_from_floats
from understudy.registry import create
from understudy.roles import Floats, Participant, Reaction
from understudy.schema import Dials, Event, Impression, Interacted, Ref, ResponseGiven, Trial

DIALS: list[dict[str, Any]] = [{"low": -1.0, "high": 1.0}] * 3


class Blobs:
    """A scene in which each dial moves one of several humps; no dial disturbs another."""

    def __init__(self, mixing: Floats | None = None) -> None:
        self._mixing = np.eye(len(DIALS)) if mixing is None else mixing

    def look(self, codes: Floats) -> Floats:
        places = np.linspace(-1.5, 1.5, 30)
        humps = np.exp(-(((codes @ self._mixing.T)[:, :, None] - places) ** 2) / 0.3)
        rows: Floats = humps.reshape(len(codes), -1)
        return rows


def trial(start: list[float], target: list[float], *, scene: Any = None, **params: Any) -> Trial:
    """A question over the humps, or over a given scene."""
    dials = params.pop("dials", DIALS)
    wanted = (scene or Blobs()).look(np.array([target]))[0]
    return Trial(
        trial_id="t",
        block_id="b",
        task="reconstruct",
        params={
            "decoder": {"address": "x.onnx", "card": {"limits": [0.0, 1.0]}},
            "start": start,
            "target": text_from_floats(wanted),
            "distance": {"name": "soft_dice"},
            "threshold": 0.9,
            "skip_after_s": 30.0,
            **params,
        },
        asks=(Dials.model_validate({"question_id": "dials", "prompt": "", "dials": dials}),),
    )


def person(name: str, **params: Any) -> Participant:
    """A simulated person."""
    made: Participant = create("participants", Ref(name=name, params=params))
    return made


def reaction(name: str, shown: Trial, *, seed: int = 1, scene: Any = None, **params: Any) -> Reaction:
    """What a simulated person does with a question."""
    done = person(name, **params).respond(shown, Impression(), np.random.default_rng(seed), scene or Blobs())
    if done is None:
        raise AssertionError("the person left")
    return done


def events_of(done: Reaction) -> list[Event]:
    """The reaction as the log would hold it."""
    traced: list[Event] = [
        Interacted(session_id="s", seq=k, at_ms=int(interaction.after_ms), step=0, trial_id="t", action=interaction.action, payload=interaction.payload)
        for k, interaction in enumerate(done.interactions, start=1)
    ]  # fmt: skip
    given = ResponseGiven(
        session_id="s", seq=len(traced) + 1, at_ms=int(done.rt_ms), step=0, trial_id="t", response=done.response,
        rt_ms=done.rt_ms, active_ms=done.active_ms,
    )  # fmt: skip
    return [*traced, given]
