"""The invertible network in a folder of weights, opened where torch is installed."""

from pathlib import Path
from typing import Any

from understudy.extras import optional


def has_weights(folder: Path) -> bool:
    """Say whether a folder has the weights of a network, in parts."""
    return (folder / "weights-0.part").is_file()


def flow_model(folder: Path, *, labels: tuple[str, ...]) -> Any:
    """Open the network; it answers to pictures as any model does, and shows margins and latents."""
    optional("torch", extra="torch")
    return optional("understudy.training.flow_model", extra="torch").flow_model_from_folder(folder, labels)
