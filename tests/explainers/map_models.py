"""Tiny real map models: networks of a few nodes in ONNX, whose maps can be computed by hand."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.explainers.stage import LABELS
from understudy.inference.onnx_graphs import GraphBuilder, TensorSpec
from understudy.roles import Floats
from understudy.schema import MapModelCard, Region, StoredPrototype, TreeNode, canonical_json, json_from_record
from understudy.sources.pictures import picture_from_pixels

SIZE = (3, 8, 10)
HEAD = np.array([[-1.0, 0.5, 0.3], [1.0, -0.5, 0.2]])
"""One row for each label, one column for each colour."""
COLOURS = np.array([[0.9, 0.1, 0.1], [0.1, 0.9, 0.1], [0.1, 0.1, 0.9], [0.9, 0.9, 0.1], [0.1, 0.1, 0.1]])
"""What the prototypes look like."""
TREE = (
    TreeNode(prototype=0, absent=1, present=2),
    TreeNode(prototype=1, absent=-1, present=-2),
    TreeNode(prototype=2, absent=-3, present=-4),
)
LEAVES = ((1.0, 0.0), (0.0, 1.0), (0.75, 0.25), (0.25, 0.75))


def write_map_model(folder: Path, method: str = "class_maps", *, factor: float = 1.0, **changes: Any) -> Path:
    """Write a folder whose network averages blocks of 2 x 2 pixels, and weighs or compares their colours."""
    has_prototypes = method in ("prototypes", "tree")
    prototypes = tuple(
        StoredPrototype(
            label="" if method == "tree" else LABELS[index % 2],
            source=f"photo-{index}.png",
            region=Region(left=0.1, top=0.25, width=0.2, height=0.25),
            training_index=index,
        )
        for index in range(len(COLOURS))
    )
    tree = {"nodes": TREE, "leaves": LEAVES} if method == "tree" else {}
    fields: dict[str, Any] = {
        "name": f"tiny {method}", "method": method, "labels": LABELS, "size": SIZE,
        "prototypes": prototypes if has_prototypes else (), **tree, **changes,
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "card.json").write_text(canonical_json(json_from_record(MapModelCard(**fields))), encoding="utf-8")
    (folder / "model.onnx").write_bytes(prototype_network(factor) if has_prototypes else head_network(factor))
    for index in range(len(COLOURS) if has_prototypes else 0):
        pixels = np.random.default_rng(index).integers(256, size=(8, 10, 3), dtype=np.uint8)
        (folder / f"photo-{index}.png").write_bytes(picture_from_pixels(pixels).content)
    return folder


def head_network(factor: float = 1.0, *, n_pictures: int | str = "n") -> bytes:
    """Return a network with a linear head: the logit of a class is the mean of its map."""
    graph = GraphBuilder()
    graph.add("AveragePool", "pictures", into="blocks", kernel_shape=[2, 2], strides=[2, 2])
    graph.constant("head", factor * HEAD[:, :, None, None])
    graph.add("Conv", "blocks", "head", into="maps")
    graph.add("GlobalAveragePool", "maps", into="means")
    graph.add("Flatten", "means", into="logits")
    graph.add("Softmax", "logits", into="probabilities", axis=1)
    return _bytes(graph, n_maps=len(LABELS), n_pictures=n_pictures)


def prototype_network(factor: float = 1.0) -> bytes:
    """Return a network that compares blocks with colours: a similarity is exp(-factor * squared distance)."""
    return _bytes(prototype_graph(COLOURS, factor, n_classes=2), n_maps=len(COLOURS))


def prototype_graph(colours: Floats, factor: float, *, n_classes: int) -> GraphBuilder:
    """Compare blocks of pictures with colours, which speak for one class after the other."""
    graph = GraphBuilder()
    graph.add("AveragePool", "pictures", into="blocks", kernel_shape=[2, 2], strides=[2, 2])
    graph.add("Mul", "blocks", "blocks", into="squares")
    graph.constant("ones", np.ones((len(colours), 3, 1, 1)))
    graph.add("Conv", "squares", "ones", into="lengths")
    graph.constant("colours", -2 * colours[:, :, None, None])
    graph.constant("norms", (colours**2).sum(axis=1))
    graph.add("Conv", "blocks", "colours", "norms", into="products")
    graph.add("Add", "lengths", "products", into="distances")
    graph.constant("slope", np.array(-factor))
    graph.add("Mul", "distances", "slope", into="scaled")
    graph.add("Exp", "scaled", into="maps")
    graph.add("GlobalMaxPool", "maps", into="best")
    graph.add("Flatten", "best", into="similarities")
    graph.constant("votes", np.eye(n_classes)[np.arange(len(colours)) % n_classes])
    graph.add("MatMul", "similarities", "votes", into="logits")
    graph.add("Softmax", "logits", into="probabilities", axis=1)
    return graph


def block_means(inputs: Floats) -> Floats:
    """Return what these networks see of pictures: (n, channels, rows, columns) of blocks of 2 x 2 pixels."""
    n, channels, height, width = inputs.shape
    means: Floats = inputs.reshape(n, channels, height // 2, 2, width // 2, 2).mean(axis=(3, 5))
    return means


def similarity_maps(inputs: Floats) -> Floats:
    """Return the maps of the prototype network, computed in another way."""
    apart = block_means(inputs)[:, None] - COLOURS[None, :, :, None, None]
    return np.asarray(np.exp(-(apart**2).sum(axis=2)), dtype=np.float64)


def _bytes(graph: GraphBuilder, *, n_maps: int, n_pictures: int | str = "n") -> bytes:
    return graph.to_bytes(
        "tiny",
        model_input=TensorSpec("pictures", (n_pictures, *SIZE)),
        model_output=TensorSpec("probabilities", (n_pictures, len(LABELS))),
        further=(TensorSpec("maps", (n_pictures, n_maps, SIZE[1] // 2, SIZE[2] // 2)),),
    )
