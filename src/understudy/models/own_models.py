"""Your own models in studies: ONNX files, tables of probabilities, and recorded answers."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import Field

from understudy.deferred.scipy import special
from understudy.errors import MaterialsError
from understudy.inference.onnx_models import reason_of, session_from_bytes
from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import AssetPath, Record
from understudy.sources.files import read_once
from understudy.sources.hase_sheets import read_stimuli, stimuli_folder
from understudy.sources.hase_stimuli import LABELS, Domain


@register("models", "imported_answers")
class ImportedAnswers(Record):
    """Gives the answers that the model of Hase and Bansal (2020) gave to their items; inputs are rows of items."""

    domain: Domain
    folder: str = ""
    """The folder of master.csv and trials.csv; by default `simulatability-stimuli` inside the data folder."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The two classes."""
        return LABELS[self.domain]

    def predict(self, inputs: Floats) -> Floats:
        """Return probability 1 for the recorded answer, because no probabilities were released."""
        items = read_stimuli(stimuli_folder(self.folder, os.environ), self.domain).items
        if inputs.shape[1] != 1 or not np.isin(inputs, np.arange(len(items))).all():
            raise MaterialsError(
                "Imported answers exist only for the items of hase_stimuli. Bind that dataset, with the same domain."
            )
        answers = [self.labels.index(items[int(row)].prediction) for row in inputs[:, 0]]
        return np.eye(2)[answers].reshape(len(answers), 2)


# Probabilities: check what a user's model returns.

Outputs: TypeAlias = Literal["probabilities", "logits"]
TOLERANCE = 1e-3
"""How far the sum of a row may be from one, because float16 models round."""


def checked_probabilities(
    returned: Any, n_rows: int, *, name: str, labels: tuple[str, ...], outputs: Outputs
) -> Floats:
    """Return rows of probabilities, or say what a model returned instead."""
    try:
        values = np.asarray(returned, dtype=np.float64)
    except (TypeError, ValueError):
        raise MaterialsError(
            f"Model {name!r} returned {type(returned).__name__!r}, which is not a table of numbers. "
            "Return one row of probabilities for each input."
        ) from None
    _check_shape(values, n_rows, name, labels)
    if not np.isfinite(values).all():
        n_faulty = int((~np.isfinite(values)).any(axis=1).sum())
        raise MaterialsError(
            f"Model {name!r} returned values that are not finite for {n_faulty} of {n_rows} inputs. "
            "Fix the model, or leave those inputs out."
        )
    if outputs == "logits":
        return np.asarray(special.softmax(values, axis=1))
    if n_rows and (values.min() < -TOLERANCE or np.abs(values.sum(axis=1) - 1).max() > TOLERANCE):
        raise MaterialsError(
            f"Model {name!r} returned values from {values.min():.3g} to {values.max():.3g} whose rows do not sum to one, "
            "so they look like logits. Put a softmax after them, or say outputs = 'logits'."
        )
    # Within the tolerance, so that later stages can rely on rows that sum to one.
    clipped = np.clip(values, 0, 1)
    return np.asarray(clipped / np.maximum(clipped.sum(axis=1, keepdims=True), 1e-12))


def _check_shape(values: Floats, n_rows: int, name: str, labels: tuple[str, ...]) -> None:
    if values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1):
        raise MaterialsError(
            f"Model {name!r} returned one number for each input, so it knows one class only. "
            "Return one probability for each label; a model that was fitted to one class must be fitted again."
        )
    if values.shape != (n_rows, len(labels)):
        raise MaterialsError(
            f"Model {name!r} returned the shape {values.shape} for {n_rows} inputs and {len(labels)} labels "
            f"({', '.join(labels)}). Return one row for each input and one column for each label."
        )


# ONNX classifier: a user's classifier in an ONNX file.

_KINDS = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
}
_TINY = 1e-12


@register("models", "onnx_classifier")
class OnnxClassifier(Record):
    """Predicts with an ONNX file that takes rows of inputs and returns rows of probabilities or logits."""

    path: AssetPath
    labels: tuple[str, ...] = Field(min_length=2)
    """In the order of the outputs."""
    outputs: Outputs = "probabilities"
    output: str = ""
    """The output to read; the first table of numbers by default."""
    one_hot: tuple[Annotated[int, Field(ge=1, le=1_000_000)], ...] = ()
    """The number of values of each variable, for a file that takes one-hot columns instead of codes."""
    numbers: tuple[tuple[float, ...], ...] = ()
    """The number that each code of each variable means; by default the codes themselves."""
    legend_digest: str = ""
    """Digest of the features, values or words that it was exported for; other cases are refused."""

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the labels."""
        name = Path(self.path).name
        returned = self._returned(inputs)
        return checked_probabilities(returned, len(inputs), name=name, labels=self.labels, outputs=self.outputs)

    def margins(self, inputs: Floats) -> Floats:
        """Return the evidence for the second label over the first: logits as the file has them, or log-odds."""
        if self.outputs == "logits":
            # Checked as probabilities are, and subtracted as they came: a softmax would cut off what is very certain.
            returned = self._returned(inputs)
            name = Path(self.path).name
            checked_probabilities(returned, len(inputs), name=name, labels=self.labels, outputs=self.outputs)
            logits = np.asarray(returned, dtype=np.float64)
            return np.asarray(logits[:, 1] - logits[:, 0])
        likely = np.clip(self.predict(inputs), _TINY, 1 - _TINY)
        return np.asarray(np.log(likely[:, 1] / likely[:, 0]))

    def _returned(self, inputs: Floats) -> Any:
        name = Path(self.path).name
        session = read_once(Path(self.path), _opened, advice="Put the model there, or correct the path.")
        model_input = session.get_inputs()[0]
        rows = self._as_taken(inputs, name)
        try:
            returned = session.run(
                [self._output_of(session)], {model_input.name: rows.astype(_KINDS[model_input.type])}
            )[0]
        except Exception as error:  # onnxruntime's exceptions have no common base class
            if isinstance(error, MaterialsError):
                raise
            raise MaterialsError(
                f"Model {name!r} failed on inputs of the shape {rows.shape}: {reason_of(error)}. "
                "Bind the dataset that it was made for, or export it again with any number of rows."
            ) from None
        return returned

    def _as_taken(self, inputs: Floats, name: str) -> Floats:
        if self.one_hot:
            return one_hot_rows(inputs, self.one_hot, name)
        return numbers_of_codes(inputs, self.numbers, name) if self.numbers else inputs

    def _output_of(self, session: Any) -> str:
        outputs = session.get_outputs()
        names = [output.name for output in outputs]
        if self.output and self.output not in names:
            raise MaterialsError(f"{self.path} has no output {self.output!r}. It has: {', '.join(names)}.")
        tables = [
            output.name
            for output in outputs
            if output.type in ("tensor(float)", "tensor(double)") and len(output.shape) == 2
        ]
        if not self.output and not tables:
            raise MaterialsError(
                f"{self.path} has no output that is a table of numbers: "
                f"{', '.join(f'{output.name} is {output.type}' for output in outputs)}. Export it without a map of labels "
                "(zipmap=False in skl2onnx)."
            )
        return self.output or tables[0]


def numbers_of_codes(inputs: Floats, numbers: tuple[tuple[float, ...], ...], name: str) -> Floats:
    """Replace codes by the numbers that they mean."""
    _require_sizes(inputs, tuple(len(values) for values in numbers), name)
    return np.column_stack(
        [np.array(values)[inputs[:, column].astype(np.int64)] for column, values in enumerate(numbers)]
    )


def one_hot_rows(inputs: Floats, sizes: tuple[int, ...], name: str) -> Floats:
    """Encode codes as one column for each value."""
    _require_sizes(inputs, sizes, name)
    return np.hstack([np.eye(size)[inputs[:, column].astype(np.int64)] for column, size in enumerate(sizes)])


def _require_sizes(inputs: Floats, sizes: tuple[int, ...], name: str) -> None:
    if inputs.shape[1] != len(sizes):
        raise MaterialsError(
            f"Model {name!r} is declared to have {len(sizes)} variables, but its inputs have {inputs.shape[1]}. "
            "Bind the dataset that it was made for."
        )
    over = np.flatnonzero((inputs >= np.array(sizes)).any(axis=0)) if len(inputs) else np.zeros(0, dtype=np.int64)
    if len(over):
        raise MaterialsError(
            f"Model {name!r} is declared to have {sizes[over[0]]} values of variable {over[0] + 1}, but its inputs hold code "
            f"{int(inputs[:, over[0]].max())}. Bind the dataset that it was made for."
        )


def _opened(path: Path) -> Any:
    session = session_from_bytes(path.read_bytes(), what=str(path))
    model_inputs = session.get_inputs()
    if len(model_inputs) != 1 or model_inputs[0].type not in _KINDS:
        raise MaterialsError(
            f"{path} takes {', '.join(f'{model_input.name} of {model_input.type}' for model_input in model_inputs)}; it must take one table of numbers."
        )
    return session
