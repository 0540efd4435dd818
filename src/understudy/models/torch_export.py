"""Torch export: write a user's torch module as an ONNX file."""

from typing import Any, Literal

from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.inference.onnx_session import reason_of
from understudy.roles import Floats


def onnx_from_user_module(
    module: Any, example: Any, *, names: tuple[str, str], tried_on: str, advice: str, has_words: bool = False
) -> bytes:
    """Write a module that takes any number of rows like those of the tensor `example`.

    `names` are the names of its input and output. Rows of words may have any length. A refusal says what the module was
    tried on, and gives the advice.
    """
    # Before the module that needs them, so that a missing extra is named by its own package.
    for package in ("torch", "onnx"):
        optional(package, extra="torch")
    export = optional("understudy.training.export", extra="torch")
    input_name, output_name = names
    ends = export.Ends(input_name, (output_name,), free_axes=("rows", "words") if has_words else ("rows",))
    try:
        content: bytes = export.onnx_by_tracing(module, example, ends)
    except Exception as error:  # a user's module may raise anything on inputs that it was not made for
        raise MaterialsError(f"The torch module failed on {tried_on}: {reason_of(error)}. {advice}") from None
    return content


def onnx_from_user_classifier(
    module: Any, rows: Floats, *, takes: Literal["inputs", "pictures"], advice: str, has_words: bool = False
) -> bytes:
    """Write a module that classifies rows like these; `takes` is what people call them."""
    return onnx_from_user_module(
        module,
        optional("torch", extra="torch").from_numpy(rows).float(),
        names=(takes, "outputs"),
        tried_on=f"{takes} of the shape {rows.shape}",
        advice=advice,
        has_words=has_words,
    )
