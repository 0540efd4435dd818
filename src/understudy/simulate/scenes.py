"""Scenes: live pages as simulated people work them, with the very decoder that a browser would run."""

import json
from collections.abc import Mapping
from pathlib import Path

from understudy.decoding import decoder_from_bytes
from understudy.errors import MaterialsError
from understudy.roles import Floats, Scene
from understudy.schema import DecoderCard, Trial


class _LiveDecoder:
    def __init__(self, content: bytes, card: DecoderCard) -> None:
        self._decoder = decoder_from_bytes(content, card)

    def look(self, codes: Floats) -> Floats:
        """Decode the dial settings."""
        return self._decoder.decode(codes)


class Scenery:
    """Opens each decoder once."""

    def __init__(self, files: Mapping[str, Path | bytes]) -> None:
        self._files = files
        self._open: dict[str, _LiveDecoder] = {}

    def scene_of(self, trial: Trial) -> Scene | None:
        """Return the live part of a trial, or None where its page stands still."""
        live = trial.params.get("decoder")
        if not isinstance(live, dict):
            return None
        address = str(live["address"])
        if address not in self._open:
            if address not in self._files:
                raise MaterialsError(
                    f"The decoder {address} of trial {trial.trial_id!r} is not among the study's files."
                )
            source = self._files[address]
            content = source if isinstance(source, bytes) else source.read_bytes()
            self._open[address] = _LiveDecoder(content, DecoderCard.model_validate_json(json.dumps(live["card"])))
        return self._open[address]
