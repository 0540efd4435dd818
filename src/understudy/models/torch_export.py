"""Torch modules of somebody's own, written as ONNX files."""

import io
import warnings
from typing import Any

from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.inference.onnx_session import reason_of


def onnx_from_module(
    module: Any, example: Any, *, names: tuple[str, str], tried_on: str, advice: str, has_words: bool = False
) -> bytes:
    """Write a module that takes any number of rows like those of the tensor `example`; `names` are of its two ends.

    Rows of words are of any length. A refusal says what the module was tried on, and gives the advice.
    """
    given, shown = names
    torch = optional("torch", extra="torch")
    optional("onnx", extra="torch")
    module.eval()
    written = io.BytesIO()
    try:
        with warnings.catch_warnings():
            # The exporter by tracing is deprecated, but the newer one needs a package more and names no shapes.
            warnings.simplefilter("ignore")
            torch.onnx.export(
                module,
                (example,),
                written,
                input_names=[given],
                output_names=[shown],
                dynamic_axes={given: {0: "rows", 1: "words"} if has_words else {0: "rows"}, shown: {0: "rows"}},
                opset_version=18,
                dynamo=False,
            )
    except Exception as error:  # whatever a module raises on inputs that it was not made for
        raise MaterialsError(f"The torch module failed on {tried_on}: {reason_of(error)}. {advice}") from None
    return written.getvalue()
