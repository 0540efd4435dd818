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
"""With fewer items, a rule cannot be told from luck."""


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
    """The shortcuts, and how many rules and questions were tried."""

    shortcuts: tuple[Shortcut, ...]
    n_rules: int
    n_questions: int


class _AskedQuestion(NamedTuple):
    blocks: tuple[str, ...]
    question: Choice
    trials: tuple[Trial, ...]
    answers: tuple[str, ...]


class _TriedRule(NamedTuple):
    rule: str
    accuracy: float
    shuffled: Floats | None
    """The same rule's accuracies on shuffled answers; None where shuffling changes nothing."""
    chance: float


def audited(prepared: Prepared, rng: Rng, *, alpha: float = 0.05, n_shuffles: int = N_SHUFFLES) -> Audit:
    """Try every rule on every question that has a right answer and enough items."""
    shortcuts: list[Shortcut] = []
    n_rules = 0
    asked = _questions(prepared)
    for question in asked:
        tried = list(_tried(question, rng, n_shuffles))
        n_rules += len(tried)
        shortcuts.extend(_beating_chance(question, tried, alpha))
    return Audit(tuple(sorted(shortcuts, key=lambda shortcut: -shortcut.accuracy)), n_rules, len(asked))


def _questions(prepared: Prepared) -> list[_AskedQuestion]:
    """Gather each question with its items once, however many blocks or conditions ask it of them."""
    gathered: dict[tuple[str, tuple[str, ...]], _AskedQuestion] = {}
    for trial_set in prepared.materials.trial_sets:
        trials = tuple(prepared.materials.trials[trial_id] for trial_id in trial_set.trial_ids)
        if len(trials) < MIN_ITEMS:
            continue
        for question in trials[0].asks:
            answers = [prepared.key.answers.get(trial.trial_id, {}).get(question.question_id) for trial in trials]
            if not isinstance(question, Choice) or not all(isinstance(answer, str) for answer in answers):
                continue
            key = (question.question_id, tuple(str(trial.stimulus_id) for trial in trials))
            others = gathered[key].blocks if key in gathered else ()
            blocks = tuple(dict.fromkeys((*others, trial_set.block_id)))
            gathered[key] = _AskedQuestion(blocks, question, trials, tuple(map(str, answers)))
    return list(gathered.values())


def _tried(asked: _AskedQuestion, rng: Rng, n_shuffles: int) -> Iterator[_TriedRule]:
    answers, options = np.array(asked.answers), asked.question.options
    chance = 1 / len(options)
    shares = {option: float((answers == option).mean()) for option in options}
    commonest = max(shares, key=lambda option: shares[option])
    yield _TriedRule(f"always answer {commonest!r}", shares[commonest], None, chance)
    surfaces = _surfaces(asked.trials)
    shuffles = np.array([rng.permutation(len(answers)) for _ in range(n_shuffles)]).T
    targets = {f"answer {options[0]!r}": answers == options[0]} if len(options) == 2 else {}
    for name, shown in _revealed(asked).items():
        is_same = answers == shown
        yield _TriedRule(
            f"answer the shown {name}", float(is_same.mean()), _same_share(answers, shown, shuffles), chance
        )
        if len(options) == 2:
            yield _TriedRule(
                f"answer the opposite of the shown {name}",
                float(1 - is_same.mean()),
                1 - _same_share(answers, shown, shuffles),
                chance,
            )
            targets[f"answer the shown {name}"] = is_same
    for meaning, target in targets.items():
        yield from _surface_rules(meaning, target, surfaces, shuffles)


def _surface_rules(meaning: str, target: Marks, surfaces: dict[str, Floats], shuffles: Floats) -> Iterator[_TriedRule]:
    columns = np.column_stack([target, target[shuffles.astype(np.int64)]])
    chance = float(left_out_by_majority(columns[:, :1])[0])
    # A rule has to beat always giving the commoner answer, which is better than guessing if answers are unbalanced.
    chance = max(chance, float(target.mean()), float(1 - target.mean()))
    for name, values in surfaces.items():
        if name.startswith(MARK):
            continue
        scores = left_out_by_cut(values, columns)
        cut = best_cut(values, target)
        side = "at least" if cut.is_yes_above else "less than"
        yield _TriedRule(f"{meaning} when the {name} is {side} {cut.at:g}", float(scores[0]), scores[1:], chance)
    if len(surfaces) > 1:
        scores = left_out_by_weights(np.column_stack(list(surfaces.values())), columns)
        yield _TriedRule(f"{meaning} by a weighted sum of all that meets the eye", float(scores[0]), scores[1:], chance)


def _surfaces(trials: Sequence[Trial]) -> dict[str, Floats]:
    seen = [surface_of(trial) for trial in trials]
    names = [name for name in seen[0] if all(name in surface for surface in seen)]
    columns = {name: np.array([surface[name] for surface in seen], dtype=np.float64) for name in names}
    return {name: values for name, values in columns.items() if np.ptp(values) > 0}


def _revealed(asked: _AskedQuestion) -> dict[str, np.ndarray[tuple[int], np.dtype[np.str_]]]:
    """Return the attributes that every item reveals and that could themselves be an answer."""
    shown = [trial.params.get("revealed") for trial in asked.trials]
    if not all(isinstance(attributes, dict) for attributes in shown):
        return {}
    rows = [attributes for attributes in shown if isinstance(attributes, dict)]
    names = [name for name in rows[0] if all(attributes.get(name) in asked.question.options for attributes in rows)]
    return {name: np.array([str(attributes[name]) for attributes in rows]) for name in names}


def _same_share(
    answers: np.ndarray[tuple[int], np.dtype[np.str_]],
    shown: np.ndarray[tuple[int], np.dtype[np.str_]],
    shuffles: Floats,
) -> Floats:
    result: Floats = (answers[shuffles.astype(np.int64)] == shown[:, None]).mean(axis=0)
    return result


def _beating_chance(asked: _AskedQuestion, tried: Sequence[_TriedRule], alpha: float) -> Iterator[Shortcut]:
    n = len(asked.trials)
    shuffled = [tried_rule.shuffled for tried_rule in tried if tried_rule.shuffled is not None]
    best_by_luck = np.max(shuffled, axis=0) if shuffled else np.array([])
    for tried_rule in tried:
        if tried_rule.shuffled is None:
            p_value = p_any = float(
                binomtest(round(tried_rule.accuracy * n), n, tried_rule.chance, alternative="greater").pvalue
            )
        else:
            p_value, p_any = (_share_as_good(luck, tried_rule.accuracy) for luck in (tried_rule.shuffled, best_by_luck))
        if p_value < alpha and tried_rule.accuracy > tried_rule.chance:
            question_id = asked.question.question_id
            yield Shortcut(
                asked.blocks, question_id, tried_rule.rule, tried_rule.accuracy, tried_rule.chance, n, p_value, p_any
            )


def _share_as_good(luck: Floats, accuracy: float) -> float:
    # The observed order counts as one of the shuffles, so that p is never 0.
    return (1 + int((luck >= accuracy - 1e-9).sum())) / (1 + len(luck))
