"""A network with one hidden layer, trained in NumPy, so that a concept test needs no extra package."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import Field

from understudy.registry import register
from understudy.roles import Floats, Ints, Objects
from understudy.schema import Record

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
        return _softmax(_hidden(_rows(inputs), self.hidden) @ self.out[0] + self.out[1]).astype(np.float64)


@register("trainers", "perceptron")
class Perceptron(Record):
    """Trains one hidden layer by Adam; the same seed starts two models alike and gives them batches in one order."""

    n_hidden: int = Field(default=64, ge=1, le=100_000)
    n_epochs: int = Field(default=15, ge=1, le=100_000)
    batch: int = Field(default=64, ge=1, le=100_000)
    weight_decay: float = Field(default=1e-4, ge=0)

    def train(self, inputs: Objects, labels: Ints, seed: int) -> TrainedPerceptron:
        """Return the trained network."""
        rows, rng, n_classes = _rows(inputs), np.random.default_rng(seed), int(labels.max()) + 1
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


def _rows(inputs: Objects) -> Objects:
    return np.ascontiguousarray(inputs.reshape(len(inputs), -1), dtype=np.float32)


def _hidden(rows: Objects, layer: Layer) -> Objects:
    result: Objects = np.maximum(rows @ layer[0] + layer[1], 0)
    return result


def _softmax(scores: Objects) -> Objects:
    # Subtracting the maximum avoids overflow.
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: Objects = powers / powers.sum(axis=1, keepdims=True)
    return result
