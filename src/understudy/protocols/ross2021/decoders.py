"""Decoders that the studies on MNIST need: made by training, found in one folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from understudy.schema import Json, Ref, Study

FOLDER = "decoders"
"""Where training puts decoders, seen from where the study lies."""


def decoder_folder(environment: Mapping[str, str]) -> str:
    """Return the folder of decoders inside UNDERSTUDY_DATA where there is one, and `decoders` otherwise."""
    data = environment.get("UNDERSTUDY_DATA", "")
    inside = Path(data) / FOLDER
    return str(inside) if data and inside.is_dir() else FOLDER


def mnist_questions(name: str, folder: str) -> Ref:
    """Return the questions of one MNIST model, set as in the paper, with the same digits for every model."""
    params: Json = {
        "file": str(Path(folder) / f"{name}.onnx"),
        "distance": {"name": "binary_jaccard"},
        "threshold": 0.75,
        "matched_seed": 2021,
    }
    return Ref(name="reconstruction", params=params)


def training_advice(study: Study, root: Path) -> tuple[str, ...]:
    """Return how to make the decoders of a study that are not there yet; nothing when all are."""
    wanted = [
        Path(str(one.dataset.params["file"])) for one in study.bindings if one.dataset and "file" in one.dataset.params
    ]
    absent = [one for one in wanted if one.stem.startswith("mnist-") and not (root / one).is_file()]
    return _sentence(absent) if absent else ()


def _sentence(absent: Sequence[Path]) -> tuple[str, ...]:
    folder = absent[0].parent
    commands = "; ".join(f"understudy train ross2021/{one.stem} --out {folder}" for one in absent)
    return (f"These decoders are trained and do not come with understudy. Make them first: {commands}.",)
