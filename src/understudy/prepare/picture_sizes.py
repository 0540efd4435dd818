"""Picture sizes: make the files of items equally long where their length could tell right from wrong predictions.

A photo that a model gets wrong is often plainer or busier than others, and its file shorter or longer; so are the
prototypes and examples next to it. People who look at the files that a page loads must learn nothing that the page does
not say (decision 42).
"""

import hashlib
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from understudy.prepare.bindings import item_set_of
from understudy.schema import Stage, Study, Trial, blocks_in, canonical_json, files_named_in, json_from_record
from understudy.sources.pictures import FORMATS

_PNG = b"\x89PNG\r\n\x1a\n"
_STARTS = (_PNG, b"\xff\xd8\xff", b"GIF8", b"RIFF")
"""How files of PNG, JPEG, GIF and WebP pictures begin."""
_END = 12
"""Bytes of the last chunk of a PNG file."""
_CHUNK = b"fiLl"
"""Ancillary, private and safe to copy, by the case of its letters: programs that read PNG files skip it."""


class LevelledPictures(NamedTuple):
    """Trials and files, with padded files under their new addresses."""

    trials: dict[str, Trial]
    files: dict[str, Path | bytes]


def with_equal_sizes(study: Study, trials: Mapping[str, Trial], files: Mapping[str, Path | bytes]) -> LevelledPictures:
    """Pad the pictures of pages whose items are chosen by whether the model is right to one length.

    Files of the item and of its explanation alike; what remains is how many pictures a page has, which anybody sees.
    """
    blocks = {
        block.block_id
        for block in blocks_in(study.flow)
        if isinstance(block, Stage) and _is_chosen_by_truth(study, block)
    }
    judged = [trial for trial in trials.values() if trial.block_id in blocks]
    known = frozenset(files)
    shown = {address for trial in judged for address in files_named_in(trial, known)}
    contents = {address: _content(files[address]) for address in sorted(shown) if Path(address).suffix in FORMATS}
    renamed = {old: (_address(padded, Path(old).suffix), padded) for old, padded in _padded(contents).items()}
    if not renamed:
        return LevelledPictures(dict(trials), dict(files))
    kept = {address: file for address, file in files.items() if address not in renamed}
    addresses = {old: new for old, (new, _) in renamed.items()}
    return LevelledPictures(
        {trial_id: _readdressed(trial, addresses, known) for trial_id, trial in trials.items()},
        {**kept, **dict(renamed.values())},
    )


def _is_chosen_by_truth(study: Study, stage: Stage) -> bool:
    item_set = item_set_of(study, stage)
    return item_set is not None and "model_is" in (*item_set.strata, *item_set.only)


def _content(file: Path | bytes) -> bytes:
    return file if isinstance(file, bytes) else file.read_bytes()


def _padded(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    pictures = {address: content for address, content in contents.items() if content.startswith(_STARTS)}
    if len({len(content) for content in pictures.values()}) < 2:
        return {}
    # Room for an empty chunk in the longest file, so that all PNG files have one.
    size = max(len(content) for content in pictures.values()) + len(_chunk(0))
    return {address: _with_size(content, size) for address, content in pictures.items()}


def _with_size(content: bytes, size: int) -> bytes:
    if not content.startswith(_PNG):
        # Readers of the other formats stop at the end that the file itself declares, and ignore what follows.
        return content + bytes(size - len(content))
    return content[:-_END] + _chunk(size - len(content) - len(_chunk(0))) + content[-_END:]


def _chunk(n: int) -> bytes:
    data = _CHUNK + bytes(n)
    return n.to_bytes(4, "big") + data + zlib.crc32(data).to_bytes(4, "big")


def _address(content: bytes, suffix: str) -> str:
    return f"{hashlib.sha256(content).hexdigest()}{suffix}"


def _readdressed(trial: Trial, addresses: Mapping[str, str], known: Iterable[str]) -> Trial:
    named = {*files_named_in(trial, frozenset(known))} & addresses.keys()
    if not named:
        return trial
    text = canonical_json(json_from_record(trial))
    for address in named:
        text = text.replace(address, addresses[address])
    return Trial.model_validate_json(text)
