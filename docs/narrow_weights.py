"""Measures what `--precision int8` does to the agreement that a person sees, into docs/trained-models.json.

`python docs/narrow_weights.py FOLDER [MODEL ...]`: the folder holds decoders in 32 or 16 bits, with their cards. Run
docs/trained_models.py afterwards.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from understudy.errors import optional
from understudy.inference import OnnxDecoder, decoder_from_bytes, decoder_from_file
from understudy.inference.onnx_graphs import quantized
from understudy.roles import Floats
from understudy.tasks.distances import SoftDice

RUNS = Path(__file__).parent / "trained-models.json"
N_CODES = 250
NEARBY = 0.05
"""How far a nearby code is in each dial: the standard deviation, as a share of the dial's width."""


def narrowed_row(decoder: OnnxDecoder) -> dict[str, Any]:
    """Return the size of the narrow file, and how far agreements with it differ, in points of 100."""
    content = quantized(widened(decoder.content), "int8")
    narrow = decoder_from_bytes(content, decoder.card)
    codes, rng = codes_of(decoder), np.random.default_rng(0)
    widths = np.concatenate(
        [np.full(dial.n_inputs, 0.0 if dial.options else dial.width) for dial in decoder.card.dials]
    )
    others = {"other": np.roll(codes, 1, axis=0), "near": codes + NEARBY * widths * rng.standard_normal(codes.shape)}
    row: dict[str, Any] = {"model": decoder.card.name, "bytes": len(content)}
    for name, shown in others.items():
        apart = 100 * np.abs(agreements(decoder, shown, codes) - agreements(narrow, shown, codes))
        row[name] = {
            "max": round(float(apart.max()), 4),
            "mean": round(float(apart.mean()), 4),
            "p99": round(float(np.quantile(apart, 0.99)), 4),
        }
    return row


def widened(content: bytes) -> bytes:
    """Return a model whose weights are stored in 16 bits with weights in 32, as if it had never been narrowed."""
    onnx: Any = optional("onnx", extra="torch")
    model = onnx.load_model_from_string(content)
    halves = {node.input[0]: node.output[0] for node in model.graph.node if node.op_type == "Cast"}
    wide = [
        onnx.numpy_helper.from_array(
            onnx.numpy_helper.to_array(weight).astype(np.float32) if weight.name in halves else onnx.numpy_helper.to_array(weight),
            halves.get(weight.name, weight.name),
        )
        for weight in model.graph.initializer
    ]  # fmt: skip
    nodes = [node for node in model.graph.node if node.op_type != "Cast"]
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(wide)
    model.graph.node.extend(nodes)
    narrowed: bytes = model.SerializeToString()
    return narrowed


def agreements(decoder: OnnxDecoder, shown: Floats, targets: Floats) -> Floats:
    """Return the agreement of what each code shows with the picture of its target."""
    pictures, wanted = decoder.decode(shown), decoder.decode(targets)
    return np.array([SoftDice().agreement(row[None], target)[0] for row, target in zip(pictures, wanted, strict=True)])


def codes_of(decoder: OnnxDecoder) -> Floats:
    """Return held-out codes, or where there are none, codes drawn evenly over the dials, with one category each."""
    card = decoder.card
    if card.codes:
        return np.asarray(card.codes[:N_CODES], dtype=np.float64)
    rng = np.random.default_rng(1)
    parts = [
        np.eye(dial.n_inputs)[rng.integers(dial.n_inputs, size=N_CODES)]
        if dial.options
        else rng.uniform(dial.low, dial.high, size=(N_CODES, 1))
        for dial in card.dials
    ]
    return np.concatenate(parts, axis=1)


def main(folder: Path, models: list[str]) -> None:
    """Measure the decoders, and put their rows in the place of older ones."""
    kept = json.loads(RUNS.read_text(encoding="utf-8"))
    for model in models:
        row = narrowed_row(decoder_from_file(folder / f"{model}.onnx"))
        kept["quantized"] = [row if old["model"] == model else old for old in kept["quantized"]]
        sys.stdout.write(f"{json.dumps(row)}\n")
    parts = [f'"{name}": [\n  ' + ",\n  ".join(json.dumps(row) for row in rows) + "\n]" for name, rows in kept.items()]
    RUNS.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
