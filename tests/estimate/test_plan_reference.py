"""The reference page of the plan language: its example runs, and no field is left out."""

import tomllib
from pathlib import Path

import pytest

from understudy.schema import (
    AnalysisPlan,
    Check,
    Derived,
    Description,
    Family,
    Hypothesis,
    Outcome,
    PublishedFigure,
    Reanalysis,
    Record,
    RowFilter,
    SourceFactor,
    SourceMeasure,
    SourceTable,
    TableExclusion,
)

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
RECORDS: tuple[type[Record], ...] = (
    AnalysisPlan, Check, Derived, Description, Family, Hypothesis, Outcome, PublishedFigure, Reanalysis, RowFilter,
    SourceFactor, SourceMeasure, SourceTable, TableExclusion,
)  # fmt: skip


@pytest.mark.parametrize("record", RECORDS)
def test_every_field_is_on_the_page(record: type[Record]) -> None:
    assert [name for name in record.model_fields if f"`{name}`" not in PAGE] == []


def test_the_example_is_a_sound_plan_file() -> None:
    example = PAGE.split("```toml\n")[1].split("```")[0]
    assert len(Reanalysis.model_validate(tomllib.loads(example)).plan.hypotheses) == 3
