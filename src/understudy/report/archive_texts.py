"""The README, change log and codebook of an archive."""

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from understudy.errors import TableError
from understudy.report.theme import PILOT, SYNTHETIC
from understudy.schema import CodebookEntry, Json, Study
from understudy.sources.csv_text import csv_text

# The metadata of a Psych-DS dataset: schema.org terms with an entry for each column.


def data_name(study_name: str, content: str, *, is_synthetic: bool) -> str:
    """Return the stem of a data file: keyword-value pairs whose values have only letters and digits.

    >>> data_name("saliency-helps", "trials", is_synthetic=True)
    'study-saliencyhelps_description-syntheticTrials_data'
    """
    label = f"synthetic{content.capitalize()}" if is_synthetic else content
    return f"study-{re.sub(r'[^A-Za-z0-9]', '', study_name)}_description-{label}_data"


def dataset_description(
    study: Study, codebooks: Sequence[Sequence[CodebookEntry]], *, is_synthetic: bool, software: str
) -> Json:
    """Return the content of dataset_description.json; a column that two tables share appears once."""
    about = f"Data of the study {study.title!r}."
    if study.question:
        about = f"{about} {study.question}"
    if study.pilot_of is not None:
        about = f"{PILOT}. {about}"
    variables: dict[str, Json] = {}
    for codebook in codebooks:
        for entry in codebook:
            variables.setdefault(entry.variable, _property(entry))
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": f"{study.title} (synthetic data)" if is_synthetic else study.title,
        "description": f"{SYNTHETIC}. {about}" if is_synthetic else about,
        "identifier": f"sha256:{study.digest}",
        "version": study.digest[:12],
        "inLanguage": study.language,
        "keywords": ["interpretability", "explanations", *(["synthetic data"] if is_synthetic else [])],
        "measurementTechnique": software,
        "variableMeasured": list(variables.values()),
    }


def table_description(codebook: Sequence[CodebookEntry]) -> Json:
    """Return the content of the sidecar of a data file: the columns of that file."""
    return {"variableMeasured": [_property(entry) for entry in codebook]}


def undescribed(table: str, columns: Iterable[str], codebook: Sequence[CodebookEntry]) -> list[str]:
    """Return a sentence for each fault between the columns of a table and its codebook."""
    names = [entry.variable for entry in codebook]
    missing = [column for column in columns if column not in names]
    twice = sorted({name for name in names if names.count(name) > 1})
    faults = []
    if missing:
        faults.append(f"The codebook of {table} does not describe {', '.join(missing)}; add an entry for each.")
    if twice:
        faults.append(f"The codebook of {table} describes {', '.join(twice)} more than once; keep one entry for each.")
    return faults


def check_described(faults: Sequence[str]) -> None:
    """Raise one error with all faults, if there are any."""
    if faults:
        raise TableError(" ".join(faults))


def _property(entry: CodebookEntry) -> Json:
    written: dict[str, JsonValue] = {
        "@type": "PropertyValue",
        "name": entry.variable,
        "description": entry.description,
    }
    if entry.unit:
        written["unitText"] = entry.unit
    if entry.levels:
        written["valuePattern"] = "|".join(map(re.escape, entry.levels))
    if entry.source:
        written["measurementTechnique"] = entry.source
    return written


_HEADINGS = ("variable", "description", "type", "unit", "scale", "levels", "source")


def readme_text(study: Study, *, is_synthetic: bool, version: str) -> str:
    """Return the README of an archive."""
    trials = data_name(study.name, "trials", is_synthetic=is_synthetic)
    sessions = data_name(study.name, "sessions", is_synthetic=is_synthetic)
    answers = (
        f"| `data/{data_name(study.name, 'answers', is_synthetic=is_synthetic)}.csv` | one row per compared question of a trial |\n"
        if any(factor.scope == "question" for factor in study.factors)
        else ""
    )
    marks = [*([SYNTHETIC] if is_synthetic else []), *([PILOT] if study.pilot_of is not None else [])]
    banner = "".join(f"> **{mark}**\n\n" for mark in marks)
    question = f"{study.question}\n\n" if study.question else ""
    return f"""# {study.title}

{banner}{question}This archive follows the Psych-DS layout. It was written by understudy {version}.

| path | what it holds |
|---|---|
| `data/{trials}.csv` | one row per trial |
| `data/{sessions}.csv` | one row per session |
{answers}| `data/parquet/` | the same tables as Parquet |
| `data/raw/` | every event, one JSON object per line, in order |
| `documentation/codebook.*` | what each column means, as Markdown, CSV and JSON |
| `materials/items.csv` | what each page showed and asked in each condition, with the right answers, what is true and the attributes; its column `trial` joins it to the trials |
| `materials/study.json` | the whole study; `plan.json` is its analysis plan alone |
| `materials/digests.json` | SHA-256 digests of study, plan and materials |
| `results/` | findings and report, when they were made |

Participants appear under pseudonyms. An empty cell means that there is no value.

Study digest: `{study.digest}`
"""


def changes_text(study: Study, version: str) -> str:
    """Return the change log of an archive, which has one version."""
    return f"# Changes\n\n- {study.digest[:12]}: exported by understudy {version} from the study of this digest.\n"


def codebook_csv(codebooks: Mapping[str, Sequence[CodebookEntry]]) -> str:
    """Return the codebooks of all tables as one CSV table."""
    rows = ((table, *_cells(entry)) for table, codebook in codebooks.items() for entry in codebook)
    return csv_text(("table", *_HEADINGS), rows)


def codebook_markdown(codebooks: Mapping[str, Sequence[CodebookEntry]], *, is_synthetic: bool) -> str:
    """Return the codebooks as a Markdown page with one section per table."""
    parts = ["# Codebook", *([f"> **{SYNTHETIC}**"] if is_synthetic else [])]
    for table, codebook in codebooks.items():
        head = f"| {' | '.join(_HEADINGS)} |\n|{'---|' * len(_HEADINGS)}"
        rows = [f"| {' | '.join(_markdown_cell(cell) for cell in _cells(entry))} |" for entry in codebook]
        parts.append(f"## {table.capitalize()}")
        parts.append("\n".join([head, *rows]))
    return "\n\n".join(parts) + "\n"


def _cells(entry: CodebookEntry) -> tuple[str, ...]:
    levels = "; ".join(entry.levels)
    return (entry.variable, entry.description, entry.type, entry.unit, entry.scale or "", levels, entry.source)


def _markdown_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
