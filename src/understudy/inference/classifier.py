"""An opened classifier: an ONNX file with its card, checked and ready to use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.errors import MaterialsError
from understudy.inference.card import ClassifierCard
from understudy.inference.onnx_session import OpenedModel, session_from_bytes
from understudy.roles import Floats
from understudy.sources.cases import PADDING, Ints, padded

N_ROWS = {"codes": 16_384, "tokens": 256, "pictures": 128}
"""Rows that are run at once; sentences in fewer, so that short ones need not be padded to the longest."""


class Classifier(OpenedModel[ClassifierCard]):
    """A classifier that passed its checks."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities."""
        return self.card.labels

    @property
    def has_prototypes(self) -> bool:
        """Whether the classifier decides by similarity to cases."""
        return bool(self.card.prototypes)

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the labels."""
        return self.shown("probabilities", inputs)

    def margins(self, inputs: Floats) -> Floats:
        """Return the evidence for the second label over the first."""
        return self.shown("margins", inputs)

    def latents(self, inputs: Floats) -> Floats:
        """Return the last hidden layer."""
        return self.shown("latents", inputs)

    def similarities(self, inputs: Floats) -> Floats:
        """Return the similarity of each input to each prototype."""
        if not self.has_prototypes:
            raise MaterialsError(
                f"Classifier {self.card.name!r} has no prototypes. Name one whose recipe makes prototypes."
            )
        return self.shown("similarities", inputs)

    @property
    def prototype_inputs(self) -> Floats:
        """The prototypes, as inputs."""
        return padded([list(prototype) for prototype in self.card.prototypes])

    @property
    def word_vectors(self) -> Floats | None:
        """The learned vector of each word, one row each; None for a classifier that does not take words."""
        if self.card.takes != "tokens":
            return None
        nothing = np.zeros((1, 1), dtype=np.int64)
        vectors: Floats = self.session.run(["word_vectors"], {"tokens": nothing})[0].astype(np.float64)
        return vectors

    def shown(self, output: str, inputs: Floats) -> Floats:
        """Return one of the outputs of the file for each input."""
        rows = _READERS[self.card.takes](inputs, self.card)
        shape = next(tensor.shape[1:] for tensor in self.session.get_outputs() if tensor.name == output)
        result = np.zeros((len(rows), *shape))
        for places in _chunks(rows, self.card):
            chunk = rows[places]
            if self.card.takes == "tokens":
                chunk = chunk[:, : int((chunk != PADDING).sum(axis=1).max())]
            result[places] = self.session.run([output], {self.card.takes: chunk})[0]
        return result


def classifier_from_bytes(content: bytes, card: ClassifierCard) -> Classifier:
    """Open a classifier and refuse one that does not fit its card."""
    session = session_from_bytes(content, what=f"Classifier {card.name!r}")
    input_names = [tensor.name for tensor in session.get_inputs()]
    output_shapes = {tensor.name: tensor.shape for tensor in session.get_outputs()}
    wanted = {"probabilities", "margins", "latents"} | ({"similarities"} if card.prototypes else set())
    if input_names != [card.takes] or not wanted <= output_shapes.keys():
        raise MaterialsError(
            f"Classifier {card.name!r} takes {', '.join(input_names)} and shows {', '.join(output_shapes)}; its card promises "
            f"{card.takes} and {', '.join(sorted(wanted))}. Use onnx_classifier for your own files."
        )
    if output_shapes["probabilities"][1] != len(card.labels):
        raise MaterialsError(
            f"Classifier {card.name!r} tells {output_shapes['probabilities'][1]} classes apart, but its card names "
            f"{len(card.labels)} labels: {', '.join(card.labels)}."
        )
    return Classifier(card, content, session)


def _chunks(rows: npt.NDArray[Any], card: ClassifierCard) -> Iterator[Ints]:
    """Divide rows into chunks, sentences of similar length together."""
    order = np.arange(len(rows))
    if card.takes == "tokens":
        order = np.argsort((rows != PADDING).sum(axis=1), kind="stable")
    step = N_ROWS[card.takes]
    for start in range(0, len(rows), step):
        yield order[start : start + step]


def _pictures(inputs: Floats, card: ClassifierCard) -> npt.NDArray[np.float32]:
    if inputs.shape[1:] != card.size:
        raise MaterialsError(
            f"Classifier {card.name!r} takes pictures of the shape {card.size} (channels, height, width), but its inputs have "
            f"the shape {inputs.shape[1:]}. Bind pictures of that size."
        )
    return inputs.astype(np.float32)


def _codes(inputs: Floats, card: ClassifierCard) -> Ints:
    n_values = np.array([len(values) for values in card.values])
    if inputs.ndim != 2 or inputs.shape[1] != len(n_values):
        raise MaterialsError(
            f"Classifier {card.name!r} takes rows of {len(n_values)} codes ({', '.join(card.features)}), "
            f"but its inputs have the shape {inputs.shape}. Bind the dataset that it was trained on."
        )
    codes = inputs.astype(np.int64)
    faulty = (codes != inputs) | (codes < 0) | (codes >= n_values)
    if faulty.any():
        row, column = (int(index) for index in np.argwhere(faulty)[0])
        raise MaterialsError(
            f"Classifier {card.name!r} was given {inputs[row, column]:g} for {card.features[column]!r}, whose codes run "
            f"from 0 to {n_values[column] - 1}. Bind the dataset that it was trained on."
        )
    return codes


def _tokens(inputs: Floats, card: ClassifierCard) -> Ints:
    """Move padding to the end of each row, wherever it was; a row without words holds one unknown word."""
    tokens = inputs.astype(np.int64)
    if inputs.ndim != 2 or (tokens != inputs).any() or (tokens < PADDING).any() or (tokens >= len(card.words)).any():
        raise MaterialsError(
            f"Classifier {card.name!r} takes rows of token ids from 0 to {len(card.words) - 1}, padded with {PADDING}; "
            "its inputs are something else. Bind the dataset that it was trained on."
        )
    if tokens.shape[1] == 0:
        return np.zeros((len(tokens), 1), dtype=np.int64)
    is_gap = tokens == PADDING
    if (is_gap[:, :-1] & ~is_gap[:, 1:]).any():
        tokens = np.take_along_axis(tokens, np.argsort(is_gap, axis=1, kind="stable"), axis=1)
    # A recurrent net cannot run on an empty sentence.
    tokens[:, 0] = np.maximum(tokens[:, 0], 0)
    return tokens


_READERS: dict[str, Callable[[Floats, ClassifierCard], npt.NDArray[Any]]] = {
    "codes": _codes,
    "tokens": _tokens,
    "pictures": _pictures,
}
