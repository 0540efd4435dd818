"""Stand-ins: photos with a coloured patch, and networks of a few nodes that find it, so that no training is needed."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.explainers.map_models import prototype_graph
from understudy.inference.onnx_graphs import GraphBuilder, TensorSpec
from understudy.protocols.kim2022.photos import Photos
from understudy.protocols.kim2022.variants import Method
from understudy.schema import MapModelCard, Ref, Region, StoredPrototype, TreeNode, canonical_json, json_from_record
from understudy.sources.pictures import picture_from_pixels

LABELS = ("wren", "robin", "finch", "swift", "heron", "stork")
COLOURS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=float)
PROTOTYPES = np.concatenate([COLOURS, 0.7 * COLOURS])
SIZE = (3, 16, 16)
CARD_METHODS: dict[Method, str] = {
    "gradcam": "class_maps",
    "bagnet": "patch_logits",
    "protopnet": "prototypes",
    "prototree": "tree",
}
NODES = (
    TreeNode(prototype=0, absent=1, present=2),
    TreeNode(prototype=1, absent=3, present=4),
    TreeNode(prototype=2, absent=5, present=6),
    *(TreeNode(prototype=3 + k, absent=-1 - 2 * k, present=-2 - 2 * k) for k in range(4)),
)


def stand_in(folder: Path, method: Method, *, n_photos: int = 150) -> Photos:
    """Write photos and a model, and return them as a study takes them."""
    write_photos(folder / "photos", n_photos)
    write_model(folder / method, CARD_METHODS[method])
    return Photos(
        name="stand-in",
        dataset=Ref(name="picture_folder", params={"folder": "photos"}),
        model=Ref(name="map_model", params={"folder": method}),
        accuracy=72.5,
        n_classes=len(LABELS),
        noun="species",
        plural="species",
        most_rows=3,
    )


def write_photos(folder: Path, n: int) -> None:
    """Write photos with a patch in the colour of their class; every third has that of another class."""
    if folder.exists():
        return
    rng = np.random.default_rng(7)
    for number in range(n):
        label = number % len(LABELS)
        colour = COLOURS[(label + 1 + number % 4) % 6 if number % 3 == 0 else label]
        pixels = rng.uniform(0.35, 0.65, size=(16, 16, 3))
        top, left = rng.integers(0, 5, size=2) * 2
        pixels[top : top + 6, left : left + 6] = colour * rng.uniform(0.8, 1.0)
        path = folder / LABELS[label] / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture_from_pixels((255 * pixels).astype(np.uint8)).content)


def write_model(folder: Path, method: str) -> None:
    """Write the folder of a map model."""
    has_prototypes = method in ("prototypes", "tree")
    n_prototypes = len(PROTOTYPES) if has_prototypes else 0
    leaves = tuple(tuple(float(k % 6 == leaf % 6) for k in range(6)) for leaf in range(8))
    fields: dict[str, Any] = {
        "name": f"stand-in {method}", "method": method, "labels": LABELS, "size": SIZE,
        "prototypes": tuple(_prototype(index, method) for index in range(n_prototypes)),
        "scores": {"accuracy": {"test": 0.725}},
        **({"nodes": NODES, "leaves": leaves, "threshold": 0.05} if method == "tree" else {}),
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "card.json").write_text(canonical_json(json_from_record(MapModelCard(**fields))), encoding="utf-8")
    (folder / "model.onnx").write_bytes(_prototype_network() if has_prototypes else _head_network())
    for index in range(n_prototypes):
        pixels = np.random.default_rng(index).uniform(0.3, 0.7, size=(16, 16, 3))
        pixels[4:8, 4:8] = PROTOTYPES[index]
        (folder / f"source-{index}.png").write_bytes(picture_from_pixels((255 * pixels).astype(np.uint8)).content)


def _prototype(index: int, method: str) -> StoredPrototype:
    return StoredPrototype(
        label="" if method == "tree" else LABELS[index % 6],
        source=f"source-{index}.png",
        region=Region(left=0.25, top=0.25, width=0.25, height=0.25),
        training_index=index,
    )


def constant_network() -> bytes:
    """Return a network that answers the first class to every photo."""
    return _head_network(weights=np.zeros_like(COLOURS), offset=np.eye(len(LABELS))[0])


def _head_network(*, weights: Any = COLOURS - 0.5, offset: Any = None) -> bytes:
    graph = GraphBuilder()
    graph.add("AveragePool", "pictures", into="blocks", kernel_shape=[2, 2], strides=[2, 2])
    graph.constant("head", weights[:, :, None, None])
    # By default, grey has no evidence for any class.
    graph.constant("offset", -0.5 * weights.sum(axis=1) if offset is None else offset)
    graph.add("Conv", "blocks", "head", "offset", into="maps")
    graph.add("GlobalAveragePool", "maps", into="means")
    graph.add("Flatten", "means", into="logits")
    graph.add("Softmax", "logits", into="probabilities", axis=1)
    return _bytes(graph, len(LABELS))


def _prototype_network() -> bytes:
    return _bytes(prototype_graph(PROTOTYPES, 4.0, n_classes=len(LABELS)), len(PROTOTYPES))


def _bytes(graph: GraphBuilder, n_maps: int) -> bytes:
    return graph.to_bytes(
        "stand_in",
        model_input=TensorSpec("pictures", ("n", *SIZE)),
        model_output=TensorSpec("probabilities", ("n", len(LABELS))),
        further=(TensorSpec("maps", ("n", n_maps, 8, 8)),),
    )
