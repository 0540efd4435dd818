"""What every network has that was trained and exported."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ExportedNet:
    """A network as an ONNX file, and what it was made with."""

    content: bytes
    provenance: dict[str, Any]
    """Software and epochs, as JSON."""
