"""The README, change log and codebook of an archive."""

from collections.abc import Mapping, Sequence

from understudy.report.dataset_description import data_name
from understudy.report.theme import PILOT, SYNTHETIC
from understudy.schema import CodebookEntry, Study
from understudy.sources.csv_text import csv_text

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
