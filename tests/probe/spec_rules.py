"""The printed rule table of concept tests, word for word, and a small reader of it that shares no code with the engine."""

import re
from functools import lru_cache
from itertools import permutations, product
from typing import NamedTuple

ANALYSES = ("A1", "A2", "A3", "A4", "A5", "A6")
SIDES = {"A1": "PP MD", "A2": "PP MP", "A3": "PP PD", "A4": "PD MD", "A5": "PD MP", "A6": "MP MD"}

TABLE = """
| 2 | A1 | > | - | H1 H4 H7 | H2 H3 H8 |
| 2 | A1 | < | - | H2 H4 | H1 H3 |
| 2 | A4 | > | - | H11 | H12 |
| 2 | A4 | < | - | H12 | H11 |
| 2 | A6 | > | - | H5 | H6 |
| 2 | A6 | < | - | H6 | H5 |
| 3 | A2 | > | H6 rejected or unproven | H1 H4 H7 | H2 H3 H8 |
| 3 | A2 | > | H6 confirmed | - | - |
| 3 | A2 | < | H5 rejected or unproven | H2 H4 H8 | H1 H3 H7 |
| 3 | A2 | < | H5 confirmed | - | - |
| 3 | A5 | > | H6 rejected or unproven | H11 | H12 |
| 3 | A5 | > | H6 confirmed | - | - |
| 3 | A5 | < | H5 rejected or unproven | H12 | H11 |
| 3 | A5 | < | H5 confirmed | - | - |
| 4 | A3 | > | H1 confirmed | H7 H9 | H8 H10 |
| 4 | A3 | > | H1 unproven | H9 | H10 |
| 4 | A3 | > | H1 rejected | H12 | H11 |
| 4 | A3 | < | H2 confirmed | H8 H10 | H7 H9 |
| 4 | A3 | < | H2 unproven | H10 | H9 |
| 4 | A3 | < | H2 rejected | H10 | H9 |
"""
CAUTIOUS = {("A2", ">", "H6 confirmed"), ("A2", "<", "H5 confirmed"), ("A5", ">", "H6 confirmed"),
            ("A5", "<", "H5 confirmed"), ("A3", "<", "H2 rejected")}  # fmt: skip
"""Rows that the table marks with a caution."""

PATTERNS = tuple("".join(one) for one in product("><~", repeat=6))
"""All 729 outcomes, as A1 to A6."""


class Line(NamedTuple):
    step: int
    analysis: str
    outcome: str
    condition: str
    confirms: list[str]
    rejects: list[str]


@lru_cache
def lines(table: str = TABLE) -> tuple[Line, ...]:
    found = []
    for row in table.strip().splitlines():
        step, analysis, outcome, condition, confirms, rejects = (cell.strip() for cell in row.strip("|").split("|"))
        found.append(
            Line(int(step), analysis, outcome, condition, re.findall(r"H\d+", confirms), re.findall(r"H\d+", rejects))
        )
    return tuple(found)


def indicators(pattern: str, table: str = TABLE) -> dict[str, int]:
    """Read the table for one pattern of outcomes."""
    total = {f"H{number}": 0 for number in range(1, 13)}
    for step in (2, 3, 4):
        known = dict(total)
        for line in lines(table):
            if line.step != step or pattern[ANALYSES.index(line.analysis)] != line.outcome or not holds(line, known):
                continue
            for name in line.confirms:
                total[name] += 1
            for name in line.rejects:
                total[name] -= 1
    return total


def holds(line: Line, known: dict[str, int]) -> bool:
    if line.condition == "-":
        return True
    name, _, words = line.condition.partition(" ")
    return word(known[name]) in words.split(" or ")


def word(indicator: int) -> str:
    return {True: "confirmed", False: "rejected"}[indicator > 0] if indicator else "unproven"


@lru_cache
def realisable() -> frozenset[str]:
    """Return the patterns that some order of four means can give: each test finds the order, or nothing."""
    found = set()
    for order in permutations(("PP", "PD", "MP", "MD")):
        signs = [">" if order.index(s.split()[0]) < order.index(s.split()[1]) else "<" for s in SIDES.values()]
        found |= {"".join(one) for one in product(*(f"{sign}~" for sign in signs))}
    return frozenset(found)
