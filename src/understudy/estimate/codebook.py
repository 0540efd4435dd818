"""The columns of a study's tables, in order, with their descriptions for the codebook."""

from understudy.conduct import Script
from understudy.registry import create
from understudy.roles import HasMeaning, Measure, Task
from understudy.schema import Choice, CodebookEntry, MeasureUse, Question, Study, blocks_in


def _text(variable: str, description: str, source: str = "log") -> CodebookEntry:
    return CodebookEntry(variable=variable, description=description, type="text", source=source)


def _count(variable: str, description: str) -> CodebookEntry:
    return CodebookEntry(variable=variable, description=description, type="integer", source="log")


def _claim(variable: str, description: str, source: str = "log") -> CodebookEntry:
    return CodebookEntry(variable=variable, description=description, type="boolean", source=source)


def _time(variable: str, description: str, unit: str) -> CodebookEntry:
    return CodebookEntry(variable=variable, description=description, unit=unit, scale="time", source="log")


TRIAL_FRAME = (
    _text("session", "Session identifier"),
    _text("participant", "Pseudonym of the participant"),
    _claim("is_synthetic", "True for simulated people"),
    _text("condition", "Condition the session was assigned to"),
)
IS_PILOT = _claim("is_pilot", "True in a pilot, which is not pooled with its study", "study")
"""A column of pilots only, so that their rows stay marked wherever they are copied to."""
TRIAL_PLACE = (
    _text("block", "Block of the flow", "study"),
    _count("try", "Try of the block, from 1"),
    _count("position", "Place in the block, from 0"),
    _text("trial", "Trial identifier", "materials"),
    _text("item", "Item identifier; the same item has one everywhere", "materials"),
    _time("rt_ms", "Time to the committed answer", "ms"),
)
GIVEN_ANSWER = _text("answer.given", "Answer to the question that the factor names", "question")
SESSION_PLACE = (
    _text("cast", "Kind of simulated person; empty for people"),
    _text("outcome", "How the session ended"),
    _text("excluded_by", "Exclusion that applied; empty when none did"),
    _text("flags", "What the server noticed, such as impossible_times; empty when nothing"),
    _count("n_answers", "Answers given in the main stages"),
    _time("minutes", "From the first to the last event of the page", "min"),
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
