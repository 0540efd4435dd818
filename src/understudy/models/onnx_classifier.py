"""ONNX classifier: a classifier of somebody's own, as an ONNX file."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.inference.onnx_session import reason_of, session_from_bytes
from understudy.models.probabilities import Outputs, checked_probabilities
from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import AssetPath, Record

_KINDS = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
}


@register("models", "onnx_classifier")
class OnnxClassifier(Record):
    """Answers as an ONNX file does that takes rows of inputs and gives rows of probabilities or logits."""

    path: AssetPath
    labels: tuple[str, ...] = Field(min_length=2)
    """In the order of the outputs."""
    outputs: Outputs = "probabilities"
    output: str = ""
    """Which output of the file; the first table of numbers when absent."""
    one_hot: tuple[int, ...] = ()
    """How many values each variable has, for a file that takes one column for each value and not one code."""
    numbers: tuple[tuple[float, ...], ...] = ()
    """What each code of each variable stands for, for a file that takes numbers; the codes themselves when absent."""
    legend_digest: str = ""
    """Of the features, values or words that it was exported for; cases with others are refused."""

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the labels."""
        name = Path(self.path).name
        session = _session(Path(self.path))
        given = session.get_inputs()[0]
        rows = self._as_taken(inputs, name)
        try:
            returned = session.run([self._output_of(session)], {given.name: rows.astype(_KINDS[given.type])})[0]
        except Exception as error:  # onnxruntime raises no common class of its own
            if isinstance(error, MaterialsError):
                raise
            raise MaterialsError(
                f"Model {name!r} failed on inputs of the shape {rows.shape}: {reason_of(error)}. "
                "Bind the dataset that it was made for, or export it again with any number of rows."
            ) from None
        return checked_probabilities(returned, len(inputs), name=name, labels=self.labels, outputs=self.outputs)

    def _as_taken(self, inputs: Floats, name: str) -> Floats:
        if self.one_hot:
            return one_hot_rows(inputs, self.one_hot, name)
        return numbers_of_codes(inputs, self.numbers, name) if self.numbers else inputs

    def _output_of(self, session: Any) -> str:
        shown = session.get_outputs()
        names = [one.name for one in shown]
        if self.output and self.output not in names:
            raise MaterialsError(f"{self.path} has no output {self.output!r}. It has: {', '.join(names)}.")
        tables = [one.name for one in shown if one.type in ("tensor(float)", "tensor(double)") and len(one.shape) == 2]
        if not self.output and not tables:
            raise MaterialsError(
                f"{self.path} has no output that is a table of numbers: "
                f"{', '.join(f'{one.name} is {one.type}' for one in shown)}. Export it without a map of labels "
                "(zipmap=False in skl2onnx)."
            )
        return self.output or tables[0]


def numbers_of_codes(inputs: Floats, numbers: tuple[tuple[float, ...], ...], name: str) -> Floats:
    """Turn codes into the numbers that they stand for."""
    _require_sizes(inputs, tuple(len(one) for one in numbers), name)
    return np.column_stack([np.array(one)[inputs[:, place].astype(np.int64)] for place, one in enumerate(numbers)])


def one_hot_rows(inputs: Floats, sizes: tuple[int, ...], name: str) -> Floats:
    """Turn codes into one column for each value."""
    _require_sizes(inputs, sizes, name)
    return np.hstack([np.eye(size)[inputs[:, place].astype(np.int64)] for place, size in enumerate(sizes)])


def _require_sizes(inputs: Floats, sizes: tuple[int, ...], name: str) -> None:
    if inputs.shape[1] != len(sizes):
        raise MaterialsError(
            f"Model {name!r} is said to have {len(sizes)} variables, but its inputs have {inputs.shape[1]}. "
            "Bind the dataset that it was made for."
        )
    over = np.flatnonzero((inputs >= np.array(sizes)).any(axis=0)) if len(inputs) else np.zeros(0, dtype=np.int64)
    if len(over):
        raise MaterialsError(
            f"Model {name!r} is said to have {sizes[over[0]]} values of variable {over[0] + 1}, but its inputs hold code "
            f"{int(inputs[:, over[0]].max())}. Bind the dataset that it was made for."
        )


def _session(path: Path) -> Any:
    if not path.is_file():
        raise MaterialsError(f"{path} is not a file. Put the model there, or correct the path.")
    return _opened(path, path.stat().st_mtime_ns)


@cache
def _opened(path: Path, _changed_ns: int) -> Any:
    session = session_from_bytes(path.read_bytes(), what=str(path))
    given = session.get_inputs()
    if len(given) != 1 or given[0].type not in _KINDS:
        raise MaterialsError(
            f"{path} takes {', '.join(f'{one.name} of {one.type}' for one in given)}; it must take one table of numbers."
        )
    return session
