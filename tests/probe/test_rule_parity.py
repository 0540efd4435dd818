"""The rules of the picture and those of Python say the same about every pattern, under every option."""

import importlib.util
import itertools
import json
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from understudy.probe import rules
from understudy.schema import probe as records

FRONTEND = Path(__file__).parents[2] / "frontend"
ANALYSES = ("A1", "A2", "A3", "A4", "A5", "A6")
PATTERNS = ["".join(signs) for signs in itertools.product("><~", repeat=6)]
OPTIONS: list[dict[str, Any]] = [
    {"a1_less_votes_h7_h8": first, "a2_less_votes_h7_h8": second, "less_confirms_h4": third, "caution": caution}
    for first, second, third in itertools.product((False, True), repeat=3)
    for caution in ("as_printed", "flag", "vote")
]


def with_node() -> ModuleType:
    spec = importlib.util.spec_from_file_location("with_node", FRONTEND / "with_node.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def told() -> list[list[Any]]:
    command, environment = with_node().npm_command()
    asked = json.dumps({"patterns": PATTERNS, "options": OPTIONS})
    done = subprocess.run(
        [*command, "run", "--silent", "rules"],
        cwd=FRONTEND, env=environment, input=asked, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers: list[list[Any]] = json.loads(done.stdout)
    return answers


def here(pattern: str, options: Any) -> dict[str, Any]:
    outcomes: Any = dict(zip(ANALYSES, pattern, strict=True))
    found = rules.judged(outcomes, options)
    lines = [
        [
            one.indicator,
            " ".join(f"{vote.analysis}{'+' if vote.vote > 0 else '-'}" for vote in one.votes),
            " ".join(muted.analysis for muted in one.muted),
            " ".join(caution.analysis for caution in one.cautions),
        ]
        for one in found.values()
    ]
    cells = ["".join(cell[0] if cell else "." for cell in row) for row in rules.cells_of(found, options)]
    return {"hypotheses": lines, "cells": cells}


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_both_engines_judge_every_pattern_alike(told: list[list[Any]], number: int) -> None:
    options = records.RuleOptions(**OPTIONS[number])
    wrong = [pattern for pattern, one in zip(PATTERNS, told[number], strict=True) if one != here(pattern, options)]
    assert wrong == []
