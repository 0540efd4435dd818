"""Stops that turn away the wrong people: everybody, or those who agree to take part."""

from collections.abc import Iterator
from itertools import product

from understudy.registry import create
from understudy.schema import Choice, Screen, Stage, Study, blocks_in, functions_in, names_in, rule_from_text
from understudy.tasks.consent import AGREES, DECLINES


def stop_faults(study: Study) -> Iterator[str]:
    """Yield the blocks whose stops let nobody on, and consent pages that mistake yes for no."""
    for block in blocks_in(study.flow):
        if not block.stops:
            continue
        if block.task.name == "consent":
            yield from _consent(block)
        elif _lets_nobody_on(block):
            yield f"Block {block.block_id!r} lets nobody continue: one of its stops holds for every answer. Correct a rule."


def _consent(block: Screen | Stage) -> Iterator[str]:
    if _stopped(block, {"consent": AGREES}):
        yield f"Block {block.block_id!r} ends the session of people who agree to take part. Correct its stops."
    elif not _stopped(block, {"consent": DECLINES}):
        yield f"Block {block.block_id!r} lets people continue who do not agree to take part. Correct its stops."


def _lets_nobody_on(block: Screen | Stage) -> bool:
    asked = {question.question_id: question for question in getattr(create("tasks", block.task), "questions", ())}
    names = sorted({name for stop in block.stops for name in names_in(stop.rule)})
    choices = [asked.get(name) for name in names]
    if any(functions_in(stop.rule) for stop in block.stops):
        return False
    options = [choice.options for choice in choices if isinstance(choice, Choice)]
    if not names or len(options) < len(names):
        return False
    return all(_stopped(block, dict(zip(names, answers, strict=True))) for answers in product(*options))


def _stopped(block: Screen | Stage, answers: dict[str, str]) -> bool:
    return any(rule_from_text(stop.rule)(answers) for stop in block.stops)
