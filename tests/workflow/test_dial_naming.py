"""Names of dials from the tables of a run: analysed people only, by the factors that choose the model."""

import json

import pandas as pd

from understudy.estimate.dial_names import data_factors, dial_names_of
from understudy.estimate.tables import Frames
from understudy.protocols import loan_demo, ross2021_mnist, ross2021_thinkaloud
from understudy.schema import Study


def frames(study: Study, *rows: tuple[str, str, list[str]]) -> Frames:
    (factor,) = (one.name for one in study.factors)
    trials = pd.DataFrame(
        [
            {"session": who, "position": k, factor: level, "names": json.dumps(labels)}
            for k, (who, level, labels) in enumerate(rows)
        ]
    )
    sessions = pd.DataFrame({"session": [row[0] for row in rows], "outcome": "completed", "excluded_by": None})
    sessions.loc[sessions["session"] == "gone", "outcome"] = "withdrew"
    return Frames(trials.astype({"session": "category"}), sessions.drop_duplicates(), 0)


def test_models_come_in_the_order_of_the_study() -> None:
    study = ross2021_mnist()
    found = dial_names_of(study, frames(study, ("a", "ss5", ["slant"]), ("b", "ae5", ["size"])))
    assert [one.group for one in found] == ["ae5", "ss5"]


def test_names_of_people_who_left_do_not_count() -> None:
    study = ross2021_mnist()
    (dial,) = dial_names_of(study, frames(study, ("a", "ae5", ["slant"]), ("gone", "ae5", ["slant"])))
    assert (dial.n_people, dial.n_named) == (1, 1)


def test_a_study_that_asks_for_no_names_has_none() -> None:
    study = loan_demo()
    assert dial_names_of(study, Frames(pd.DataFrame(), pd.DataFrame(), 0)) == ()


def test_every_factor_that_chooses_a_model_keeps_names_apart() -> None:
    assert data_factors(ross2021_thinkaloud()) == ("n_dials", "model")
