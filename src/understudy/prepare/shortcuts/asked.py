"""Asked: the questions of a study whose right answers are known, each with its items."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from understudy.prepare.prepared import Prepared
from understudy.schema import Choice, Json, Levels, Stage, Study, Trial, TrialSet, blocks_in, files_named_in

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
