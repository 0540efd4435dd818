"""The rules of the picture and those of Python say the same about every pattern, under every option."""

import itertools
import json
from typing import Any

import pytest

from tests.front_end_scripts import npm_run
from understudy.probe import hypotheses
from understudy.schema import probe as records

ANALYSES = ("A1", "A2", "A3", "A4", "A5", "A6")
PATTERNS = ["".join(signs) for signs in itertools.product("><~", repeat=6)]
OPTIONS: list[dict[str, Any]] = [
    {"a1_less_votes_h7_h8": first, "a2_less_votes_h7_h8": second, "less_confirms_h4": third, "caution": caution}
    for first, second, third in itertools.product((False, True), repeat=3)
    for caution in ("as_printed", "flag", "vote")
]


@pytest.fixture(scope="module")
def told() -> list[list[Any]]:
    asked = json.dumps({"patterns": PATTERNS, "options": OPTIONS})
    answers: list[list[Any]] = json.loads(npm_run("rules", said=asked))
    return answers


def here(pattern: str, options: Any) -> dict[str, Any]:
    outcomes: Any = dict(zip(ANALYSES, pattern, strict=True))
    found = hypotheses.judged(outcomes, options)
    lines = [
        [
            verdict.indicator,
            " ".join(f"{vote.analysis}{'+' if vote.vote > 0 else '-'}" for vote in verdict.votes),
            " ".join(muted.analysis for muted in verdict.muted),
            " ".join(caution.analysis for caution in verdict.cautions),
        ]
        for verdict in found.values()
    ]
    cells = ["".join(cell[0] if cell else "." for cell in row) for row in hypotheses.cells_of(found, options)]
    return {"hypotheses": lines, "cells": cells}


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_both_engines_judge_every_pattern_alike(told: list[list[Any]], number: int) -> None:
    options = records.RuleOptions(**OPTIONS[number])
    wrong = [pattern for pattern, said in zip(PATTERNS, told[number], strict=True) if said != here(pattern, options)]
    assert wrong == []
