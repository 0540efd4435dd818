"""Opening ONNX files: one sentence for whatever cannot be run."""

import pytest

from understudy.errors import MaterialsError
from understudy.inference.onnx_graphs import GraphBuilder, TensorSpec
from understudy.inference.onnx_models import reason_of, session_from_bytes


def test_what_is_no_model_is_refused_in_one_sentence_that_names_it() -> None:
    with pytest.raises(
        MaterialsError, match=r"^Decoder 'mine' is not an ONNX model that can be run: .*standard opset\.$"
    ):
        session_from_bytes(b"nothing", what="Decoder 'mine'")


def test_what_a_graph_builder_writes_can_be_run() -> None:
    pytest.importorskip("onnx", reason="needs the extra torch")
    graph = GraphBuilder()
    graph.add("Neg", "given", into="shown")
    content = graph.to_bytes(
        "turned", model_input=TensorSpec("given", ["rows", 1]), model_output=TensorSpec("shown", ["rows", 1])
    )
    assert session_from_bytes(content, what="The model").get_outputs()[0].name == "shown"


@pytest.mark.parametrize(
    ("error", "wanted"),
    [(ValueError("one\ntwo"), "one"), (AssertionError(), "AssertionError")],
    ids=["lines", "silent"],
)
def test_the_reason_of_another_library_is_its_first_line_or_the_kind_of_its_error(
    error: Exception, wanted: str
) -> None:
    assert reason_of(error) == wanted
