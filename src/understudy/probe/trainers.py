"""Trainers: ways to train the models of a concept test."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, JsonValue

from understudy.errors import MaterialsError, UnknownName, optional
from understudy.registry import register
from understudy.roles import Floats, Ints, Objects
from understudy.schema import Record
from understudy.training.loop import changed_by, replayed

__all__ = [
    "Convolutional",
    "Perceptron",
    "ScikitTrainer",
    "TrainerFrom",
]

READ = 1024
"""Pictures classified at once."""


@dataclass(frozen=True)
class TrainedNetwork:
    """A trained torch network."""

    labels: tuple[str, ...]
    network: Any
    device: str

    def predict(self, inputs: Objects) -> Floats:
        """Return the probability of each class."""
        torch = optional("torch", extra="torch")
        self.network.eval()
        with torch.no_grad():
            parts = [
                self.network(_pictures(torch, inputs[k : k + READ]).to(self.device)).softmax(dim=1).cpu().numpy()
                for k in range(0, len(inputs), READ)
            ]
        return np.concatenate(parts).astype(np.float64)


@register("trainers", "convolutional")
class Convolutional(Record):
    """Trains two convolutions of 32 and 64 filters, a pooling, and a layer of 128, with dropout; settings as published.

    Which optimiser was used is not published; the example the network comes from has Adadelta at rate 1.
    """

    n_epochs: int = Field(default=50, ge=1, le=100_000)
    batch: int = Field(default=128, ge=1, le=100_000)
    optimizer: Literal["adadelta", "adam"] = "adadelta"
    pooling: Literal["none", "global"] = "none"
    """`global` keeps the strongest answer of each filter, wherever it is, so that the net cannot tell one corner from
    another; `none` keeps all places, as published."""
    device: Literal["auto", "cpu", "cuda"] = "auto"

    def train(self, inputs: Objects, labels: Ints, seed: int) -> TrainedNetwork:
        """Return the trained network."""
        torch = optional("torch", extra="torch")
        device = self._device(torch)
        torch.manual_seed(seed)
        n_classes = int(labels.max()) + 1
        pictures = _pictures(torch, inputs).to(device)
        truth = torch.from_numpy(labels).to(device)
        network = _network(torch, tuple(pictures.shape[1:]), n_classes, self.pooling).to(device)
        step = self._step(torch, network, pictures, truth)
        torch.cuda.manual_seed(seed)  # capturing a step advances the generator of the GPU
        order_source = torch.Generator().manual_seed(seed)
        network.train()
        for _ in range(self.n_epochs):
            order = torch.randperm(len(pictures), generator=order_source).to(device)
            for indices in order.split(self.batch):
                step(indices)
        return TrainedNetwork(tuple(map(str, range(n_classes))), network, device)

    def _step(self, torch: Any, network: Any, pictures: Any, truth: Any) -> Callable[[Any], None]:
        """Return a function that takes one training step on the pictures with the given indices."""
        kinds: Any = {"adadelta": torch.optim.Adadelta, "adam": torch.optim.Adam}
        rate = {"adadelta": 1.0, "adam": 1e-3}[self.optimizer]
        optimizer = kinds[self.optimizer](network.parameters(), lr=rate, capturable=pictures.is_cuda)

        def step(indices: Any) -> None:
            optimizer.zero_grad(set_to_none=True)
            torch.nn.functional.cross_entropy(network(pictures[indices]), truth[indices]).backward()
            optimizer.step()

        if len(pictures) < self.batch or not pictures.is_cuda:
            return step
        first = torch.arange(self.batch, device=pictures.device)
        return replayed(step, (first,), changed_by(network, (optimizer,)))

    def _device(self, torch: Any) -> str:
        has_card = bool(torch.cuda.is_available())
        if self.device == "cuda" and not has_card:
            raise MaterialsError("There is no graphics card that torch can use. Set the trainer's device to cpu.")
        return "cuda" if has_card and self.device != "cpu" else "cpu"


def _network(torch: Any, shape: tuple[int, int, int], n_classes: int, pooling: str = "none") -> Any:
    nn, (n_channels, height, width) = torch.nn, shape
    if min(height, width) < 6:
        raise MaterialsError(f"Pictures of {height} x {width} are too small for two convolutions and a pooling.")
    is_global = pooling == "global"
    n_flat = 64 if is_global else 64 * ((height - 4) // 2) * ((width - 4) // 2)
    return nn.Sequential(
        nn.Conv2d(n_channels, 32, 3),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d(1) if is_global else nn.MaxPool2d(2),
        nn.Dropout(0.25),
        nn.Flatten(),
        nn.Linear(n_flat, 128),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Linear(128, n_classes),
    )


def _pictures(torch: Any, inputs: Objects) -> Any:
    if inputs.ndim < 3:
        raise MaterialsError("A convolutional network learns from pictures, and these objects are rows of numbers.")
    stacked = inputs[:, None] if inputs.ndim == 3 else inputs
    return torch.from_numpy(np.ascontiguousarray(stacked, dtype=np.float32))


# Trainers made from any estimator with fit and predict_proba.


@dataclass(frozen=True)
class FittedEstimator:
    """A fitted classifier as a model with one probability per class."""

    labels: tuple[str, ...]
    estimator: Any

    def predict(self, inputs: Objects) -> Floats:
        """Return the probability of each class, zero for a class it never saw."""
        kind = type(self.estimator).__name__
        try:
            probabilities = np.asarray(self.estimator.predict_proba(_rows(inputs)), dtype=np.float64)
        except (ValueError, IndexError) as error:
            raise MaterialsError(f"The classifier {kind} cannot predict the test objects: {error}") from error
        if probabilities.shape != (len(inputs), len(self.estimator.classes_)) or not np.isfinite(probabilities).all():
            raise MaterialsError(
                f"The classifier {kind} returned {probabilities.shape} values, or some that are not "
                "finite. Its predict_proba must give one probability for each object and class."
            )
        result = np.zeros((len(inputs), len(self.labels)))
        result[:, np.asarray(self.estimator.classes_, dtype=np.int64)] = probabilities
        return result


@dataclass(frozen=True)
class TrainerFrom:
    """Makes a classifier with `make(seed)`, which has fit and predict_proba as in scikit-learn, and fits it."""

    make: Callable[[int], Any]

    def train(self, inputs: Objects, labels: Ints, seed: int) -> FittedEstimator:
        """Return the fitted classifier."""
        estimator = self.make(seed)
        absent = [name for name in ("fit", "predict_proba") if not hasattr(estimator, name)]
        if absent:
            raise MaterialsError(
                f"A trainer of type {type(estimator).__name__} has no {' and no '.join(absent)}. "
                "Give one with fit(inputs, labels) and predict_proba(inputs)."
            )
        try:
            estimator.fit(_rows(inputs), labels)
        except (ValueError, IndexError) as error:
            raise MaterialsError(
                f"The classifier {type(estimator).__name__} cannot be fitted to these objects: {error}"
            ) from error
        return FittedEstimator(tuple(map(str, range(int(labels.max()) + 1))), estimator)


def _rows(inputs: Objects) -> Objects:
    return inputs.reshape(len(inputs), -1)


# A network with one hidden layer, trained in NumPy, so that a concept test needs no extra package.

Layer = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
RATE, DECAY_1, DECAY_2, EPSILON = 1e-3, 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class TrainedPerceptron:
    """A trained network with one hidden layer."""

    labels: tuple[str, ...]
    hidden: Layer
    out: Layer

    def predict(self, inputs: Objects) -> Floats:
        """Return the probability of each class."""
        return _softmax(_hidden(_perceptron_rows(inputs), self.hidden) @ self.out[0] + self.out[1]).astype(np.float64)


@register("trainers", "perceptron")
class Perceptron(Record):
    """Trains one hidden layer by Adam; the same seed starts two models alike and gives them batches in one order."""

    n_hidden: int = Field(default=64, ge=1, le=100_000)
    n_epochs: int = Field(default=15, ge=1, le=100_000)
    batch: int = Field(default=64, ge=1, le=100_000)
    weight_decay: float = Field(default=1e-4, ge=0)

    def train(self, inputs: Objects, labels: Ints, seed: int) -> TrainedPerceptron:
        """Return the trained network."""
        rows, rng, n_classes = _perceptron_rows(inputs), np.random.default_rng(seed), int(labels.max()) + 1
        weights = [
            _initial_weights(rng, rows.shape[1], self.n_hidden),
            np.zeros(self.n_hidden, dtype=np.float32),
            _initial_weights(rng, self.n_hidden, n_classes),
            np.zeros(n_classes, dtype=np.float32),
        ]
        means, squares = ([np.zeros_like(weight) for weight in weights] for _ in range(2))
        step = 0
        for _ in range(self.n_epochs):
            order = rng.permutation(len(rows))
            for start in range(0, len(order), self.batch):
                step += 1
                indices = order[start : start + self.batch]
                gradients = _gradients(weights, rows[indices], labels[indices])
                for k, gradient in enumerate(gradients):
                    full = gradient + self.weight_decay * weights[k]
                    # Adam (Kingma and Ba, 2015), with bias-corrected moments.
                    means[k] = DECAY_1 * means[k] + (1 - DECAY_1) * full
                    squares[k] = DECAY_2 * squares[k] + (1 - DECAY_2) * full**2
                    scaled = np.sqrt(squares[k] / (1 - DECAY_2**step)) + EPSILON
                    weights[k] = np.subtract(
                        weights[k], RATE * means[k] / (1 - DECAY_1**step) / scaled, dtype=np.float32
                    )
        return TrainedPerceptron(tuple(map(str, range(n_classes))), (weights[0], weights[1]), (weights[2], weights[3]))


def _gradients(weights: list[npt.NDArray[np.float32]], rows: Objects, labels: Ints) -> list[npt.NDArray[np.float32]]:
    hidden = _hidden(rows, (weights[0], weights[1]))
    errors = _softmax(hidden @ weights[2] + weights[3])
    errors[np.arange(len(labels)), labels] -= 1
    errors /= len(labels)
    back = (errors @ weights[2].T) * (hidden > 0)
    return [rows.T @ back, back.sum(axis=0), hidden.T @ errors, errors.sum(axis=0)]


def _initial_weights(rng: np.random.Generator, n_in: int, n_out: int) -> npt.NDArray[np.float32]:
    # Glorot and Bengio (2010), uniform.
    edge = np.sqrt(6 / (n_in + n_out))
    return rng.uniform(-edge, edge, size=(n_in, n_out)).astype(np.float32)


def _perceptron_rows(inputs: Objects) -> Objects:
    return np.ascontiguousarray(inputs.reshape(len(inputs), -1), dtype=np.float32)


def _hidden(rows: Objects, layer: Layer) -> Objects:
    result: Objects = np.maximum(rows @ layer[0] + layer[1], 0)
    return result


def _softmax(scores: Objects) -> Objects:
    # Subtracting the maximum avoids overflow.
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: Objects = powers / powers.sum(axis=1, keepdims=True)
    return result


# Any scikit-learn classifier, by name.


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
