"""Preregistration: a study in the questions of the usual forms, and what freezes it.

Headings are those of the forms; questions are shortened. What the study does not state is "not declared".
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from pydantic import AwareDatetime, ValidationError

from understudy.errors import UnderstudyError, refuse_large
from understudy.registry import foreign_packages
from understudy.report.coding import scheme_sentences
from understudy.report.pay import money, rate
from understudy.report.study_sentences import (
    chance_sentences,
    condition_sentences,
    description_sentences,
    eligibility_sentences,
    exclusion_sentences,
    factor_sentences,
    flow_sentences,
    hypothesis_sentences,
    item_sentences,
    measure_sentence,
    outcome_sentence,
    partial_sentences,
    sequential_sentences,
    simplification_sentences,
    size_sentence,
    stopping_sentences,
    title_of,
)
from understudy.report.wording import plain
from understudy.schema import AnalysisPlan, Record, Study, digest_of, sentences_from_validation

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


# Freeze a study: write its preregistration form, and the digests that later findings are compared with.


class Freeze(Record):
    """The digests of a preregistered study, with time and software version."""

    format: Literal[1, 2] = 2
    study_name: str
    study_digest: str
    plan_digest: str
    frozen_at: AwareDatetime | None = None
    """To the second, in UTC; absent in files of version 0.1.0, which hold the day only."""
    frozen_on: date
    understudy_version: str
    registry_link: str = ""
    """Where a public registry keeps the form."""
    timestamp_token: str = ""
    """A token of a timestamp authority (RFC 3161) over the form, in base64."""

    def covers(self, study: Study) -> bool:
        """Tell whether a study is the frozen one."""
        return study.digest == self.study_digest

    @property
    def when(self) -> str:
        """When the study was frozen, as exactly as the file says."""
        return f"on {self.frozen_on}" if self.frozen_at is None else f"at {self.frozen_at:%Y-%m-%d %H:%M:%S} UTC"


class Witness(NamedTuple):
    """What somebody else says about the time of a freeze."""

    registry_link: str = ""
    timestamp_token: str = ""


class FrozenFiles(NamedTuple):
    """The two files of a preregistration."""

    form: Path
    sidecar: Path


def freeze(
    study: Study, folder: Path, *, at: datetime, version: str, statements: Statements | None = None
) -> FrozenFiles:
    """Write the form and its sidecar to a folder; a study that is already frozen there keeps its first time."""
    files = FrozenFiles(
        folder / f"{study.name}.preregistration.md",
        folder / f"{study.name}.preregistration.json",
    )
    form = preregistration_markdown(study, statements=statements)
    if files.sidecar.exists():
        earlier = read_freeze(files.sidecar)
        if earlier.covers(study):
            _keep_form(files.form, form, when=earlier.when, is_stated=statements not in (None, Statements()))
            return files
        raise UnderstudyError(
            f"{files.sidecar} freezes another version of {study.name!r}: digest {earlier.study_digest[:12]}, frozen "
            f"{earlier.when}, and this study has {study.digest[:12]}. Freeze into another folder, or give the "
            "changed study another name."
        )
    second = at.astimezone(UTC).replace(microsecond=0)
    promised = Freeze(
        study_name=study.name,
        study_digest=study.digest,
        plan_digest=digest_of(study.plan),
        frozen_at=second,
        frozen_on=second.date(),
        understudy_version=version,
    )
    folder.mkdir(parents=True, exist_ok=True)
    files.form.write_text(form, encoding="utf-8")
    _write(promised, files.sidecar)
    return files


def add_witness(sidecar: Path, witness: Witness) -> Freeze:
    """Add a registry link or a timestamp token to a freeze; what is already there cannot be replaced."""
    frozen = read_freeze(sidecar)
    news = {name: text for name, text in witness._asdict().items() if text}
    for name, text in news.items():
        if getattr(frozen, name) not in ("", text):
            raise UnderstudyError(
                f"{sidecar} already holds another {name.replace('_', ' ')}. It stays as it is; freeze into another folder."
            )
    if any(getattr(frozen, name) != text for name, text in news.items()):
        frozen = frozen.model_copy(update=news)
        _write(frozen, sidecar)
    return frozen


def _write(frozen: Freeze, sidecar: Path) -> None:
    sidecar.write_text(frozen.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _keep_form(path: Path, form: str, *, when: str, is_stated: bool) -> None:
    """Keep a frozen form, restore a missing one, and reject statements that differ from it."""
    if not path.exists():
        path.write_text(form, encoding="utf-8")
    elif is_stated and path.read_text(encoding="utf-8") != form:
        raise UnderstudyError(
            f"{path} was frozen {when} with other statements, and stays as it is. Freeze into another folder, "
            "or, if nobody has seen the form yet, delete both files and freeze again."
        )


def read_freeze(path: Path) -> Freeze:
    """Read the sidecar of a preregistration."""
    refuse_large(path, 64, UnderstudyError, "Check that it is the file that understudy preregister wrote.")
    try:
        return Freeze.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UnderstudyError(f"The preregistration {path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error))
        raise UnderstudyError(f"{path} is not a preregistration file. {faults}") from None
