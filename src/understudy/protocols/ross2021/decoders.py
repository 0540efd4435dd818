"""The trained decoders that the MNIST studies need."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from understudy.schema import Json, Ref, Study

FOLDER = "decoders"
"""The default folder of trained decoders, relative to the study."""


def decoder_folder(environment: Mapping[str, str]) -> str:
    """Return the folder of decoders in UNDERSTUDY_DATA if it exists, and `decoders` otherwise."""
    data = environment.get("UNDERSTUDY_DATA", "")
    inside = Path(data) / FOLDER
    return str(inside) if data and inside.is_dir() else FOLDER


def mnist_questions(name: str, folder: str) -> Ref:
    """Return the questions of one MNIST model as in the paper, with the same digits for every model."""
    params: Json = {
        "file": str(Path(folder) / f"{name}.onnx"),
        "distance": {"name": "binary_jaccard"},
        "threshold": 0.75,
        "matched_seed": 2021,
    }
    return Ref(name="reconstruction", params=params)


def training_advice(study: Study, root: Path) -> tuple[str, ...]:
    """Return the commands that train the missing decoders of a study, if any are missing."""
    paths = [
        Path(str(binding.dataset.params["file"]))
        for binding in study.bindings
        if binding.dataset and "file" in binding.dataset.params
    ]
    absent = [path for path in paths if path.stem.startswith("mnist-") and not (root / path).is_file()]
    return _sentence(absent) if absent else ()


def _sentence(absent: Sequence[Path]) -> tuple[str, ...]:
    folder = absent[0].parent
    commands = "; ".join(f"understudy train ross2021/{path.stem} --out {folder}" for path in absent)
    return (f"These decoders do not come with understudy. Train them first: {commands}.",)
