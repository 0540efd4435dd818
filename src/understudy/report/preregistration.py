"""Write a study as a preregistration form with the questions of AsPredicted and of the OSF template.

Headings are those of the forms; questions are shortened. What the study does not state is "not declared".
"""

from collections.abc import Sequence
from typing import TypeAlias

from understudy.registry import foreign_packages
from understudy.report.catalogue_words import plain
from understudy.report.coding import scheme_sentences
from understudy.report.design_sentences import (
    chance_sentences,
    condition_sentences,
    eligibility_sentences,
    factor_sentences,
    flow_sentences,
    item_sentences,
    simplification_sentences,
    size_sentence,
    stopping_sentences,
)
from understudy.report.pay import money, rate
from understudy.report.plan_sentences import (
    description_sentences,
    exclusion_sentences,
    hypothesis_sentences,
    measure_sentence,
    outcome_sentence,
    partial_sentences,
    sequential_sentences,
    title_of,
)
from understudy.schema import AnalysisPlan, Record, Study, digest_of

NOT_DECLARED = "*Not declared.*"

_Questions: TypeAlias = list[tuple[str, str]]


class Statements(Record):
    """Answers that are not part of a study, in the researchers' own words."""

    authors: str = ""
    data_collected: str = ""
    """Whether any data exist already."""
    recruitment: str = ""
    """Where participants come from and who may take part."""
    power: str = ""
    """Why this many participants."""
    blinding: str = ""
    transformations: str = ""
    """Of variables, beyond what outcomes say."""
    missing_data: str = ""
    other: str = ""


def preregistration_markdown(study: Study, *, statements: Statements | None = None) -> str:
    """Return a study as a preregistration form in Markdown."""
    given_statements = statements or Statements()
    head = [
        f"# Preregistration: {plain(study.title)}",
        f"Study `{study.name}`, digest `{study.digest}`, plan digest `{digest_of(study.plan)}`.",
        "Data that are analysed under another digest do not follow this preregistration.",
    ]
    packages = [f"{name} {version}" for name, version in foreign_packages().items()]
    if packages:
        head.append(f"Code of other packages takes part: {', '.join(packages)}.")
    return "\n\n".join([*head, _as_predicted(study, given_statements), _osf(study, given_statements)]) + "\n"


def _as_predicted(study: Study, statements: Statements) -> str:
    return _form(
        "Form A: AsPredicted",
        [
            ("1. Data collection: do any data exist already?", _stated(statements.data_collected)),
            ("2. Hypothesis: what is asked and expected?", _question(study)),
            ("3. Dependent variable: what is measured?", _measured(study)),
            ("4. Conditions: how many, and which?", _listed([*factor_sentences(study), *condition_sentences(study)])),
            ("5. Analyses: which tests decide?", _analyses(study)),
            ("6. Outliers and exclusions", _exclusions(study)),
            ("7. Sample size: how many, and what decides it?", _size(study, statements)),
            ("8. Other", _stated(statements.other)),
            ("9. Type of study", _kind(study)),
        ],
    )


def _osf(study: Study, statements: Statements) -> str:
    parts = [
        ("Study information", _information(study, statements)),
        ("Design plan", _design(study, statements)),
        ("Sampling plan", _sampling(study, statements)),
        ("Variables", _variables(study)),
        ("Analysis plan", _analysis_plan(study, statements)),
        ("Other", [("Other", _stated(statements.other))]),
    ]
    forms = [_form(heading, questions, level=3) for heading, questions in parts]
    return "\n\n".join(["## Form B: OSF preregistration", *forms])


def _information(study: Study, statements: Statements) -> _Questions:
    return [
        ("Title", plain(study.title)),
        ("Authors", _stated(statements.authors)),
        ("Research question", _stated(study.question)),
        ("Hypotheses", _listed([title_of(hypothesis) for hypothesis in study.plan.hypotheses])),
    ]


def _design(study: Study, statements: Statements) -> _Questions:
    return [
        ("Study type", _kind(study)),
        ("Blinding", _stated(statements.blinding)),
        ("Study design", _listed([*factor_sentences(study), *item_sentences(study), *simplification_sentences(study)])),
        ("Course of a session", _numbered(flow_sentences(study))),
        ("Randomisation", _listed(chance_sentences(study))),
    ]


def _sampling(study: Study, statements: Statements) -> _Questions:
    declared = _listed([*eligibility_sentences(study), *_pay(study)])
    return [
        ("Existing data", _stated(statements.data_collected)),
        ("Data collection", f"{_stated(statements.recruitment)}\n\n{declared}"),
        ("Sample size", size_sentence(study)),
        ("Sample size rationale", _stated(statements.power)),
        ("Stopping rule", _listed(stopping_sentences(study))),
    ]


def _variables(study: Study) -> _Questions:
    return [
        ("Manipulated variables", _listed(factor_sentences(study))),
        ("Measured variables", _listed(_measures(study))),
        ("Indices", _listed([outcome_sentence(outcome) for outcome in study.plan.outcomes])),
    ]


def _analysis_plan(study: Study, statements: Statements) -> _Questions:
    return [
        ("Statistical models", _analyses(study)),
        ("Transformations", _stated(statements.transformations)),
        ("Inference criteria", _criteria(study)),
        ("Data exclusion", _exclusions(study)),
        ("Missing data", _missing(study, statements)),
        ("Exploratory analysis", _exploratory(study)),
    ]


def _form(heading: str, questions: _Questions, *, level: int = 2) -> str:
    marks = "#" * level
    return "\n\n".join([f"{marks} {heading}", *(f"{marks}# {label}\n\n{answer}" for label, answer in questions)])


def _stated(text: str) -> str:
    return plain(text) if text.strip() else NOT_DECLARED


def _listed(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences) if sentences else NOT_DECLARED


def _numbered(sentences: Sequence[str]) -> str:
    return "\n".join(f"{k}. {sentence}" for k, sentence in enumerate(sentences, start=1)) if sentences else NOT_DECLARED


def _question(study: Study) -> str:
    return f"{_stated(study.question)}\n\n{_listed([title_of(hypothesis) for hypothesis in study.plan.hypotheses])}"


def _measures(study: Study) -> list[str]:
    return [*(measure_sentence(use) for use in study.measures), *scheme_sentences(study)]


def _measured(study: Study) -> str:
    return _listed([*_measures(study), *(outcome_sentence(outcome) for outcome in study.plan.outcomes)])


def _analyses(study: Study) -> str:
    plan = study.plan
    sections = [
        f"{title_of(hypothesis)}\n\n{_listed(hypothesis_sentences(hypothesis, plan))}" for hypothesis in plan.hypotheses
    ]
    described = description_sentences(plan)
    if described:
        sections.append(f"Described without a test:\n\n{_listed(described)}")
    return "\n\n".join(sections) if sections else NOT_DECLARED


def _exclusions(study: Study) -> str:
    partial = _listed(partial_sentences(study.plan))
    if not study.exclusions:
        return f"The study declares no exclusions.\n\n{partial}"
    return f"Applied in this order:\n\n{_numbered(exclusion_sentences(study))}\n\n{partial}"


def _missing(study: Study, statements: Statements) -> str:
    if study.plan.partial_sessions == "left_out":
        return _stated(statements.missing_data)
    declared = _listed(partial_sentences(study.plan))
    return f"{declared}\n\n{plain(statements.missing_data)}" if statements.missing_data.strip() else declared


def _size(study: Study, statements: Statements) -> str:
    sized = [size_sentence(study), *stopping_sentences(study), *sequential_sentences(study.plan)]
    return f"{_listed(sized)}\n\nRationale: {_stated(statements.power)}"


def _kind(study: Study) -> str:
    manipulated = [factor.name for factor in study.factors if factor.scope in ("between", "within")]
    if manipulated:
        return "Experiment: the researchers vary what people see."
    return "Observational study: all people see the same."


def _criteria(study: Study) -> str:
    plan = study.plan
    sentences = [
        f"A hypothesis is supported if its p-value, corrected where a correction is declared, is below its alpha "
        f"({plan.alpha:g} unless it says otherwise) in the declared direction.",
        "An effect that supports the reverse of a claim, by the same test, alpha and correction, is reported as in the "
        "opposite direction and never counts as support.",
        *_both_sides(plan),
        f"Intervals have a confidence of {plan.confidence:.0%}.",
    ]
    return _listed(sentences)


def _both_sides(plan: AnalysisPlan) -> list[str]:
    if not any(hypothesis.direction in ("greater", "less") for hypothesis in plan.hypotheses):
        return []
    return [
        "Because the reverse of a one-sided claim is judged as well, supported and opposite together are a two-sided test at "
        "twice alpha; support alone is at alpha."
    ]


def _exploratory(study: Study) -> str:
    titles = [title_of(hypothesis) for hypothesis in study.plan.hypotheses if not hypothesis.is_confirmatory]
    return _listed(titles) if titles else "None is declared. Any analysis that is not listed above will be exploratory."


def _pay(study: Study) -> list[str]:
    pay = study.pay
    if pay is None:
        return []
    sentences = [f"Participants receive {money(pay.base, pay.currency)}."]
    for bonus in pay.bonuses:
        cap = f", at most {money(bonus.at_most, pay.currency)}" if bonus.at_most is not None else ""
        sentences.append(
            f"A bonus of {rate(bonus.per_unit, pay.currency)} is paid for each unit of `{bonus.measure}`{cap}."
        )
    return sentences
