"""The table of items: what each page of the study showed and asked, and what was right, so that a score can be recomputed.

One row for each page under each combination of levels under which it is shown. Its column `trial` is that of the table of trials.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pydantic import JsonValue

from understudy.conduct import Script
from understudy.schema import CodebookEntry, Materials, Trial, canonical_json

_PLACE = {
    "trial": "Trial identifier, as in the table of trials",
    "item": "Item identifier, as in the table of trials; empty on pages without an item",
    "block": "Block of the flow",
}
_SHOWN = {
    "shown.task": "Task that drew the page",
    "shown.page": "Everything that the page was told, as JSON; files are named by their address in the materials",
    "shown.explanation": "The explanation on the page, as JSON; empty when there was none",
    "shown.questions": "The questions on the page with their possible answers, as JSON",
    "shown.reason": "Why the right answers are right, as told with feedback",
}


def items_table(script: Script, materials: Materials) -> tuple[pd.DataFrame, tuple[CodebookEntry, ...]]:
    """Return one row for each page and combination of levels, in the order of the study, with what its columns mean."""
    factors = [factor.name for factor in script.study.factors]
    rows = []
    for trial_set in materials.trial_sets:
        levels = {name: trial_set.levels.get(name) for name in factors}
        rows += [_row(script, script.trials[trial_id], levels) for trial_id in trial_set.trial_ids]
    codebook = tuple(_codebook(script, rows))
    frame = pd.DataFrame(rows, columns=[entry.variable for entry in codebook])
    return frame.astype(object).where(frame.notna(), None), codebook


def _row(script: Script, trial: Trial, levels: dict[str, str | None]) -> dict[str, Any]:
    plain = trial.model_dump(mode="json")
    content = plain["params"].get("content")
    name = trial.trial_id
    return {
        "trial": name,
        "item": trial.stimulus_id,
        "block": trial.block_id,
        **{factor: level for factor, level in levels.items() if level is not None},
        **_cells("", script.strata.get(name, {})),
        **_cells("content", content if isinstance(content, dict) else {} if content is None else {"whole": content}),
        **_cells("right", script.answers.get(name, {})),
        **_cells("truth", script.truth.get(name, {})),
        "shown.task": trial.task,
        "shown.page": canonical_json(plain["params"]),
        "shown.explanation": canonical_json(plain["explanation"]) if plain["explanation"] else None,
        "shown.questions": canonical_json(plain["asks"]) if plain["asks"] else None,
        "shown.reason": script.reasons.get(name) or None,
    }


def _cells(group: str, values: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {
        f"{group}.{name}" if group else name: canonical_json(value) if isinstance(value, list | dict) else value
        for name, value in values.items()
    }


def _codebook(script: Script, rows: list[dict[str, Any]]) -> Iterator[CodebookEntry]:
    """Describe the columns that occur, place first and what was shown last."""
    found = dict.fromkeys(name for row in rows for name, value in row.items() if value is not None)
    yield from (_entry(name, text, "materials") for name, text in _PLACE.items())
    known = {*_PLACE, *_SHOWN}
    # A dot is in no name that a study declares, so that nothing in these groups can be one of its factors or attributes.
    for factor in script.study.factors:
        if factor.name in found:
            known.add(factor.name)
            yield CodebookEntry(
                variable=factor.name, description="Level under which the page is shown; empty when it is under all",
                type="text", scale="nominal", levels=factor.levels, source="factor",
            )  # fmt: skip
    yield from (
        _entry(name, f"Attribute of the item: {name}", "item", rows)
        for name in found
        if name not in known and "." not in name
    )
    groups = {
        "content": ("Content of the item", "materials"),
        "right": ("Right answer to the question", "answer key"),
        "truth": ("What is true of the item, such as its label or what the model says", "answer key"),
    }
    for group, (text, source) in groups.items():
        names = [name for name in found if name not in known and name.split(".")[0] == group and "." in name]
        yield from (_entry(name, f"{text}: {name.removeprefix(f'{group}.')}", source, rows) for name in names)
    yield from (_entry(name, text, "materials") for name, text in _SHOWN.items() if name in found)


def _entry(name: str, text: str, source: str, rows: list[dict[str, Any]] | None = None) -> CodebookEntry:
    values = [row[name] for row in rows or () if row.get(name) is not None]
    is_claim = bool(values) and all(isinstance(value, bool) for value in values)
    is_number = bool(values) and not is_claim and all(isinstance(value, int | float) for value in values)
    kind = "boolean" if is_claim else "number" if is_number else "text"
    return CodebookEntry.model_validate({"variable": name, "description": text, "type": kind, "source": source})
