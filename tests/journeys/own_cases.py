"""A study of somebody's own table, model and attributions, which journeys then break in one place."""

from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

from tests.playing import stage, study_of
from understudy.actions.study_files import write_study
from understudy.datasets import CodedTable
from understudy.explainers import record_attributions
from understudy.models import export_classifier
from understudy.models.pickled_classifier import Pickled
from understudy.protocols import PredictionProblem, Scope, Simulated, simulation_study
from understudy.roles import Floats, Sample
from understudy.schema import Ref, Study, json_from_record

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


# A model with three answers

TOPICS = ("politics", "science", "sports")
COUNTS = ("votes", "formulas", "goals")
TOPIC_SOURCE = Ref(
    name="coded_table",
    params={"path": "topics.csv", "features": [*COUNTS], "label": "topic", "numbers": [*COUNTS]},
)


class Newsroom:
    """A model of articles: each count speaks for its own topic, and a little against the next one."""

    classes_ = TOPICS

    def predict_proba(self, rows: pd.DataFrame) -> Floats:
        """Return the probabilities of the three topics."""
        scores = topic_weights(rows).sum(axis=1)
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))


def topic_weights(table: pd.DataFrame) -> Floats:
    """Return what each count adds to the score of each topic: (article, count, topic)."""
    weights = np.zeros((len(table), 3, 3))
    for place, name in enumerate(COUNTS):
        weights[:, place, place] = table[name] / 10
        weights[:, place, (place + 1) % 3] = -table[name] / 30
    return weights


def write_topics(folder: Path) -> pd.DataFrame:
    """Write a table of 600 articles, about which the newsroom is often wrong."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame({name: rng.integers(0, 60, size=600) for name in COUNTS}).drop_duplicates()
    noisy = topic_weights(table).sum(axis=1) + rng.normal(0, 2.5, size=(len(table), 3))
    table["topic"] = np.array(TOPICS)[noisy.argmax(axis=1)]
    table.to_csv(folder / "topics.csv", index=False)
    return table


def topics_of(folder: Path) -> Sample:
    """Return every article of the table."""
    return CodedTable(**{**TOPIC_SOURCE.params, "path": str(folder / "topics.csv")}).whole()


def write_topic_model(folder: Path) -> Ref:
    """Write the table and the model of topics, and return the model by a path without a folder."""
    table = write_topics(folder)
    export_classifier(Newsroom(), folder / "news", example=table[[*COUNTS]], legend=topics_of(folder).legend)
    return Ref(name="pickled_classifier", params={"path": "news.joblib"})


def topic_study(model: Ref, explainer: Ref) -> Study:
    """Build a study of the model of topics."""
    about = PredictionProblem(TOPICS, "A computer model sorts articles.", "article")
    scope = Scope(n_items=12, n_examples=12, quota=4, minutes=15, reward=3.0)
    simulated = Simulated(about, TOPIC_SOURCE, model, {"mine": explainer})
    return simulation_study("topics", "Do mine help?", simulated, scope, seed=1)


def topic_pages(explainer: Ref) -> Study:
    """Build a study that shows articles with the model's answer and an explanation, and asks what they are about."""
    asked = {"kind": "choice", "question_id": "guess", "prompt": "What is it about?", "options": [*TOPICS, "leisure"]}
    params = {
        "reveals": ["prediction"],
        "names": {"prediction": "The model's answer"},
        "questions": [asked],
        "keys": {"guess": "label"},
    }
    return study_of(
        {**stage("learn", explains=True), "task": {"name": "judge", "params": params}},
        bindings=[
            {
                "dataset": json_from_record(TOPIC_SOURCE),
                "model": {"name": "pickled_classifier", "params": {"path": "news.joblib"}},
                "explainer": json_from_record(explainer),
            }
        ],
        item_sets=[{"name": "cases", "n_items": 6, "strata": ["prediction"]}],
    )
