"""From results to verdicts: compare, correct, judge and explain."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypedDict

import numpy as np
import pandas as pd

from understudy.errors import ResultsError
from understudy.probe.comparisons import Compared, ItemTest, compared, compared_runs, corrected, run_tests, sizing_of
from understudy.probe.hypotheses import HYPOTHESES, SETS, WORDINGS, Judgement, cells_of, claims_of, flips_of, judged
from understudy.probe.results import FourResults, align_runs
from understudy.schema import RuleOptions, Verdicts
from understudy.schema.probe import (
    Correction,
    GroupVerdicts,
    HypothesisId,
    HypothesisVerdict,
    ProbeTest,
    Repeats,
)

_MOST_GROUPS = 200
GROUP_TOO_SMALL = "in_groups_of_one"


class Question(NamedTuple):
    """The settings for judging results."""

    concept: str
    alpha: float
    correction: Correction
    test: ItemTest
    options: RuleOptions
    seed: int


class ProbeOptions(TypedDict, total=False):
    """Options of `probe`, for functions that pass them on."""

    alpha: float
    correction: Correction
    test: ItemTest
    options: RuleOptions
    groups: str | None
    concept: str
    seed: int


def probe(
    results: FourResults | Sequence[FourResults],
    *,
    alpha: float = 0.05,
    correction: Correction = "none",
    test: ItemTest = "t",
    options: RuleOptions = RuleOptions(),  # noqa: B008
    groups: str | None = None,
    group_correction: Correction = "holm",
    concept: str = "the concept",
    difference: float | None = None,
    power: float = 0.8,
    seed: int = 0,
) -> Verdicts:
    """Judge twelve hypotheses about a concept from the results of two models on two data sets.

    Several results are repeated training runs: the comparisons then treat both runs and objects as random, and the
    verdicts say how often each holds in a single run. `groups` names a column; with `group_correction="holm"`
    each comparison is corrected over the groups. `difference` asks how many objects it takes to detect one.
    """
    require_threshold(alpha)
    question = Question(concept, alpha, correction, test, options, seed)
    runs = (results,) if isinstance(results, FourResults) else tuple(results)
    if not runs:
        raise ResultsError(["There are no results; give at least one run."])
    runs = align_runs(runs)
    [family] = corrected([_compared(runs, question)], alpha, within=correction)
    verdicts = _verdicts(family, question, "runs" if len(runs) > 1 else test, _dropped(runs))
    verdicts = verdicts.model_copy(
        update={
            "notes": _notes(runs, family, is_sized=difference is not None),
            "repeats": _repeats(runs, family, question) if len(runs) > 1 else None,
            "sizing": None if difference is None else sizing_of(verdicts, difference, power=power),
        }
    )
    return verdicts if groups is None else _with_groups(verdicts, runs, question, groups, group_correction)


def require_threshold(alpha: float) -> None:
    """Raise an error if a threshold on p is not between 0 and 1."""
    if not 0 < alpha < 1:
        raise ResultsError([f"The threshold is {alpha}; it lies between 0 and 1, such as 0.05."])


def _compared(runs: Sequence[FourResults], question: Question) -> Compared:
    if len(runs) > 1:
        scores = [np.asarray(run.scores(question.options.score), dtype=np.float64) for run in runs]
        return compared_runs(np.stack(scores))
    rng = np.random.default_rng(question.seed)
    return compared(runs[0].scores(question.options.score), question.test, rng)


def _verdicts(family: Compared, question: Question, test: ProbeTest, n_dropped: Mapping[str, int]) -> Verdicts:
    judgements = _judged(family, question)
    return Verdicts(
        concept=question.concept,
        alpha=question.alpha,
        correction=question.correction,
        test=test,
        options=question.options,
        n_objects=family.n,
        n_dropped=dict(n_dropped),
        results=family.results,
        analyses=family.comparisons,
        hypotheses=tuple(_verdict(hypothesis, judgements[hypothesis], question.concept) for hypothesis in HYPOTHESES),
        cells=cells_of(judgements, question.options),
        flips=flips_of(family.comparisons, question.options),
    )


def _verdict(hypothesis: HypothesisId, judgement: Judgement, concept: str) -> HypothesisVerdict:
    claims = claims_of(hypothesis, concept)
    return HypothesisVerdict(
        id=hypothesis,
        statement=WORDINGS[hypothesis].statement,
        state=judgement.state,
        indicator=judgement.indicator,
        votes=tuple(judgement.votes),
        muted=tuple(judgement.muted),
        cautions=tuple(judgement.cautions),
        sentence=f"{claims[judgement.state]} {_grounds(judgement)}",
        claims=claims,
    )


def _grounds(judgement: Judgement) -> str:
    """Return a sentence that names the analyses behind a verdict."""
    sides = {sign: [ballot.analysis for ballot in judgement.votes if ballot.vote == sign] for sign in (1, -1)}
    if sides[1] and sides[-1]:
        return f"{_listed(sides[1])} for it, {_listed(sides[-1])} against it."
    if judgement.votes:
        return f"Shown by {_listed(sides[1] or sides[-1])}."
    if judgement.muted:
        return f"{_listed([ballot.analysis for ballot in judgement.muted])} did not count: {judgement.muted[0].reason}"
    return "No comparison that bears on it is significant."


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _dropped(runs: Sequence[FourResults]) -> dict[str, int]:
    return {reason: sum(run.n_dropped[reason] for run in runs) for reason in runs[0].n_dropped}


def _notes(runs: Sequence[FourResults], family: Compared, *, is_sized: bool) -> tuple[str, ...]:
    of_note: dict[str, list[str]] = {}
    for comparison in family.comparisons:
        of_note.setdefault(comparison.note, []).append(comparison.id)
    notes = [f"{_listed(ids)}: {note}" for note, ids in of_note.items() if note]
    truth = runs[0].truth
    if (truth == truth[0]).all():
        notes.append(f"All objects are of one class ({truth[0]}), so nothing is said about telling classes apart.")
    never = [set_id for row, set_id in enumerate(SETS) if not any(run.correctness[row].any() for run in runs)]
    if never:
        notes.append(
            f"{_listed(never)} {'is' if len(never) == 1 else 'are'} never right. See that labels are written as truths "
            "are; for predicted values, say how correct a value is (--correctness)."
        )
    if is_sized and len(runs) > 1:
        notes.append("Numbers of objects are planned for one run; how much runs differ is not in them.")
    if len(runs) == 2:
        notes.append("Two runs say little about the variance between runs: a 5 % test errs in up to 10 %. Use five.")
    return tuple(notes)


def _repeats(runs: Sequence[FourResults], family: Compared, question: Question) -> Repeats:
    """Judge each run separately and count the verdicts."""
    alone = corrected(
        [_compared([run], question) for run in runs], question.alpha, within=question.correction
    )  # fmt: skip
    states = [
        {hypothesis: judgement.state for hypothesis, judgement in _judged(family, question).items()} for family in alone
    ]  # fmt: skip
    return Repeats(
        n=len(runs),
        names=tuple(run.name or f"run {number}" for number, run in enumerate(runs, start=1)),
        test=question.test,
        shares={
            hypothesis: sum(state[hypothesis] == "confirmed" for state in states) / len(runs)
            for hypothesis in HYPOTHESES
        },
        rejected={
            hypothesis: sum(state[hypothesis] == "rejected" for state in states) / len(runs)
            for hypothesis in HYPOTHESES
        },
        run_test=run_tests(family),
    )


def _judged(family: Compared, question: Question) -> dict[HypothesisId, Judgement]:
    return judged({comparison.id: comparison.outcome for comparison in family.comparisons}, question.options)


def _with_groups(
    verdicts: Verdicts, runs: Sequence[FourResults], question: Question, column: str, correction: Correction
) -> Verdicts:
    """Judge every group of objects, with comparisons corrected over the groups."""
    members, values = pd.factorize(runs[0].grouping(column), sort=True)
    if len(values) > _MOST_GROUPS:
        raise ResultsError(
            [f"{column!r} has {len(values)} values; at most {_MOST_GROUPS} make groups that can be read."]
        )
    # A group of one object has no spread to test.
    counts = np.bincount(members)
    small = [str(value) for value, n in zip(values, counts, strict=True) if n < 2]
    large = {str(value): number for number, value in enumerate(values) if counts[number] >= 2}
    parts = [[run.part(members == number) for run in runs] for number in large.values()]
    families = corrected(
        [_compared(part, question) for part in parts], question.alpha, within=question.correction, across=correction
    )
    groups = tuple(
        GroupVerdicts(
            name=name,
            n=family.n,
            verdicts=_verdicts(family, question, verdicts.test, dict.fromkeys(verdicts.n_dropped, 0)),
        )
        for name, family in zip(large, families, strict=True)
    )
    notes = (
        [f"Groups of one object cannot be tested and are left out of the groups: {', '.join(small)}."] if small else []
    )
    return verdicts.model_copy(
        update={
            "group_by": column, "groups": groups, "notes": (*verdicts.notes, *notes),
            "n_dropped": {**verdicts.n_dropped, GROUP_TOO_SMALL: len(small)},
        }
    )  # fmt: skip
