"""Faults of what a study names in catalogues: entries, recruiters, coding schemes."""

from collections.abc import Iterable, Iterator, Mapping
from math import floor
from pathlib import Path

from understudy.check.design import listed, repeated, unknown
from understudy.errors import UnknownName
from understudy.prepare.assets import asset_faults, inner_refs
from understudy.registry import Catalogue, create, names, offers
from understudy.roles import (
    DisclosesResults,
    HasBrowserModule,
    Measure,
    NeedsOfPage,
    ReadsCodes,
    RecordsVoice,
    Recruiter,
    Task,
    TurnsDials,
    keyed_questions,
)
from understudy.schema import (
    ROW_FUNCTIONS,
    Gate,
    MeasureUse,
    Question,
    Ref,
    Screen,
    Stage,
    Stop,
    Study,
    blocks_in,
    functions_in,
    names_in,
)
from understudy.schema.annotation import CodingScheme
from understudy.schema.study import minor_digits


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


# Faults of catalogue entries: unknown names, wrong parameters, and missing files.


def catalogue_faults(study: Study, root: Path) -> Iterator[str]:
    """Yield the faults of everything a study names from a catalogue."""
    asked: dict[str, tuple[Question, ...]] = {}
    for block in blocks_in(study.flow):
        try:
            task: Task = create("tasks", block.task)
        except UnknownName as error:
            yield f"Block {block.block_id!r}: {error}"
            continue
        yield from _file_faults("tasks", block.task, root, where=f"Block {block.block_id!r}")
        asked[block.block_id] = task.questions
        yield from repeated(f"In block {block.block_id!r}, question", (q.question_id for q in asked[block.block_id]))
        yield from _gate_faults(block, task)
        yield from _stop_faults(block, task)
    yield from _result_faults(study, asked)
    yield from _measure_page_faults(study, asked)
    for catalogue, ref, where in _refs(study):
        try:
            create(catalogue, ref)
        except UnknownName as error:
            yield f"{where}: {error}"
        else:
            yield from _file_faults(catalogue, ref, root, where=where)
            yield from _inner_faults(catalogue, ref, root, where=where)


def _inner_faults(catalogue: Catalogue, ref: Ref, root: Path, *, where: str) -> Iterator[str]:
    """Yield the faults of the entries that an entry names."""
    for field, inner_catalogue, inner in inner_refs(catalogue, ref):
        try:
            create(inner_catalogue, inner)
        except UnknownName as error:
            yield f"{where}, {field}: {error}"
        else:
            yield from _file_faults(inner_catalogue, inner, root, where=f"{where}, {field},")
            yield from _inner_faults(inner_catalogue, inner, root, where=f"{where}, {field}")


def _refs(study: Study) -> Iterator[tuple[Catalogue, Ref, str]]:
    yield "designs", study.assignment.policy, "The assignment policy"
    for factor in study.factors:
        yield "orderings", factor.order, f"Factor {factor.name!r}, order"
    for item_set in study.item_sets:
        if item_set.dataset is not None:
            yield "datasets", item_set.dataset, f"Item set {item_set.name!r}"
    for number, binding in enumerate(study.bindings, start=1):
        if binding.dataset is not None:
            yield "datasets", binding.dataset, f"Binding {number}"
        if binding.model is not None:
            yield "models", binding.model, f"Binding {number}"
        if binding.explainer is not None:
            yield "explainers", binding.explainer, f"Binding {number}"
        if binding.model_explainer is not None:
            yield "model_explainers", binding.model_explainer, f"Binding {number}"
    for use in study.measures:
        yield "measures", use.ref, f"Measure {use.name!r}"


def _file_faults(catalogue: Catalogue, ref: Ref, root: Path, *, where: str) -> Iterator[str]:
    for fault in asset_faults(catalogue, ref, root):
        yield f"{where} {fault}"


def _gate_faults(block: Screen | Stage, task: Task) -> Iterator[str]:
    if block.gate is not None and block.gate.measure is None and not keyed_questions(task):
        yield f"Block {block.block_id!r} has a gate on share correct, but its task has no key. Give it one, or name a measure."


def _stop_faults(block: Screen | Stage, task: Task) -> Iterator[str]:
    if not block.stops:
        return
    asked = {question.question_id for question in task.questions}
    for stop in block.stops:
        unknown = sorted(names_in(stop.rule) - asked)
        if unknown:
            yield (
                f"Block {block.block_id!r} stops on {listed(map(repr, unknown))}, which it does not ask. "
                f"It asks: {listed(sorted(asked))}."
            )
        grouped = functions_in(stop.rule) - ROW_FUNCTIONS
        if grouped:
            yield (
                f"Block {block.block_id!r} stops on {listed(sorted(grouped))} of its answers; a stop looks at single "
                f"answers: use {listed(sorted(ROW_FUNCTIONS))} only."
            )


def _result_faults(study: Study, asked: dict[str, tuple[Question, ...]]) -> Iterator[str]:
    for block in blocks_in(study.flow):
        if block.block_id not in asked or not offers("tasks", block.task.name, DisclosesResults):
            continue
        task: DisclosesResults = create("tasks", block.task)
        for source, question in task.told_about:
            if source not in asked:
                yield (
                    f"Block {block.block_id!r} tells the result of {source!r}, which is not a block. "
                    f"Blocks are: {listed(asked)}."
                )
                continue
            known = [answered.question_id for answered in asked[source]]
            if question is not None and question not in known:
                yield (
                    f"Block {block.block_id!r} tells the result of {question!r}, which {source!r} does not ask. "
                    f"It asks: {listed(known)}."
                )


def _measure_page_faults(study: Study, asked: dict[str, tuple[Question, ...]]) -> Iterator[str]:
    """Yield the measures that the pages of their blocks cannot give, whatever people do there."""
    pages = {block.block_id: block for block in blocks_in(study.flow)}
    main = tuple(block.block_id for block in pages.values() if block.purpose == "main")
    levels = {factor.name: factor.levels for factor in study.factors if factor.scope == "question"}
    for use in study.measures:
        blocks = use.blocks or main
        if any(block not in asked for block in blocks):
            continue
        tasks = {block: pages[block].task.name for block in blocks}
        refs = [use.measure] if use.over is None else [use.ref_at(level) for level in levels.get(use.over, ())]
        known = list(dict.fromkeys(q.question_id for block in blocks for q in asked[block]))
        for measure in _measures_in(refs):
            fault = _page_fault(measure, tasks)
            unasked = [] if fault else [name for name in _read_questions(measure) if name not in known]
            yield from [f"Measure {use.name!r} {fault}"] if fault else []
            for question in unasked:
                yield (
                    f"Measure {use.name!r} reads the question {question!r}, which its blocks ({listed(blocks)}) do not "
                    f"ask. They ask: {listed(known)}."
                )


def _measures_in(refs: Iterable[Ref]) -> Iterator[Measure]:
    """Yield the measures, and those that they score; wrong names and parameters are told elsewhere."""
    for ref in refs:
        try:
            measure: Measure = create("measures", ref)
        except UnknownName:
            continue
        inner = [value for _, value in measure if isinstance(value, Ref)]  # type: ignore[attr-defined]
        yield from _measures_in(inner) if inner else [measure]


def _read_questions(measure: Measure) -> list[str]:
    """Return the questions that a measure reads, named in the study or by default."""
    fields = ("question", "initial", "about") if hasattr(measure, "question") else ()
    return [name for field in fields if isinstance(name := getattr(measure, field, None), str)]


def _page_fault(measure: Measure, tasks: Mapping[str, str]) -> str:
    """Say what the pages lack that a measure needs; `tasks` has the task of each block. A page of a package may have it."""
    ours = [block for block, task in tasks.items() if not offers("tasks", task, HasBrowserModule)]
    needs = measure.page_needs if isinstance(measure, NeedsOfPage) else ""
    if needs == "steps" and ours:
        return (
            f"reads a decision before the advice, but the page of {ours[0]!r} shows all it has at once. Ask for both "
            "decisions in two phases, the first without the advice, and use the analysis `reliance`."
        )
    if needs == "dials" and len(ours) == len(tasks) and not any(offers("tasks", tasks[b], TurnsDials) for b in ours):
        return (
            f"reads how dials are turned, but its blocks ({listed(tasks)}) have none. Name the blocks of a live model in "
            "`blocks`, or leave the measure out."
        )
    return ""


# Faults of recruitment: what the recruiter needs and the study file does not say.


def recruitment_faults(study: Study) -> Iterator[str]:
    """Yield one sentence for each thing that keeps people from being recruited and paid as the study file says."""
    yield from _uneven_amounts(study)
    if study.recruitment is None:
        return
    try:
        recruiter: Recruiter = create("recruiters", study.recruitment.recruiter)
    except UnknownName as error:
        yield f"The recruiter: {error}"
        return
    yield from recruiter.missing_from(study)


def _uneven_amounts(study: Study) -> Iterator[str]:
    """Yield a sentence for each amount that nobody can pay, because it has parts of a cent."""
    amounts = {"pay.base": study.pay.base} if study.pay is not None else {}
    for block in blocks_in(study.flow):
        rules: tuple[Gate | Stop, ...] = (*block.stops, *filter(None, [block.gate]))
        amounts |= {f"pay_amount of {block.block_id}": rule.pay_amount for rule in rules if rule.pay_amount is not None}
    digits = minor_digits(study.pay.currency) if study.pay is not None else 2
    unit, smallest = (
        (0.01, "to the cent") if digits else (1.0, f"in {study.pay.currency if study.pay else ''}, which has no cents")
    )
    for name, amount in amounts.items():
        if round(amount, digits) != amount:
            low = floor(amount * 10**digits) / 10**digits
            yield f"{name} is {amount}, which cannot be paid {smallest}; write {low:.{digits}f} or {low + unit:.{digits}f}."
