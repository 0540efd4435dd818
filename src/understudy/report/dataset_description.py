"""The metadata of a Psych-DS dataset: schema.org terms with an entry for each column."""

import re
from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from understudy.errors import TableError
from understudy.report.theme import PILOT, SYNTHETIC
from understudy.schema import CodebookEntry, Json, Study


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
