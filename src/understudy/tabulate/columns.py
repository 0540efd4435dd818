"""The columns of a study's tables, in order, with their descriptions for the codebook."""

from understudy.conduct import Script
from understudy.registry import create
from understudy.roles import HasMeaning, Measure, Task
from understudy.schema import Choice, CodebookEntry, MeasureUse, Question, Study, blocks_in

TRIAL_FRAME = (
    CodebookEntry(variable="session", description="Session identifier", type="text", source="log"),
    CodebookEntry(variable="participant", description="Pseudonym of the participant", type="text", source="log"),
    CodebookEntry(variable="is_synthetic", description="True for simulated people", type="boolean", source="log"),
    CodebookEntry(variable="condition", description="Condition the session was assigned to", type="text", source="log"),
)
IS_PILOT = CodebookEntry(
    variable="is_pilot",
    description="True in a pilot, which is not pooled with its study",
    type="boolean",
    source="study",
)
"""A column of pilots only, so that their rows stay marked wherever they are copied to."""
TRIAL_PLACE = (
    CodebookEntry(variable="block", description="Block of the flow", type="text", source="study"),
    CodebookEntry(variable="try", description="Try of the block, from 1", type="integer", source="log"),
    CodebookEntry(variable="position", description="Place in the block, from 0", type="integer", source="log"),
    CodebookEntry(variable="trial", description="Trial identifier", type="text", source="materials"),
    CodebookEntry(
        variable="item",
        description="Item identifier; the same item has one everywhere",
        type="text",
        source="materials",
    ),
    CodebookEntry(variable="rt_ms", description="Time to the committed answer", unit="ms", scale="time", source="log"),
)
GIVEN_ANSWER = CodebookEntry(
    variable="answer.given", description="Answer to the question that the factor names", type="text", source="question"
)
SESSION_PLACE = (
    CodebookEntry(variable="cast", description="Kind of simulated person; empty for people", type="text", source="log"),
    CodebookEntry(variable="outcome", description="How the session ended", type="text", source="log"),
    CodebookEntry(
        variable="excluded_by", description="Exclusion that applied; empty when none did", type="text", source="log"
    ),
    CodebookEntry(
        variable="flags",
        description="What the server noticed, such as impossible_times; empty when nothing",
        type="text",
        source="log",
    ),
    CodebookEntry(variable="n_answers", description="Answers given in the main stages", type="integer", source="log"),
    CodebookEntry(
        variable="minutes",
        description="From the first to the last event of the page",
        unit="min",
        scale="time",
        source="log",
    ),
    CodebookEntry(variable="base_pay", description="Base pay earned", source="log"),
    CodebookEntry(variable="bonus", description="Bonus earned", source="log"),
)


def trial_columns(script: Script) -> tuple[CodebookEntry, ...]:
    """Return the columns of the trial table."""
    study = script.study
    return (
        *_frame(study),
        *_factors(study, ("between", "within", "item")),
        *_attributes(script),
        *TRIAL_PLACE,
        *_answers(study),
        *(_measure(use) for use in study.measures if _is_trial(use)),
    )


def answer_columns(script: Script) -> tuple[CodebookEntry, ...]:
    """Return the columns of the table of answers; none if the study compares no questions of one page."""
    study = script.study
    if not has_question_factors(study):
        return ()
    return (
        *_frame(study),
        *_factors(study, ("between", "within", "item", "question")),
        *_attributes(script),
        *TRIAL_PLACE,
        GIVEN_ANSWER,
        *(_measure(use) for use in study.measures if _is_question(use)),
    )


def has_question_factors(study: Study) -> bool:
    """Tell whether questions of one page get rows of their own."""
    return any(factor.scope == "question" for factor in study.factors)


def session_columns(script: Script) -> tuple[CodebookEntry, ...]:
    """Return the columns of the session table."""
    study = script.study
    return (
        *_frame(study),
        *_factors(study, ("between",)),
        *SESSION_PLACE,
        *(_measure(use) for use in study.measures if not _is_trial(use) and not _is_question(use)),
    )


def _frame(study: Study) -> tuple[CodebookEntry, ...]:
    """Return the columns with which every row begins."""
    return TRIAL_FRAME if study.pilot_of is None else (*TRIAL_FRAME, IS_PILOT)


def attribute_names(script: Script) -> tuple[str, ...]:
    """Return the item strata that are not declared as factors."""
    factors = {factor.name for factor in script.study.factors}
    return tuple(dict.fromkeys(n for item_set in script.study.item_sets for n in item_set.strata if n not in factors))


def _factors(study: Study, scopes: tuple[str, ...]) -> list[CodebookEntry]:
    where = {
        "between": "people", "within": "a person's stages", "item": "items", "question": "questions of one page"
    }  # fmt: skip
    return [
        CodebookEntry(
            variable=factor.name, description=f"Factor that varies over {where[factor.scope]}", type="text",
            scale="nominal", levels=factor.levels, source="factor",
        )
        for factor in study.factors
        if factor.scope in scopes
    ]  # fmt: skip


def _attributes(script: Script) -> list[CodebookEntry]:
    return [
        CodebookEntry(variable=name, description="Stratum the items are balanced over", type="text", source="item")
        for name in attribute_names(script)
    ]


def _answers(study: Study) -> list[CodebookEntry]:
    by_name: dict[str, list[Question]] = {}
    for block in blocks_in(study.flow):
        task: Task = create("tasks", block.task)
        for question in task.questions:
            by_name.setdefault(question.question_id, []).append(question)
    return [_answer(name, questions) for name, questions in by_name.items()]


def _answer(name: str, questions: list[Question]) -> CodebookEntry:
    """Describe the answers to all questions with one name; the column is numeric only if all of them are."""
    is_number = all(question.kind in ("rating", "slider", "number") for question in questions)
    choices = [question for question in questions if isinstance(question, Choice)]
    options = dict.fromkeys(option for choice in choices for option in choice.options)
    return CodebookEntry(
        variable=f"answer.{name}", description=" / ".join(dict.fromkeys(question.prompt for question in questions)),
        type="number" if is_number else "text", levels=tuple(options) if len(choices) == len(questions) else (),
        source="question",
    )  # fmt: skip


def _measure(use: MeasureUse) -> CodebookEntry:
    measure: Measure = create("measures", use.ref)
    over = f", {use.summary} over" if use.summary else " over" if measure.unit == "trial" else ""
    if use.over is not None:
        over = f", for each question of {use.over}{over}"
    blocks = f" {', '.join(use.blocks) or 'the main stages'}" if over else ""
    text = (
        measure.meaning
        if isinstance(measure, HasMeaning)
        else " ".join((type(measure).__doc__ or "").split()).removesuffix(".")
    )
    return CodebookEntry(
        variable=use.name, description=f"{text}{over}{blocks}", type="text" if measure.scale == "nominal" else "number",
        unit="s" if measure.scale == "time" and measure.unit == "trial" else "",
        scale=measure.scale if use.summary is None else None, source="measure",
    )  # fmt: skip


def _is_trial(use: MeasureUse) -> bool:
    measure: Measure = create("measures", use.ref)
    return measure.unit == "trial" and use.summary is None and use.over is None


def _is_question(use: MeasureUse) -> bool:
    return use.over is not None and use.summary is None
