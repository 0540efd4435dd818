"""ONNX classifier: a user's classifier in an ONNX file."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.inference.onnx_session import reason_of, session_from_bytes
from understudy.models.probabilities import Outputs, checked_probabilities
from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import AssetPath, Record
from understudy.sources.file_cache import read_once

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
