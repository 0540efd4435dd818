"""Weights of several nets in files of limited size, in half precision.

A flow whose weights are rounded is another flow, just as invertible; so measure what was read back, not what was
written.
"""

import io
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from understudy.errors import MaterialsError

PART_BYTES = 15 * 2**20


def write_parts(nets: Mapping[str, nn.Module], folder: Path, *, part_bytes: int = PART_BYTES) -> tuple[Path, ...]:
    """Write the weights of nets as weights-0.part, weights-1.part and so on, and return the files."""
    content = io.BytesIO()
    torch.save({name: _halved(net) for name, net in nets.items()}, content)
    blob = content.getvalue()
    folder.mkdir(parents=True, exist_ok=True)
    # Parts of a larger net that was here before would otherwise be read with these.
    for old in folder.glob("weights-*.part"):
        old.unlink()
    paths = []
    for number, start in enumerate(range(0, len(blob), part_bytes)):
        path = folder / f"weights-{number}.part"
        path.write_bytes(blob[start : start + part_bytes])
        paths.append(path)
    return tuple(paths)


def read_parts(nets: Mapping[str, nn.Module], folder: Path) -> None:
    """Read weights back into nets of the same shapes; further nets in the files are left alone."""
    paths = sorted(folder.glob("weights-*.part"), key=lambda path: int(path.stem.removeprefix("weights-")))
    if not paths:
        raise MaterialsError(f"There are no weights in {folder}. Name the folder that has weights-0.part.")
    blob = b"".join(path.read_bytes() for path in paths)
    try:
        content = torch.load(io.BytesIO(blob), map_location="cpu", weights_only=True)
    except Exception:  # reading a damaged file raises whatever its bytes happen to mean
        raise MaterialsError(
            f"The weights in {folder} cannot be read. Check that all parts are there, each from the same run."
        ) from None
    missing = [name for name in nets if name not in content]
    if missing:
        raise MaterialsError(f"The weights in {folder} lack {', '.join(missing)}. They have: {', '.join(content)}.")
    for name, net in nets.items():
        net.load_state_dict(content[name])


def _halved(net: nn.Module) -> dict[str, Tensor]:
    return {name: _half(value.detach().cpu()) for name, value in net.state_dict().items()}


def _half(value: Tensor) -> Tensor:
    if value.is_floating_point():
        return value.half()
    # Orders of channels and counts of batches; 16 bits reach as far as any number of channels here.
    return value.to(torch.int16) if value.numel() > 1 else value
