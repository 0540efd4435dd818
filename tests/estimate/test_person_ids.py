"""Ids that are not people: numbers that begin anew in each group are told from people who come back."""

import numpy as np
import pandas as pd
import pytest

from understudy.errors import TableError
from understudy.estimate import recovered_tables
from understudy.estimate.person_ids import id_cautions
from understudy.schema import Reanalysis


def described(participant: str = "who", scope: str = "within") -> Reanalysis:
    return Reanalysis.model_validate(
        {
            "title": "Ids", "table": {"participant": participant, "item": "item"},
            "factors": [{"name": "model", "scope": scope, "levels": ["a", "b"]}],
            "measures": [{"name": "rating", "unit": "trial", "scale": "continuous"}],
            "plan": {"outcomes": [{"name": "rating", "measure": "rating"}]},
        }
    )  # fmt: skip


def answers(seed: int, *, n: int, n_items: int, sd: float, renumbered: bool = False) -> pd.DataFrame:
    """Return ratings of items by people numbered from 1, who differ by `sd`; or by other people with each model."""
    rng = np.random.default_rng(seed)
    people = rng.normal(0, sd, (n, 2))
    rows = [
        (str(person + 1), f"i{item}", "ab"[item % 2], people[person, item % 2 if renumbered else 0] + rng.normal())
        for person in range(n)
        for item in range(n_items)
    ]
    return pd.DataFrame(rows, columns=["who", "item", "model", "rating"])


def said(table: pd.DataFrame, participant: str = "who") -> str:
    reanalysis = described(participant)
    return " ".join(id_cautions(reanalysis, table, recovered_tables(reanalysis, table).tables))


@pytest.mark.parametrize("seed", range(5))
def test_raters_numbered_within_each_item_are_not_people(seed: int) -> None:
    """As `human_idx` within a topic: every row is another person."""
    table = answers(seed, n=15, n_items=150, sd=0)
    assert "no more alike than answers with different ones" in said(table)
    few = answers(seed + 10, n=15, n_items=8, sd=0).rename(columns={"who": "human_idx"})
    assert "may not tell people apart" in said(few, "human_idx")


def test_numbers_that_begin_anew_in_groups_of_different_sizes_are_not_people() -> None:
    table = answers(1, n=20, n_items=12, sd=0.5)
    smaller = table[(table["model"] == "a") | (table["who"].astype(int) <= 14)]
    assert "begin anew at each value of 'model' and go to different last ones (from 14 to 20)" in said(smaller)


@pytest.mark.parametrize("seed", range(5))
def test_groups_of_one_size_with_other_people_in_each_are_told_by_who_answers_high(seed: int) -> None:
    found = said(answers(seed, n=60, n_items=24, sd=0.7, renumbered=True))
    assert (
        "same at every value of 'model', but who answers high at one of them is not who answers high at another"
        in found
    )


def test_ids_with_several_genders_or_worker_ids_are_not_people() -> None:
    table = answers(1, n=20, n_items=12, sd=0.5)
    both = table.assign(gender=np.where(table["model"] == "a", "f", "m"))
    assert "20 of 20 ids have several values of 'gender'" in said(both)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("n", "n_items", "sd"), [(30, 12, 0.5), (20, 40, 0.4), (12, 24, 0.7), (26, 100, 0.3)])
def test_people_who_come_back_pass_without_a_word(seed: int, n: int, n_items: int, sd: float) -> None:
    table = answers(seed, n=n, n_items=n_items, sd=sd)
    assert said(table) == ""
    named = table.assign(who="p" + table["who"], gender=np.where(table["who"].astype(int) % 2, "f", "m"))
    assert said(named) == ""
    lost = table.sample(frac=0.9, random_state=seed).sort_index()
    assert said(lost) == ""


def test_an_id_in_two_groups_of_people_is_refused_without_advice_to_call_them_one_person() -> None:
    with pytest.raises(TableError, match="if their ids begin anew in each level, give each person an id of their own"):
        recovered_tables(described(scope="between"), answers(1, n=20, n_items=12, sd=0.5))
