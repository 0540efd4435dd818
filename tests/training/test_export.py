"""Export: what torch writes answers as the net does, is the same each time, and is small enough for a page."""

from typing import Any

import numpy as np
import pytest

from understudy.inference.onnx_models import session_from_bytes
from understudy.roles import Variables, Vocabulary
from understudy.training.recipes import classifier_recipe, decoder_recipe

torch = pytest.importorskip("torch", reason="needs the extra torch")
onnx = pytest.importorskip("onnx", reason="needs the extra torch")

from understudy.training.classifier_nets import ClassifierNet, classifier_from_recipe  # noqa: E402
from understudy.training.classifiers import onnx_from_classifier  # noqa: E402
from understudy.training.decoder_nets import (  # noqa: E402
    adversaries_from_recipe,
    autoencoder_from_recipe,
)
from understudy.training.export import onnx_from_decoder  # noqa: E402
from understudy.training.prototypes import Prototypes  # noqa: E402

torch.set_num_threads(1)
CODES = Variables(("age", "job"), (("young", "old"), ("none", "part", "full")))
WORDS = Vocabulary(("a", "dull", "fine", "film"), None)
LAYERS = {"Constant", "ConvTranspose", "Flatten", "Gemm", "Identity", "LeakyRelu", "Relu", "Reshape", "Sigmoid"}
"""Operators that a decoder may have; onnxruntime-web runs them all."""


def generator(seed: int = 1) -> Any:
    return torch.Generator().manual_seed(seed)


def decoder_of(name: str) -> Any:
    recipe = decoder_recipe(name)
    if recipe.family == "ig":
        return adversaries_from_recipe(recipe, generator()).decoder
    return autoencoder_from_recipe(recipe, generator()).decoder


def settled(name: str) -> Any:
    """Return a decoder whose running averages have moved from their start, so that folding them is put to the test."""
    decoder = decoder_of(name)
    codes = 3 * torch.randn(64, decoder[0].in_features, generator=generator(2))
    with torch.no_grad():
        decoder(codes)
    return decoder.eval()


def classifier_of(legend: Variables | Vocabulary, *, has_prototypes: bool) -> ClassifierNet:
    name = ("income" if isinstance(legend, Variables) else "reviews") + ("-prototypes" if has_prototypes else "-mlp")
    recipe = classifier_recipe(name.replace("reviews-mlp", "reviews-lstm"))
    net = classifier_from_recipe(recipe, legend, 2, generator())
    if has_prototypes:
        net.head = Prototypes(2, 3, recipe.n_latent)
    return net.eval()


def ran(content: bytes, inputs: Any) -> dict[str, Any]:
    session = session_from_bytes(content, what="The model")
    names = [tensor.name for tensor in session.get_outputs()]
    given = session.get_inputs()[0].name
    return dict(zip(names, session.run(names, {given: inputs.numpy()}), strict=True))


@pytest.mark.parametrize("name", ["sinelines-vae", "dsprites-gt", "mnist-ss5", "mnist-ig5"])
def test_a_decoder_file_gives_what_the_net_gives_for_any_number_of_rows(name: str) -> None:
    decoder = settled(name)
    ends_in_sigmoid = name != "sinelines-vae"
    content = onnx_from_decoder(decoder, ends_in_sigmoid=ends_in_sigmoid)
    for n_rows in (1, 7):
        codes = torch.randn(n_rows, decoder[0].in_features, generator=generator(n_rows))
        with torch.no_grad():
            wanted = decoder(codes).sigmoid() if ends_in_sigmoid else decoder(codes)
        np.testing.assert_allclose(ran(content, codes)["shown"], wanted, atol=1e-5)


def test_exporting_leaves_the_net_as_it_was() -> None:
    decoder = settled("mnist-ss5")
    before = {name: value.clone() for name, value in decoder.state_dict().items()}
    onnx_from_decoder(decoder, ends_in_sigmoid=True)
    assert all(torch.equal(value, before[name]) for name, value in decoder.state_dict().items())


@pytest.mark.parametrize("name", ["sinelines-vae", "mnist-ss5"])
def test_a_decoder_file_has_plain_layers_and_little_besides_its_weights(name: str) -> None:
    decoder = settled(name)
    content = onnx_from_decoder(decoder, ends_in_sigmoid=True)
    model = onnx.load_model_from_string(content)
    assert {node.op_type for node in model.graph.node} <= LAYERS
    assert model.opset_import[0].version == 18
    assert len(content) < 4 * sum(parameter.numel() for parameter in decoder.parameters()) + 4_000


@pytest.mark.parametrize("has_prototypes", [False, True])
def test_a_file_of_codes_gives_what_the_net_gives(has_prototypes: bool) -> None:
    net = classifier_of(CODES, has_prototypes=has_prototypes)
    codes = torch.tensor([[0, 0], [1, 2], [0, 1]])
    check(net, ran(onnx_from_classifier(net), codes), codes)


@pytest.mark.parametrize("has_prototypes", [False, True])
def test_a_file_of_tokens_gives_what_the_net_gives_for_rows_of_any_length_and_order(has_prototypes: bool) -> None:
    net = classifier_of(WORDS, has_prototypes=has_prototypes)
    content = onnx_from_classifier(net)
    for rows in ([[1, -1, -1, -1], [0, 2, 3, 1], [3, 2, -1, -1]], [[2]]):
        tokens = torch.tensor(rows)
        outputs = ran(content, tokens)
        check(net, outputs, tokens)
        np.testing.assert_array_equal(
            outputs["word_vectors"], dict(net.body.named_parameters())["words.weight"].detach()
        )


def check(net: ClassifierNet, outputs: dict[str, Any], inputs: Any) -> None:
    with torch.no_grad():
        latents, evidence = net.latents(inputs), net(inputs)
    np.testing.assert_allclose(outputs["latents"], latents, atol=1e-5)
    np.testing.assert_allclose(outputs["probabilities"], evidence.softmax(1), atol=1e-5)
    np.testing.assert_allclose(outputs["margins"], evidence[:, 1] - evidence[:, 0], atol=1e-5)
    if isinstance(net.head, Prototypes):
        with torch.no_grad():
            similarities = net.head.similarities(latents)
        np.testing.assert_allclose(outputs["similarities"], similarities, atol=1e-5)


def test_a_net_is_written_in_the_same_bytes_each_time() -> None:
    decoder, net = settled("sinelines-vae"), classifier_of(WORDS, has_prototypes=True)
    assert onnx_from_decoder(decoder, ends_in_sigmoid=False) == onnx_from_decoder(decoder, ends_in_sigmoid=False)
    assert onnx_from_classifier(net) == onnx_from_classifier(net)


def test_no_output_but_its_rows_is_left_without_a_length() -> None:
    session = session_from_bytes(onnx_from_classifier(classifier_of(WORDS, has_prototypes=True)), what="The model")
    shapes = {tensor.name: tensor.shape for tensor in session.get_outputs()}
    assert (shapes["latents"], shapes["similarities"], shapes["margins"]) == (["rows", 8], ["rows", 6], ["rows"])
    assert shapes["word_vectors"] == [4, 16]


def test_exporting_a_recurrent_net_says_nothing_past_python(capfd: pytest.CaptureFixture[str]) -> None:
    onnx_from_classifier(classifier_of(WORDS, has_prototypes=False))
    assert capfd.readouterr().err == ""
