"""Any scikit-learn classifier, by name."""

from inspect import signature
from typing import Any

from pydantic import JsonValue

from understudy.errors import MaterialsError, UnknownName
from understudy.extras import optional
from understudy.probe.trainers.from_estimator import FittedEstimator, TrainerFrom
from understudy.registry import register
from understudy.roles import Ints, Objects
from understudy.schema import Record


@register("trainers", "scikit")
class ScikitTrainer(Record):
    """Fits a classifier of scikit-learn, such as RandomForestClassifier, with its own parameters."""

    classifier: str = "RandomForestClassifier"
    params: dict[str, JsonValue] = {}

    def train(self, inputs: Objects, labels: Ints, seed: int) -> FittedEstimator:
        """Return the fitted classifier; the seed goes to its random_state where it has one."""
        kinds = dict(optional("sklearn.utils", extra="sklearn").all_estimators(type_filter="classifier"))
        kind: Any = kinds.get(self.classifier)
        if kind is None:
            near = ", ".join(name for name in kinds if hasattr(kinds[name], "predict_proba"))
            raise UnknownName(f"scikit-learn has no classifier {self.classifier!r}. It has: {near}.")
        takes_seed = "random_state" in signature(kind).parameters
        if takes_seed and "random_state" in self.params:
            raise MaterialsError("random_state is the seed of each run, so it cannot be set. Leave it out of params.")
        try:
            kind(**self.params)
        except TypeError as error:
            raise UnknownName(f"{self.classifier} does not take these parameters: {error}.") from None
        return TrainerFrom(lambda k: kind(**self.params, **({"random_state": k} if takes_seed else {}))).train(
            inputs, labels, seed
        )
