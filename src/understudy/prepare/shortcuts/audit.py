"""Audit: every simple rule tried on every keyed question, against what shuffled answers would give it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

from understudy.prepare.prepared import Prepared
from understudy.prepare.shortcuts.rules import (
    Floats,
    Marks,
    best_cut,
    left_out_by_cut,
    left_out_by_majority,
    left_out_by_weights,
)
from understudy.prepare.shortcuts.surface import MARK, surface_of
from understudy.roles import Rng
from understudy.schema import Choice, Trial

N_SHUFFLES = 999
MIN_ITEMS = 8
"""Fewer items cannot tell a rule from luck."""


class Shortcut(NamedTuple):
    """A rule that beats chance without understanding."""

    blocks: tuple[str, ...]
    """Blocks that ask it of the same items."""
    question_id: str
    rule: str
    accuracy: float
    chance: float
    n_items: int
    p_value: float
    """How often the rule would do as well on shuffled answers, or better."""
    p_any: float
    """How often any of the rules tried on the question would."""


class Audit(NamedTuple):
    """What was tried, and what was found."""

    shortcuts: tuple[Shortcut, ...]
    n_rules: int
    n_questions: int


class _Asked(NamedTuple):
    blocks: tuple[str, ...]
    question: Choice
    trials: tuple[Trial, ...]
    answers: tuple[str, ...]


class _Tried(NamedTuple):
    rule: str
    accuracy: float
    shuffled: Floats | None
    """The same rule's accuracies on shuffled answers; None where shuffling changes nothing."""
    chance: float


def audited(prepared: Prepared, rng: Rng, *, alpha: float = 0.05, n_shuffles: int = N_SHUFFLES) -> Audit:
    """Try every rule on every question that has a right answer and enough items."""
    found: list[Shortcut] = []
    n_rules = 0
    asked = _questions(prepared)
    for one in asked:
        tried = list(_tried(one, rng, n_shuffles))
        n_rules += len(tried)
        found.extend(_beating_chance(one, tried, alpha))
    return Audit(tuple(sorted(found, key=lambda one: -one.accuracy)), n_rules, len(asked))


def _questions(prepared: Prepared) -> list[_Asked]:
    """Gather each question with its items once, however many blocks or conditions ask it of them."""
    gathered: dict[tuple[str, tuple[str, ...]], _Asked] = {}
    for trial_set in prepared.materials.trial_sets:
        trials = tuple(prepared.materials.trials[one] for one in trial_set.trial_ids)
        if len(trials) < MIN_ITEMS:
            continue
        for question in trials[0].asks:
            answers = [prepared.key.answers.get(one.trial_id, {}).get(question.question_id) for one in trials]
            if not isinstance(question, Choice) or not all(isinstance(one, str) for one in answers):
                continue
            place = (question.question_id, tuple(str(one.stimulus_id) for one in trials))
            others = gathered[place].blocks if place in gathered else ()
            blocks = tuple(dict.fromkeys((*others, trial_set.block_id)))
            gathered[place] = _Asked(blocks, question, trials, tuple(map(str, answers)))
    return list(gathered.values())


def _tried(asked: _Asked, rng: Rng, n_shuffles: int) -> Iterator[_Tried]:
    answers, options = np.array(asked.answers), asked.question.options
    chance = 1 / len(options)
    shares = {option: float((answers == option).mean()) for option in options}
    commonest = max(shares, key=lambda option: shares[option])
    yield _Tried(f"always answer {commonest!r}", shares[commonest], None, chance)
    surfaces = _surfaces(asked.trials)
    shuffles = np.array([rng.permutation(len(answers)) for _ in range(n_shuffles)]).T
    targets = {f"answer {options[0]!r}": answers == options[0]} if len(options) == 2 else {}
    for name, shown in _revealed(asked).items():
        is_same = answers == shown
        yield _Tried(f"answer the shown {name}", float(is_same.mean()), _same_share(answers, shown, shuffles), chance)
        if len(options) == 2:
            yield _Tried(
                f"answer the opposite of the shown {name}",
                float(1 - is_same.mean()),
                1 - _same_share(answers, shown, shuffles),
                chance,
            )
            targets[f"answer the shown {name}"] = is_same
    for meaning, target in targets.items():
        yield from _surface_rules(meaning, target, surfaces, shuffles)


def _surface_rules(meaning: str, target: Marks, surfaces: dict[str, Floats], shuffles: Floats) -> Iterator[_Tried]:
    columns = np.column_stack([target, target[shuffles.astype(np.int64)]])
    chance = float(left_out_by_majority(columns[:, :1])[0])
    chance = max(chance, float(target.mean()), float(1 - target.mean()))
    for name, values in surfaces.items():
        if name.startswith(MARK):
            continue
        scores = left_out_by_cut(values, columns)
        cut = best_cut(values, target)
        side = "at least" if cut.is_yes_above else "less than"
        yield _Tried(f"{meaning} when the {name} is {side} {cut.at:g}", float(scores[0]), scores[1:], chance)
    if len(surfaces) > 1:
        scores = left_out_by_weights(np.column_stack(list(surfaces.values())), columns)
        yield _Tried(f"{meaning} by a weighted sum of all that meets the eye", float(scores[0]), scores[1:], chance)


def _surfaces(trials: Sequence[Trial]) -> dict[str, Floats]:
    seen = [surface_of(trial) for trial in trials]
    names = [name for name in seen[0] if all(name in one for one in seen)]
    columns = {name: np.array([one[name] for one in seen], dtype=np.float64) for name in names}
    return {name: values for name, values in columns.items() if np.ptp(values) > 0}


def _revealed(asked: _Asked) -> dict[str, np.ndarray[tuple[int], np.dtype[np.str_]]]:
    """Return what every item shows openly that could itself be an answer."""
    shown = [trial.params.get("revealed") for trial in asked.trials]
    if not all(isinstance(one, dict) for one in shown):
        return {}
    rows = [one for one in shown if isinstance(one, dict)]
    names = [name for name in rows[0] if all(one.get(name) in asked.question.options for one in rows)]
    return {name: np.array([str(one[name]) for one in rows]) for name in names}


def _same_share(
    answers: np.ndarray[tuple[int], np.dtype[np.str_]],
    shown: np.ndarray[tuple[int], np.dtype[np.str_]],
    shuffles: Floats,
) -> Floats:
    result: Floats = (answers[shuffles.astype(np.int64)] == shown[:, None]).mean(axis=0)
    return result


def _beating_chance(asked: _Asked, tried: Sequence[_Tried], alpha: float) -> Iterator[Shortcut]:
    n = len(asked.trials)
    shuffled = [one.shuffled for one in tried if one.shuffled is not None]
    best_by_luck = np.max(shuffled, axis=0) if shuffled else np.array([])
    for one in tried:
        if one.shuffled is None:
            p_value = p_any = float(binomtest(round(one.accuracy * n), n, one.chance, alternative="greater").pvalue)
        else:
            p_value, p_any = (_share_as_good(luck, one.accuracy) for luck in (one.shuffled, best_by_luck))
        if p_value < alpha and one.accuracy > one.chance:
            question_id = asked.question.question_id
            yield Shortcut(asked.blocks, question_id, one.rule, one.accuracy, one.chance, n, p_value, p_any)


def _share_as_good(luck: Floats, accuracy: float) -> float:
    return (1 + int((luck >= accuracy - 1e-9).sum())) / (1 + len(luck))
