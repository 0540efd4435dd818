"""Live pages for simulated people, with the same decoder that a browser would run."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from understudy.errors import MaterialsError
from understudy.inference import OnnxDecoder, decoder_from_bytes
from understudy.roles import Floats, Scene
from understudy.schema import DecoderCard, Trial


class LiveDecoder:
    """A decoder on a page whose dials a simulated person can turn."""

    def __init__(self, decoder: OnnxDecoder) -> None:
        self._decoder = decoder

    def look(self, codes: Floats) -> Floats:
        """Decode the dial settings."""
        return self._decoder.decode(codes)


def scene_of(trial: Trial, files: Mapping[str, Path | bytes]) -> Scene | None:
    """Return the live part of a trial, or None if its page is static."""
    live = trial.params.get("decoder")
    if not isinstance(live, dict):
        return None
    address = str(live["address"])
    if address not in files:
        raise MaterialsError(f"The decoder {address} of trial {trial.trial_id!r} is not among the study's files.")
    return LiveDecoder(_opened(files[address], json.dumps(live["card"])))


# Loading a decoder takes far longer than one look at it.
@lru_cache(maxsize=16)
def _opened(source: Path | bytes, card: str) -> OnnxDecoder:
    content = source if isinstance(source, bytes) else source.read_bytes()
    return decoder_from_bytes(content, DecoderCard.model_validate_json(card))
