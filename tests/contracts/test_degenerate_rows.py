"""Every analysis meets data that carry hardly anything: it finds what there is, or says in a sentence why it cannot."""

import re
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.tools.sm_exceptions  # noqa: F401 - loaded later, it would switch off the errors that its warnings are here
from _pytest.mark import ParameterSet

import understudy
from tests.contracts.fitting_rows import Toy
from tests.contracts.test_analyses import ALL, entry, named, toy_for
from understudy import registry
from understudy.schema import Estimate, Ref

OURS = Path(understudy.__file__).parent
LIBRARY_WORDS = re.compile(r"\b(array|matrix|matrices|shape|ndim|NaN|nan|None|converge|SVD|positive definite)\b")
MAXIMAL = tuple(
    Ref(name=name, params={"random": "maximal"}) for name in ("linear_mixed", "logistic_mixed", "ordinal_mixed")
)
Change = Callable[[pd.DataFrame], pd.DataFrame]


def few(table: pd.DataFrame, n: int) -> pd.DataFrame:
    """Keep some people, of every level as far as possible."""
    people = table["participant"].drop_duplicates().head(n)
    return table[table["participant"].isin(people)]


def first_level(table: pd.DataFrame) -> pd.Series:
    return table["help"] == "shown" if "help" in table else table["participant"] < "p03"


def with_value(table: pd.DataFrame, where: Any, value: Any) -> pd.DataFrame:
    return table.assign(value=table["value"].where(~where, value))


def at_ends(table: pd.DataFrame, is_high: Any) -> pd.DataFrame:
    """Let every answer be the lowest or the highest."""
    return table.assign(value=np.where(is_high, table["value"].max(), table["value"].min()))


def constant_other(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(other=table["other"].iloc[0]) if "other" in table else table


def same_as_other(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(other=table["value"]) if "other" in table else table


DEGENERATE: dict[str, Change] = {
    "everybody says the same": lambda table: table.assign(value=table["value"].iloc[0]),
    "one person": lambda table: few(table, 1),
    "two people": lambda table: few(table, 2),
    "three people": lambda table: few(table, 3),
    "two rows": lambda table: table.iloc[[0, -1]],
    "one item": lambda table: table[table["item"] == table["item"].iloc[0]] if "item" in table else few(table, 4),
    "a level without data": lambda table: table[~first_level(table)],
    "one person at a level": lambda table: table[~first_level(table) | (table["participant"] == table["participant"].iloc[0])],
    "one level all at the top": lambda table: with_value(table, first_level(table), table["value"].max()),
    "perfect separation": lambda table: at_ends(table, first_level(table)),
    "each person always the same": lambda table: table.assign(value=table.groupby("participant")["value"].transform("first")),
    "all but one the same": lambda table: with_value(table, table.index != table.index[0], table["value"].iloc[1]),
    "a constant second outcome": constant_other,
    "a second outcome that is the first": same_as_other,
}  # fmt: skip


def tried() -> Iterator[ParameterSet]:
    """Give every analysis; models that search long for what is not there are slow."""
    for ref in (*ALL, *MAXIMAL):
        is_slow = ref.name in ("logistic_mixed", "ordinal_mixed")
        yield pytest.param(ref, marks=pytest.mark.slow if is_slow else (), id=named(ref))


@pytest.mark.parametrize("ref", [*tried()])
def test_data_that_carry_hardly_anything_end_in_a_finding_or_our_own_sentence(ref: Ref) -> None:
    # An estimate for every table would hide which one is at fault, so all of them are told at once.
    toy = toy_for(ref)
    small = Toy(few(toy.table, 6).reset_index(drop=True), toy.hypothesis)
    faults = {label: trouble for label, change in DEGENERATE.items() if (trouble := trouble_with(ref, small, change))}
    assert faults == {}


def trouble_with(ref: Ref, toy: Toy, change: Change) -> str:
    """Return what is wrong with the answer to a table; empty if it is a finding or a sentence of ours."""
    analysis = entry(ref)
    try:
        found = analysis.estimate(change(toy.table), toy.hypothesis, np.random.default_rng(1))
    except Exception as error:
        return trouble_with_refusal(error)
    return trouble_with_estimate(found)


def trouble_with_refusal(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {error}"
    text = str(error)
    is_sentence = text[:1] == "`" or (text[:1].isupper() or text[:1].isdigit())
    is_ours = type(error) is ValueError and Path(last.filename).is_relative_to(OURS)
    return "" if is_ours and is_sentence and text.endswith(".") and not LIBRARY_WORDS.search(text) else said


def trouble_with_estimate(found: Estimate) -> str:
    if found.p_value is not None and not 0 <= found.p_value <= 1:
        return f"p is {found.p_value}"
    if Estimate.model_validate_json(found.model_dump_json()) != found:
        return "it does not survive JSON"
    silent = found.p_value is None and found.bayes_factor is None and not found.notes
    return "no p-value and no word about it" if silent else ""


def test_every_analysis_of_the_catalogue_is_tried() -> None:
    assert {ref.name for ref in ALL} == set(registry.names("analyses"))
