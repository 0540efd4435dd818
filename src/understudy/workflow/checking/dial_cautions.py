"""Cautions about dials: those that have collapsed, and those that change nothing people can see."""

import json
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

import numpy as np

from understudy.participants.dials.page import SLACK, DialPage
from understudy.prepare import Prepared
from understudy.roles import Floats
from understudy.schema import Levels, Stage, blocks_in
from understudy.simulate.scenes import scene_of

N_POSITIONS = 9
"""Positions of a dial that are tried."""
MAX_QUESTIONS = 12
"""Questions of a model that are tried; more would only make the check slower."""
NARROW = 0.1
"""A dial has collapsed if its range is below this share of the usual one, and nothing visible depends on it."""
STILL = 0.25
"""Share of questions in which a dial may do nothing visible before people should hear of it."""


class _Question(NamedTuple):
    page: DialPage
    target: Floats
    """The code of the target."""


class _Model(NamedTuple):
    name: str
    """Levels of factors under which the decoder is shown."""
    questions: list[_Question]


def dial_sentences(prepared: Prepared) -> list[str]:
    """Return one sentence for each dial of a live model that people cannot learn anything about by turning it."""
    return [sentence for model in _models(prepared).values() for sentence in _model_sentences(model)]


def _models(prepared: Prepared) -> dict[str, _Model]:
    """Return the decoders of the main stages, by address."""
    main = {block.block_id for block in blocks_in(prepared.study.flow) if _is_main(block)}
    models: dict[str, _Model] = {}
    for trial_set in prepared.materials.trial_sets:
        for trial_id in trial_set.trial_ids if trial_set.block_id in main else ():
            trial = prepared.materials.trials[trial_id]
            page = DialPage.of(trial, scene_of(trial, prepared.files))
            code = prepared.key.truth.get(trial_id, {}).get("target_code")
            if page is None or code is None:
                continue
            live = trial.params["decoder"]
            address = str(live["address"]) if isinstance(live, dict) else ""
            model = models.setdefault(address, _Model(model_name(trial_set.levels), []))
            if len(model.questions) < MAX_QUESTIONS:
                model.questions.append(_Question(page, np.asarray(json.loads(str(code)), dtype=np.float64)))
    return models


def _is_main(block: object) -> bool:
    return isinstance(block, Stage) and block.purpose == "main"


def model_name(levels: Levels) -> str:
    """Return the model that these levels of factors show, in words."""
    return ", ".join(f"{factor} {level}" for factor, level in levels.items()) or "the model"


def _model_sentences(model: _Model) -> Iterator[str]:
    dials = model.questions[0].page.dials
    widths = [dial.width for dial in dials if dial.kind != "discrete"]
    for index, dial in enumerate(dials):
        losses = [_loss(question, index) for question in model.questions]
        limits = [1 - question.page.threshold + SLACK for question in model.questions]
        n_still = sum(loss <= limit for loss, limit in zip(losses, limits, strict=True))
        if n_still < STILL * len(losses):
            continue
        where = f"Dial {index + 1} ({model.name})"
        if dial.kind != "discrete" and dial.width < NARROW * median(widths):
            yield (
                f"{where} has collapsed: its range of {dial.width:.2g} is {dial.width / median(widths):.0%} of what is "
                f"usual for this model, and nothing visible depends on it. Leave it out of the card, or tell people."
            )
        else:
            yield (
                f"{where} changes nothing visible in {n_still} of {len(losses)} questions: with all other dials right, "
                f"the question counts as solved wherever it is (the agreement falls by {median(losses):.2f} at most, in "
                "the median). People cannot learn from such questions what it does; choose other targets, or a stricter "
                "distance."
            )


def _loss(question: _Question, dial: int) -> float:
    """Return by how much one dial alone can lower the agreement at the target."""
    page, spec = question.page, question.page.dials[dial]
    positions = (
        np.arange(spec.n_inputs, dtype=np.float64)
        if spec.kind == "discrete"
        else np.linspace(spec.low, spec.high, N_POSITIONS)
    )
    return float(1 - page.look(page.codes_along(question.target, dial, positions)).agreements.min())
