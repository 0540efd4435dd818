"""What a study needs its answer key for during a session, told to a page in sealed parts."""

import ast
import hashlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from understudy.conduct import Script
from understudy.errors import StudyError
from understudy.registry import create, offers
from understudy.roles import ComparesWithKey, DisclosesResults, RecordsVoice
from understudy.schema import MeasureUse, Screen, Stage, names_in

# Rules: a rule of the study as a tree that a page can evaluate.

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.And: "and", ast.Or: "or", ast.Eq: "==",
    ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_FUNCTIONS = ("abs", "missing")


def tree_of_rule(text: str) -> list[JsonValue]:
    """Return the rule as nested lists, operator first; refuse a rule that only Python can evaluate."""
    return _tree(ast.parse(text.strip(), mode="eval").body, text)


def _tree(node: ast.AST, text: str) -> list[JsonValue]:
    def inner(child: ast.AST) -> list[JsonValue]:
        return _tree(child, text)

    match node:
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return ["value", value]
        case ast.Name(id=name):
            return ["value", name == "true"] if name in ("true", "false") else ["name", name]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return ["list", *map(inner, parts)]
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return ["not", inner(part)]
        case ast.UnaryOp(operand=part):
            return ["negative", inner(part)]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return [_OPERATORS[type(op)], inner(left), inner(right)]
        case ast.BoolOp(op=op, values=parts):
            return [_OPERATORS[type(op)], *map(inner, parts)]
        case ast.Compare(left=left, ops=ops, comparators=rights):
            pairs: list[JsonValue] = [
                [_OPERATORS[type(op)], inner(right)] for op, right in zip(ops, rights, strict=True)
            ]
            return ["compare", inner(left), *pairs]
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in _FUNCTIONS:
            return [name, inner(argument)]
    raise StudyError([f"The rule {text!r} uses what only a server can compute. Write it with + - * /, abs or missing."])


class Needs(NamedTuple):
    """Which blocks are judged on the page, and what a page cannot do."""

    sealed: dict[str, frozenset[str | None]]
    """Block -> questions judged there; None means all keyed questions of a trial together."""
    tallies: dict[str, MeasureUse]
    """Measures that result pages show."""
    revealing: tuple[str, ...]
    """What works only if the folder contains the right answers in plain text."""
    impossible: tuple[str, ...]
    """What a page cannot do at all, one sentence each."""


def needs_of(script: Script) -> Needs:
    """Find everything in the flow that a server decides with its key."""
    sealed: dict[str, frozenset[str | None]] = {}
    revealing: list[str] = []
    secret = _secret_stimuli(script)
    for block in script.blocks.values():
        judged = _judged_questions(script, block)
        if judged and _is_secret(script, block, secret):
            revealing.append(_feature_of(block))
        elif judged:
            sealed[block.block_id] = judged
        revealing.extend(_revealing_features(script, block))
    return Needs(sealed, _tallies(script), tuple(revealing), tuple(_impossible(script)))


def keyed_trials(script: Script, block_id: str) -> list[str]:
    """Return the trials of a block that have a right answer."""
    return [name for name, trial in script.trials.items() if trial.block_id == block_id and script.answers.get(name)]


def _secret_stimuli(script: Script) -> set[str | None]:
    main = [block.block_id for block in script.blocks.values() if block.purpose == "main"]
    return {script.trials[name].stimulus_id for block_id in main for name in keyed_trials(script, block_id)} - {None}


def _is_secret(script: Script, block: Screen | Stage, secret: set[str | None]) -> bool:
    """Tell whether sealing a block's answers would let people guess those of the main stages."""
    keyed = keyed_trials(script, block.block_id)
    return block.purpose == "main" or any(script.trials[name].stimulus_id in secret for name in keyed)


def _judged_questions(script: Script, block: Screen | Stage) -> frozenset[str | None]:
    questions: set[str | None] = set()
    if block.gate is not None:
        questions |= (
            {_question_of(script, block.gate.measure)} if _is_correctness(script, block.gate.measure) else set()
        )
    if isinstance(block, Stage) and block.feedback == "after_stage":
        questions.add(None)
    return frozenset(questions) if keyed_trials(script, block.block_id) else frozenset()


def _feature_of(block: Screen | Stage) -> str:
    what = "gate" if block.gate is not None else "feedback at the end"
    return f"the {what} of {block.block_id!r}"


def _revealing_features(script: Script, block: Screen | Stage) -> Iterator[str]:
    keyed = keyed_trials(script, block.block_id)
    if block.feedback == "per_trial" and keyed:
        yield f"the feedback after each trial of {block.block_id!r}"
    if any(names_in(stop.rule) & script.answers[name].keys() for stop in block.stops for name in keyed):
        yield f"the stop of {block.block_id!r}, whose rule reads a question with a right answer"
    if block.purpose == "feedback" and _shown_measures(script, block) and script.study.access.results == "shown":
        yield f"the results shown by {block.block_id!r}"


def _shown_measures(script: Script, block: Screen | Stage) -> list[str]:
    trials = [trial for trial in script.trials.values() if trial.block_id == block.block_id]
    return [str(name) for trial in trials for name in trial.params.get("measures") or ()]  # type: ignore[union-attr]


def _tallies(script: Script) -> dict[str, MeasureUse]:
    shown = {
        name
        for block in script.blocks.values()
        if block.purpose == "feedback"
        for name in _shown_measures(script, block)
    }
    if script.study.access.results != "shown":
        return {}
    return {use.name: use for use in script.study.measures if use.name in shown and use.summary is not None}


def _impossible(script: Script) -> Iterator[str]:
    study = script.study
    if study.participants == "models":
        yield "The study is taken by programs, and a web page is for people; use understudy rehearse."
    if study.access.links != "open" or study.access.new_per_hour is not None:
        yield "The study judges links or counts arrivals (access), which needs a server; use understudy serve."
    for block in script.blocks.values():
        gate = block.gate
        if gate is not None and not _is_correctness(script, gate.measure):
            yield f"The gate of {block.block_id!r} needs the measure {gate.measure!r}; a page can judge only 'correct'."
        if offers("tasks", block.task.name, RecordsVoice):
            yield f"{block.block_id!r} asks to record voices, which needs a server to keep them; use understudy serve."
        if offers("tasks", block.task.name, DisclosesResults):
            yield f"{block.block_id!r} tells people their results, which only a server computes; use understudy serve."
        for again in gate.restudy if gate is not None else ():
            if script.blocks[again].gate is not None:
                yield f"The gate of {block.block_id!r} leads back to {again!r}, which has a gate too; take one out."
        for stop in block.stops:
            try:
                tree_of_rule(stop.rule)
            except StudyError as error:
                yield f"Block {block.block_id!r}: {error}"
        yield from _moving_repeats(script, block)
    for name, use in _tallies(script).items():
        if not offers("measures", use.measure.name, ComparesWithKey):
            yield f"The result {name!r} needs the measure {use.measure.name!r}; a page can show only 'correct'."
    for exclusion, _ in script.exclusion_rules["live"]:
        yield (
            f"The exclusion {exclusion.exclusion_id!r} is decided while people take part, by measures that need a "
            'server; write applies = "at_close".'
        )


def _moving_repeats(script: Script, block: Screen | Stage) -> Iterator[str]:
    """Yield stages whose items depend on more than how far one timed stage got."""
    if not isinstance(block, Stage) or block.repeats is None:
        return
    source = script.blocks[block.repeats]
    if not isinstance(source, Stage) or source.minutes is None:
        return
    gates = [other.gate for other in script.blocks.values() if other.gate is not None]
    is_taken_again = source.gate is not None and source.gate.tries != 1
    if is_taken_again or any(source.block_id in gate.restudy for gate in gates):
        yield f"{block.block_id!r} repeats {source.block_id!r}, which ends by time and can be taken again; a page cannot."


def _is_correctness(script: Script, measure: str | None) -> bool:
    return measure is None or offers("measures", _use(script, measure).measure.name, ComparesWithKey)


def _question_of(script: Script, measure: str | None) -> str | None:
    question = None if measure is None else create("measures", _use(script, measure).measure).question
    return None if question is None else str(question)


def _use(script: Script, measure: str) -> MeasureUse:
    return next(use for use in script.study.measures if use.name == measure)


def question_of_gate(script: Script, measure: str | None) -> str | None:
    """Return the question a gate judges; None for all keyed ones together."""
    return _question_of(script, measure)


# Seals: right answers that a page can recognise but not read.

N_ROUNDS = 20_000
"""Rounds of PBKDF2. They keep an answer from being read or looked up; a few options are still tried in a second."""


class Sealer:
    """Seals answers of one session under one salt."""

    def __init__(self, salt: bytes, n_rounds: int = N_ROUNDS) -> None:
        self.salt = salt
        self.n_rounds = n_rounds

    def seal(self, trial_id: str, questions: Sequence[str], answers: Mapping[str, JsonValue]) -> str:
        """Return one hash of all these answers, so that none can be guessed without the others."""
        marks = "".join(mark_of(answers.get(name)) for name in questions)
        text = f"{trial_id}\x1f{marks}".encode()
        return hashlib.pbkdf2_hmac("sha256", text, self.salt, self.n_rounds).hex()


def mark_of(value: JsonValue) -> str:
    """Write a value so that Python and TypeScript write equal values the same; numbers by their 64 bits."""
    if value is None:
        return "z;"
    if isinstance(value, bool | int | float):
        return f"n{struct.pack('>d', float(value) + 0.0).hex()};"
    if isinstance(value, str):
        return f"s{len(value.encode('utf-16-be')) // 2}:{value};"
    if isinstance(value, list):
        return f"l{''.join(map(mark_of, value))};"
    # Browsers order texts by their UTF-16 units.
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return f"d{''.join(mark_of(name) + mark_of(value[name]) for name in names)};"
