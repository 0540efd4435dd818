"""A study of somebody's own table, model and attributions, which journeys then break in one place."""

from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

from understudy.datasets import CodedTable
from understudy.explainers import record_attributions
from understudy.models import export_classifier
from understudy.models.pickled_classifier import Pickled
from understudy.protocols import PredictionProblem, Scope, Simulated, simulation_study
from understudy.roles import Floats, Sample
from understudy.schema import Ref
from understudy.workflow.studies.study_file import write_study

LABELS = ("declined", "granted")
FEATURES = ("income", "debts", "town")
SOURCE = Ref(
    name="coded_table",
    params={"path": "cases.csv", "features": [*FEATURES], "label": "credit", "numbers": ["income", "debts"]},
)


class Bank:
    """A model of the table: income speaks for a credit, debts against it."""

    classes_ = LABELS

    def predict_proba(self, rows: pd.DataFrame) -> Floats:
        """Return the probabilities of both labels."""
        yes = 1 / (1 + np.exp(-(rows["income"] - rows["debts"] - 20) / 10))
        return np.column_stack([1 - yes, yes])


class Fitted(Bank):
    """A bank that asks a fitted model about income and debts."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def predict_proba(self, rows: pd.DataFrame) -> Floats:
        """Return what the fitted model says."""
        return np.asarray(self.model.predict_proba(rows[["income", "debts"]].to_numpy()))


class Stubborn(Bank):
    """A bank that never grants anything."""

    def predict_proba(self, rows: pd.DataFrame) -> Floats:
        """Return the same for every case."""
        return np.tile([0.9, 0.1], (len(rows), 1))


class Scored(Bank):
    """A bank that gives evidence and no probabilities."""

    def predict_proba(self, rows: pd.DataFrame) -> Floats:
        """Return logits."""
        return np.tile([-4.0, 3.0], (len(rows), 1))


class Spoiled(Bank):
    """A bank that cannot decide where debts are high."""

    def predict_proba(self, rows: pd.DataFrame) -> Floats:
        """Return probabilities, some of which are missing."""
        return np.where((rows["debts"] > 35).to_numpy()[:, None], np.nan, super().predict_proba(rows))


class Single(Bank):
    """A bank with one column."""

    def predict_proba(self, rows: pd.DataFrame) -> Floats:
        """Return the probability of one class only."""
        return super().predict_proba(rows)[:, 1:]


class Closed(Bank):
    """A bank that fails."""

    def predict_proba(self, rows: pd.DataFrame) -> Floats:
        """Fail."""
        raise RuntimeError("closed on Sundays")


def write_cases(folder: Path) -> pd.DataFrame:
    """Write a table of 300 applicants, about whom the bank is often wrong."""
    rng = np.random.default_rng(1)
    income, debts = rng.integers(10, 90, size=300), rng.integers(0, 40, size=300)
    granted = income - debts + rng.normal(0, 25, size=300) > 20
    towns = rng.choice(["Bonn", "Kiel", "Ulm"], size=300)
    table = pd.DataFrame({"income": income, "debts": debts, "town": towns, "credit": np.where(granted, *LABELS[::-1])})
    table.to_csv(folder / "cases.csv", index=False)
    return table


def cases_of(folder: Path) -> Sample:
    """Return every case of the table."""
    return CodedTable(**{**SOURCE.params, "path": str(folder / "cases.csv")}).whole()


def weights_of(table: pd.DataFrame) -> Floats:
    """Return what each feature adds to the evidence."""
    return np.column_stack([(table["income"] - 50) / 10, (20 - table["debts"]) / 10, np.zeros(len(table))])


def write_own_study(folder: Path) -> Path:
    """Write a sound study with everything that it needs; the file names no folder."""
    table = write_cases(folder)
    cases = cases_of(folder)
    export_classifier(Bank(), folder / "bank", example=table[[*FEATURES]], legend=cases.legend)
    record_attributions(folder / "bank.json", cases, weights_of(table), toward="granted")
    model = Ref(name="pickled_classifier", params={"path": "bank.joblib"})
    said = Ref(name="recorded_attributions", params={"path": "bank.json"})
    about = PredictionProblem(LABELS, "A computer model decides on credits.", "applicant")
    scope = Scope(n_items=8, n_examples=4, quota=4, minutes=15, reward=3.0)
    study = simulation_study("own", "Do mine help?", Simulated(about, SOURCE, model, {"lime": said}), scope, seed=1)
    return write_study(study, folder / "own.toml")


def put_model(folder: Path, model: Any, **changes: Any) -> None:
    """Write another model over the sound one, unchecked, as no export would."""
    held: Pickled = joblib.load(folder / "bank.joblib")
    joblib.dump(held._replace(model=model, **changes), folder / "bank.joblib")
