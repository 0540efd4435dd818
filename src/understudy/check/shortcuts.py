"""Shortcuts: the best simple rule for each question, how often luck would do as well, and the sentences about it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from understudy.check.shortcut_rules import (
    MARK,
    Floats,
    Marks,
    best_cut,
    left_out_by_cut,
    left_out_by_majority,
    left_out_by_value,
    left_out_by_weights,
    surface_of,
    values_shown,
)
from understudy.prepare.prepared import Prepared
from understudy.roles import Rng
from understudy.schema import Choice, Json, Levels, Stage, Study, Trial, TrialSet, blocks_in, files_named_in
from understudy.statistics.describe import binomial_quantiles, binomial_tail, binomial_tails, wilson_interval

MIN_ITEMS = 8
"""With fewer items, a rule cannot be told from luck."""
MODEL_IS = "model_is"
VERDICTS = ("right", "wrong")
_JUDGING = ("recognised", "believed")
"""Measures of whether somebody takes a prediction to be right; no option of their question is the right answer."""


class AskedQuestion(NamedTuple):
    """A question with its items and their answers."""

    blocks: tuple[str, ...]
    question_id: str
    options: tuple[str, ...]
    trials: tuple[Trial, ...]
    answers: tuple[str, ...]
    file_bytes: tuple[int, ...]
    """How many bytes a browser loads for the page of each item."""
    judges: bool = False
    """Whether people say if the model is right, which the item's `model_is` answers."""
    levels: tuple[Levels, ...] = ()
    """The levels at which it is asked of these items."""


def asked_questions(prepared: Prepared) -> list[AskedQuestion]:
    """Gather each question with its items once, however many blocks or conditions ask it of them."""
    gathered: dict[tuple[str, tuple[str, ...]], AskedQuestion] = {}
    judged = _judged_questions(prepared.study)
    for trial_set in prepared.materials.trial_sets:
        if len(trial_set.trial_ids) < MIN_ITEMS:
            continue
        for asked in _of_set(prepared, trial_set, judged):
            key = (asked.question_id, tuple(str(trial.stimulus_id) for trial in asked.trials))
            blocks, levels = (gathered[key].blocks, gathered[key].levels) if key in gathered else ((), ())
            gathered[key] = asked._replace(
                blocks=tuple(dict.fromkeys((*blocks, *asked.blocks))), levels=(*levels, trial_set.levels)
            )
    return list(gathered.values())


def places_of(questions: Sequence[AskedQuestion]) -> list[str]:
    """Say what tells each question from others of the same blocks: its name, or the levels at which it is asked."""
    return [_place_among([other for other in questions if other.blocks == asked.blocks], asked) for asked in questions]


def _place_among(alike: Sequence[AskedQuestion], asked: AskedQuestion) -> str:
    names = {other.question_id for other in alike}
    told = [f"question {asked.question_id!r}"] if len(names) > 1 else []
    same_name = [other for other in alike if other.question_id == asked.question_id]
    for factor in dict.fromkeys(factor for other in same_name for levels in other.levels for factor in levels):
        own, *others = [_levels_of(other, factor) for other in (asked, *same_name)]
        if any(other != own for other in others):
            told.append(f"{factor} {' or '.join(own)}")
    return ", ".join(told)


def _levels_of(asked: AskedQuestion, factor: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(levels[factor] for levels in asked.levels if factor in levels))


def _of_set(prepared: Prepared, trial_set: TrialSet, judged: Mapping[str, frozenset[str]]) -> Iterator[AskedQuestion]:
    trials = tuple(prepared.materials.trials[trial_id] for trial_id in trial_set.trial_ids)
    sizes = tuple(_file_bytes(prepared, trial) for trial in trials)
    for question in trials[0].asks:
        name = question.question_id
        judges = name in judged.get(trial_set.block_id, ())
        known = prepared.key.truth if judges else prepared.key.answers
        answers = _texts([known.get(trial.trial_id, {}) for trial in trials], MODEL_IS if judges else name)
        options = VERDICTS if judges else question.options if isinstance(question, Choice) else ()
        if answers is not None and options and not (judges and {*answers} != {*VERDICTS}):
            yield AskedQuestion((trial_set.block_id,), name, options, trials, answers, sizes, judges=judges)


def _judged_questions(study: Study) -> dict[str, frozenset[str]]:
    """Return block -> the questions in which people say whether the model is right."""
    main = tuple(
        block.block_id for block in blocks_in(study.flow) if isinstance(block, Stage) and block.purpose == "main"
    )
    found: dict[str, frozenset[str]] = {}
    for use in study.measures:
        if use.measure.name in _JUDGING:
            question = str(use.measure.params.get("question", "agreement"))
            for block in use.blocks or main:
                found[block] = found.get(block, frozenset()) | {question}
    return found


def _texts(rows: Sequence[Json], name: str) -> tuple[str, ...] | None:
    values = [row.get(name) for row in rows]
    return tuple(map(str, values)) if all(isinstance(value, str) for value in values) else None


def _file_bytes(prepared: Prepared, trial: Trial) -> int:
    files = {prepared.files[address] for address in files_named_in(trial, prepared.files)}
    return sum(len(file) if isinstance(file, bytes) else file.stat().st_size for file in files)


# Luck: what the best of many rules scores on shuffled answers, and how good a shortcut must be to stand out from it.

POWER = 0.8
"""How often a shortcut that is called visible would be noticed."""
_STEP = 0.001


class Luck(NamedTuple):
    """How right the best rule is by luck."""

    at_most: float
    """On all but the luckiest shuffles, the best rule is right on this share of the items or less."""
    share: float
    """On how many of the shuffles it is."""


def luck_of(best_by_luck: Floats, alpha: float) -> Luck:
    """Return the accuracy that the best rule exceeds by luck in no more than a share alpha of the shuffles."""
    # Accuracies are shares of a few items, so the quantile is one of them, and an equal one is still luck.
    return Luck(float(np.quantile(best_by_luck, 1 - alpha, method="inverted_cdf")), 1 - alpha)


def smallest_visible(best_by_luck: Floats, n_items: int, alpha: float) -> float | None:
    """Return the smallest accuracy that a rule needs in order to be noticed, four times in five, on so many items.

    Noticed means that the best rule on shuffled answers does as well in less than a share alpha of the shuffles. None
    where not even a rule without a mistake would be noticed, because luck alone does as well.
    """
    counts = np.arange(n_items + 1)
    as_good = np.array(
        [(1 + (best_by_luck >= count / n_items - 1e-9).sum()) / (1 + best_by_luck.size) for count in counts]
    )
    noticed = counts[as_good < alpha]
    if not noticed.size:
        return None
    shares = np.arange(0.0, 1.0 + _STEP / 2, _STEP)
    return float(shares[np.argmax(binomial_tails(int(noticed[0]), n_items, shares) >= POWER)])


# Audit: every simple rule tried on every question with a known answer, against what shuffled answers would give it.

N_SHUFFLES = 999
_FILES = "size of its files"
_MOST_VALUES = 0.5
"""A value that a page shows can sort items only if they have fewer different ones than this share of their number."""
_N_NAMED = 6


class Shortcut(NamedTuple):
    """A rule that beats chance without understanding."""

    blocks: tuple[str, ...]
    """Blocks that ask it of the same items."""
    question_id: str
    rule: str
    accuracy: float
    low: float
    """The 95 % interval of the accuracy, by Wilson's formula."""
    high: float
    chance: float
    n_items: int
    p_value: float
    """How often the rule would do as well on shuffled answers, or better."""
    p_any: float
    """How often any of the rules tried on the question would."""
    place: str = ""
    """What tells the question from others of the same blocks; nothing if there are none."""


class BestRule(NamedTuple):
    """The most accurate rule of one question, whether or not it beats chance, and what could have been seen at all."""

    found: Shortcut
    luck: Luck
    """What the most accurate rule is right on by luck; over all questions of the audit, luck gives more in 5 % of cases."""
    n_rules: int
    visible_from: float | None
    """The smallest accuracy of a shortcut that would be noticed, four times in five, on so many items; None if none."""
    is_constant: bool
    """Whether the rule is to give one answer always, so that luck is that of somebody who guesses."""

    @property
    def is_luck(self) -> bool:
        """Whether the rule is right no more often than the best rule is by luck."""
        return self.found.accuracy <= self.luck.at_most + 1e-9


class Audit(NamedTuple):
    """The shortcuts, the best rule of each question, and how many rules and questions were tried."""

    shortcuts: tuple[Shortcut, ...]
    n_rules: int
    n_questions: int
    best: tuple[BestRule, ...] = ()


class _TriedRule(NamedTuple):
    rule: str
    accuracy: float
    shuffled: Floats | None
    """The same rule's accuracies on shuffled answers; None where shuffling changes nothing."""
    chance: float


class _Target(NamedTuple):
    """Something that is true or false of each item, and what a rule that says it reads like."""

    meaning: str
    holds: Marks


def audited(prepared: Prepared, rng: Rng, *, alpha: float = 0.05, n_shuffles: int = N_SHUFFLES) -> Audit:
    """Try every rule on every question that has a right answer and enough items."""
    shortcuts: list[Shortcut] = []
    best: list[BestRule] = []
    asked = asked_questions(prepared)
    for question, place in zip(asked, places_of(asked), strict=True):
        tried = list(_tried(question, rng, n_shuffles))
        by_luck = _best_by_luck(tried)
        found = [_judged(question, tried_rule, by_luck)._replace(place=place) for tried_rule in tried]
        shortcuts.extend(rule for rule in found if rule.p_value < alpha and rule.accuracy > rule.chance)
        # Every question is one more chance for luck.
        best.append(_best(tried, found, question, alpha / len(asked)))
    n_rules = sum(rule.n_rules for rule in best)
    return Audit(tuple(sorted(shortcuts, key=lambda rule: -rule.accuracy)), n_rules, len(asked), tuple(best))


def _tried(asked: AskedQuestion, rng: Rng, n_shuffles: int) -> Iterator[_TriedRule]:
    answers, options = np.array(asked.answers), asked.options
    chance = 1 / len(options)
    shares = {option: float((answers == option).mean()) for option in options}
    commonest = max(shares, key=lambda option: shares[option])
    always = f"always say that the model is {commonest}" if asked.judges else f"always answer {commonest!r}"
    yield _TriedRule(always, shares[commonest], None, chance)
    shuffles = np.array([rng.permutation(len(answers)) for _ in range(n_shuffles)]).T
    targets: list[_Target] = []
    if asked.judges:
        targets.append(_Target("say that the model is right", answers == "right"))
    elif len(options) == 2:
        targets.append(_Target(f"answer {options[0]!r}", answers == options[0]))
    for name, shown in _revealed(asked).items():
        is_same = answers == shown
        same = _same_share(answers, shown, shuffles)
        yield _TriedRule(f"answer the shown {name}", float(is_same.mean()), same, chance)
        if len(options) == 2:
            opposite = f"answer the opposite of the shown {name}"
            yield _TriedRule(opposite, float(1 - is_same.mean()), 1 - same, chance)
        targets.append(_Target(f"answer the shown {name}", is_same))
    for target in targets:
        # With two options, a rule about what the page shows repeats a rule above in other words.
        if asked.judges or len(options) > 2:
            yield from _value_rules(target, asked, shuffles)
        if asked.judges or len(options) == 2:
            yield from _surface_rules(target, _surfaces(asked), shuffles)


def _value_rules(target: _Target, asked: AskedQuestion, shuffles: Floats) -> Iterator[_TriedRule]:
    """Try whether a value that the page shows, such as the predicted class, tells whether the target holds."""
    shown = [values_shown(trial) for trial in asked.trials]
    columns, chance = _columns(target.holds, shuffles)
    for name in [name for name in shown[0] if all(name in values for values in shown)]:
        values = [values[name] for values in shown]
        if not 1 < len({*values}) <= _MOST_VALUES * len(values):
            continue
        scores = left_out_by_value(values, columns)
        words = name.replace("_", " ")
        rule = f"{target.meaning} when the shown {words} is {_values_that_hold(values, target.holds)}"
        yield _TriedRule(rule, float(scores[0]), scores[1:], chance)


def _values_that_hold(values: Sequence[str], holds: Marks) -> str:
    """Return the values for which the target mostly holds."""
    found = sorted(
        {
            value
            for value in values
            if np.mean([held for own, held in zip(values, holds, strict=True) if own == value]) > 0.5
        },
        key=lambda value: (len(value), value),
    )
    more = f" or {len(found) - _N_NAMED} others" if len(found) > _N_NAMED else ""
    return f"{', '.join(found[:_N_NAMED])}{more}" if found else "none of them"


def _surface_rules(target: _Target, surfaces: dict[str, Floats], shuffles: Floats) -> Iterator[_TriedRule]:
    columns, chance = _columns(target.holds, shuffles)
    for name, values in surfaces.items():
        if name.startswith(MARK):
            continue
        scores = left_out_by_cut(values, columns)
        cut = best_cut(values, target.holds)
        side = "at least" if cut.is_yes_above else "less than"
        yield _TriedRule(f"{target.meaning} when the {name} is {side} {cut.at:g}", float(scores[0]), scores[1:], chance)
    if len(surfaces) > 1:
        scores = left_out_by_weights(np.column_stack(list(surfaces.values())), columns)
        rule = f"{target.meaning} by a weighted sum of everything shown"
        yield _TriedRule(rule, float(scores[0]), scores[1:], chance)


class _Columns(NamedTuple):
    marks: Marks
    """What is true, and what is true of shuffled items, one column for each shuffle."""
    chance: float


def _columns(target: Marks, shuffles: Floats) -> _Columns:
    columns = np.column_stack([target, target[shuffles.astype(np.int64)]])
    chance = float(left_out_by_majority(columns[:, :1])[0])
    # A rule has to beat always giving the commoner answer, which is better than guessing if answers are unbalanced.
    return _Columns(columns, max(chance, float(target.mean()), float(1 - target.mean())))


def _surfaces(asked: AskedQuestion) -> dict[str, Floats]:
    seen = [surface_of(trial) for trial in asked.trials]
    names = [name for name in seen[0] if all(name in surface for surface in seen)]
    columns = {name: np.array([surface[name] for surface in seen], dtype=np.float64) for name in names}
    columns[_FILES] = np.array(asked.file_bytes, dtype=np.float64)
    return {name: values for name, values in columns.items() if np.ptp(values) > 0}


def _revealed(asked: AskedQuestion) -> dict[str, np.ndarray[tuple[int], np.dtype[np.str_]]]:
    """Return the attributes that every item reveals and that could themselves be an answer."""
    shown = [values_shown(trial) for trial in asked.trials]
    names = [name for name in shown[0] if all(values.get(name) in asked.options for values in shown)]
    return {name: np.array([values[name] for values in shown]) for name in names}


def _same_share(
    answers: np.ndarray[tuple[int], np.dtype[np.str_]],
    shown: np.ndarray[tuple[int], np.dtype[np.str_]],
    shuffles: Floats,
) -> Floats:
    result: Floats = (answers[shuffles.astype(np.int64)] == shown[:, None]).mean(axis=0)
    return result


def _best_by_luck(tried: Sequence[_TriedRule]) -> Floats:
    """Return the accuracy of the best rule on each shuffle; empty where no rule can be shuffled."""
    shuffled = [tried_rule.shuffled for tried_rule in tried if tried_rule.shuffled is not None]
    return np.max(shuffled, axis=0) if shuffled else np.array([])


def _judged(asked: AskedQuestion, tried_rule: _TriedRule, by_luck: Floats) -> Shortcut:
    """Return a rule with its interval and with how often luck does as well."""
    n = len(asked.trials)
    n_right = round(tried_rule.accuracy * n)
    if tried_rule.shuffled is None:
        p_value = p_any = binomial_tail(n_right, n, tried_rule.chance)
    else:
        p_value, p_any = (_share_as_good(luck, tried_rule.accuracy) for luck in (tried_rule.shuffled, by_luck))
    both = wilson_interval(n_right, n)
    return Shortcut(
        blocks=asked.blocks, question_id=asked.question_id, rule=tried_rule.rule, accuracy=tried_rule.accuracy,
        low=both.low, high=both.high, chance=tried_rule.chance, n_items=n, p_value=p_value, p_any=p_any,
    )  # fmt: skip


def _best(tried: Sequence[_TriedRule], found: Sequence[Shortcut], asked: AskedQuestion, alpha: float) -> BestRule:
    n = len(asked.trials)
    number = max(range(len(found)), key=lambda number: found[number].accuracy)
    is_constant = tried[number].shuffled is None
    levels = (np.arange(N_SHUFFLES) + 0.5) / N_SHUFFLES
    guessed = binomial_quantiles(levels, n, 1 / len(asked.options)) / n
    by_luck = _best_by_luck(tried)
    # Shuffling leaves "always answer X" as it is, so that its luck is that of somebody who guesses.
    luck = luck_of(guessed if is_constant else by_luck, alpha)
    visible_from = smallest_visible(by_luck if by_luck.size else guessed, n, alpha)
    return BestRule(found[number], luck, len(found), visible_from, is_constant=is_constant)


def _share_as_good(luck: Floats, accuracy: float) -> float:
    # The observed order counts as one of the shuffles, so that p is never 0.
    return (1 + int((luck >= accuracy - 1e-9).sum())) / (1 + len(luck))


# Sentences: what an audit found, in words.


def audit_sentences(audit: Audit) -> list[str]:
    """Return the best rule of each question, what could have been seen, and each rule that beats chance."""
    if not audit.n_rules:
        return []
    tried = f"{_counted(audit.n_rules, 'simple rule')} tried on {_counted(audit.n_questions, 'question')} with known answers"
    lines = [f"Shortcuts: {tried}."]
    visible: dict[str, list[str]] = {}
    for best in audit.best:
        visible.setdefault(power_sentence(best), []).append(best_rule_sentence(best))
    # Questions of as many items share the sentence about what would have been noticed.
    for power, found in visible.items():
        lines += [f"  {sentence}" for sentence in (*found, power)]
    if audit.shortcuts:
        lines.append(f"  Rules that beat chance without understanding, each tested alone: {len(audit.shortcuts)}.")
        lines += [f"  - {shortcut_sentence(shortcut)}" for shortcut in audit.shortcuts]
        lines.append(
            "  Balance the items over the features that give answers away, or expect people to find the shortcut."
        )
    return lines


def shortcut_sentence(shortcut: Shortcut) -> str:
    """Say what a rule is right on, and how often luck does as well."""
    return (
        f"{_right_on(shortcut)}, chance {shortcut.chance:.0%}; on shuffled answers it does as well in "
        f"{shortcut.p_value:.1%} of cases, and some rule does in {shortcut.p_any:.0%})."
    )


def best_rule_sentence(best: BestRule) -> str:
    """Say how good the best rule of a question is, next to what is best by luck."""
    by_luck = "Guessing is" if best.is_constant else "On shuffled answers the best is"
    verdict = "may be luck" if best.is_luck else "is more than luck"
    return (
        f"{_right_on(best.found)}), the best of {_counted(best.n_rules, 'rule')}. {by_luck} right on "
        f"{best.luck.at_most:.0%} or less in {100 * best.luck.share:.3g}% of cases, so this {verdict}."
    )


def power_sentence(best: BestRule) -> str:
    """Say how good a shortcut must be to be noticed on so many items."""
    items = f"{best.found.n_items} items"
    if best.visible_from is None:
        return f"With {items}, no shortcut could be distinguished from luck, not even one that is always right. Use more items."
    return (
        f"With {items}, a shortcut that is right on at least {best.visible_from:.0%} of such items is noticed {POWER:.0%} of "
        "the time; weaker ones may go unnoticed."
    )


def _right_on(shortcut: Shortcut) -> str:
    place = f" ({shortcut.place})" if shortcut.place else ""
    return (
        f"In {_listed(shortcut.blocks)}{place}, the rule “{shortcut.rule}” is right on {shortcut.accuracy:.0%} of "
        f"{shortcut.n_items} items ({shortcut.low:.0%} to {shortcut.high:.0%} with 95% confidence"
    )


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
