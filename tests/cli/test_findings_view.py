"""Findings in a terminal."""

import pytest
from rich.console import Console

from tests.report import report_samples as samples
from understudy.cli.findings_view import print_findings


@pytest.mark.parametrize(
    ("statistic", "shown"), [(1258.5, "U = 1258.5"), (1258.0, "U = 1258,"), (250_000.5, "U = 250000.5")]
)
def test_a_rank_statistic_keeps_its_half(statistic: float, shown: str) -> None:
    found = samples.findings()
    first = found.findings[0]
    assert first.estimate is not None
    estimate = first.estimate.model_copy(update={"statistic": statistic, "statistic_name": "U", "df": ()})
    console = Console(record=True, width=200, quiet=False, file=None)
    with console.capture() as printed:
        print_findings(
            found.model_copy(update={"findings": (first.model_copy(update={"estimate": estimate}),)}), console
        )
    assert shown in printed.get()
