"""Faults of annotation: schemes that read nothing, and measures or exclusions that read codes nobody can give."""

from collections.abc import Iterator

from understudy.prepare.faults.naming import listed, repeated, unknown
from understudy.registry import create, names, offers
from understudy.roles import ReadsCodes, RecordsVoice, Task
from understudy.schema import MeasureUse, Study, blocks_in, names_in
from understudy.schema.annotation import CodingScheme


def annotation_faults(study: Study) -> Iterator[str]:
    """Yield the faults of what annotators read, and of what depends on it."""
    yield from repeated("Coding scheme", (scheme.scheme_id for scheme in study.annotation))
    for scheme in study.annotation:
        yield from _scheme_faults(study, scheme)
    for use in study.measures:
        yield from _measure_faults(study, use)
    yield from _exclusion_faults(study)


def _scheme_faults(study: Study, scheme: CodingScheme) -> Iterator[str]:
    where = f"Coding scheme {scheme.scheme_id!r}"
    blocks = [block.block_id for block in blocks_in(study.flow)]
    for block in scheme.blocks:
        if block not in blocks:
            yield unknown("block", block, blocks, where=where)
    if scheme.reads == "recordings":
        if not any(offers("tasks", block.task.name, RecordsVoice) for block in blocks_in(study.flow)):
            yield f"{where} reads recordings, but no page asks for the microphone; add the task microphone, or read texts."
        return
    asked = _texts_of(study, scheme)
    for question in scheme.questions:
        if question not in asked:
            yield unknown("question with a free text", question, sorted(asked), where=where)
    if not scheme.questions and not asked:
        yield f"{where} reads free texts, but no page asks for one; add a question of kind text."


def _texts_of(study: Study, scheme: CodingScheme) -> set[str]:
    """Return the free-text questions of the blocks that a scheme reads; unknown tasks are named elsewhere."""
    known = names("tasks")
    tasks: list[Task] = [
        create("tasks", block.task)
        for block in blocks_in(study.flow)
        if block.task.name in known and (not scheme.blocks or block.block_id in scheme.blocks)
    ]
    return {question.question_id for task in tasks for question in task.questions if question.kind == "text"}


def _measure_faults(study: Study, use: MeasureUse) -> Iterator[str]:
    if not _reads_codes(use):
        return
    measure: ReadsCodes = create("measures", use.ref)
    if not measure.scheme_id:
        return
    where = f"Measure {use.name!r}"
    scheme = study.scheme(measure.scheme_id)
    if scheme is None:
        yield unknown("coding scheme", measure.scheme_id, (s.scheme_id for s in study.annotation), where=where)
        return
    known = [code.code_id for code in scheme.codes]
    for code in measure.read_codes:
        # The codes of a scheme that begins with open coding are found by its annotators.
        if scheme.begins == "closed" and code not in known:
            yield unknown("code", code, known, where=where)


def _exclusion_faults(study: Study) -> Iterator[str]:
    coded = [use.name for use in study.measures if _reads_codes(use)]
    for exclusion in study.exclusions:
        if exclusion.rule is None:
            continue
        where, read = f"Exclusion {exclusion.exclusion_id!r}", sorted(names_in(exclusion.rule) & set(coded))
        if exclusion.applies == "annotators" and not read:
            yield (
                f"{where} depends on annotators, but its rule reads no codes. Read a measure of codes, such as "
                "coded, or apply it at_close."
            )
        if exclusion.applies != "annotators" and read:
            yield (
                f"{where} reads {listed(read)}, but nobody has coded anything when a session ends. Write applies = 'annotators'."
            )


def _reads_codes(use: MeasureUse) -> bool:
    return offers("measures", use.measure.name, ReadsCodes)
