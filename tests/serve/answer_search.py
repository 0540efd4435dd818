"""Searches bytes for answers in every form in which they could travel."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple
from urllib.parse import quote

import numpy as np

_DIGESTS = ("md5", "sha1", "sha256")
_HEAD_BYTES = 4
_CHUNK_BYTES = 4_000_000


class Form(NamedTuple):
    """One way to write an answer, and the bytes that give it away."""

    name: str
    bytes: bytes


def forms_of(answer: str, item_ids: Sequence[str] = ()) -> Iterator[Form]:
    """Yield every form of an answer: plain, escaped, encoded, and hashed alone or with the item it belongs to."""
    for text in dict.fromkeys((answer, answer.lower(), answer.upper())):
        raw = text.encode()
        yield Form("raw", raw)
        yield Form("utf-16", text.encode("utf-16-le"))
        yield Form("json", json.dumps(text)[1:-1].encode())
        yield Form("url", quote(text, safe="").encode())
        yield Form("url-lower", quote(text, safe="").lower().encode())
        yield Form("hex", raw.hex().encode())
        yield Form("hex-upper", raw.hex().upper().encode())
        yield Form("reversed", text[::-1].encode())
        yield from _base64(raw)
    yield from _hashed(answer, item_ids)


def leaks(found: bytes, answers: Mapping[str, Sequence[str]]) -> list[str]:
    """Return which answers can be read out of some bytes, and how; `answers` names the items of each."""
    forms = {answer: dict.fromkeys(forms_of(answer, item_ids)) for answer, item_ids in answers.items()}
    present = _contained(found, {form.bytes for wanted in forms.values() for form in wanted})
    return [f"{answer}: {form.name}" for answer, wanted in forms.items() for form in wanted if form.bytes in present]


def _contained(found: bytes, wanted: Set[bytes]) -> set[bytes]:
    """Return the wanted strings that are in some bytes, in one pass: there are thousands, and megabytes to search."""
    present = {string for string in wanted if len(string) < _HEAD_BYTES and string in found}
    by_head: dict[bytes, list[bytes]] = {}
    for string in wanted:
        if len(string) >= _HEAD_BYTES:
            by_head.setdefault(string[:_HEAD_BYTES], []).append(string)
    heads = np.frombuffer(b"".join(by_head), dtype="<u4")
    # A table of the lower halves rules most places out, so that only the rest is compared with the heads.
    may_begin = np.zeros(1 << 16, dtype=np.bool_)
    may_begin[heads & 0xFFFF] = True
    for start in range(0, len(found), _CHUNK_BYTES):
        # Chunks overlap by a head less one byte: a head that crosses the border is seen once.
        chunk = np.frombuffer(found[start : start + _CHUNK_BYTES + _HEAD_BYTES - 1], dtype=np.uint8).astype(np.uint32)
        if len(chunk) < _HEAD_BYTES:
            continue
        low = chunk[:-3] | chunk[1:-2] << 8
        (likely,) = np.nonzero(may_begin[low])
        whole = low[likely] | chunk[2:-1][likely] << 16 | chunk[3:][likely] << 24
        for position in likely[np.isin(whole, heads)] + start:
            rivals = by_head[found[position : position + _HEAD_BYTES]]
            present.update(string for string in rivals if found.startswith(string, position))
    return present


def _base64(raw: bytes) -> Iterator[Form]:
    """Yield the characters that are the same whatever stands before and after, for each of the three alignments."""
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw)
        whole = coded[-(-shift * 8 // 6) : (shift + len(raw)) * 8 // 6]
        yield Form(f"base64+{shift}", whole)
        yield Form(f"base64url+{shift}", whole.replace(b"+", b"-").replace(b"/", b"_"))


def _hashed(answer: str, item_ids: Sequence[str]) -> Iterator[Form]:
    texts = [answer, json.dumps(answer), json.dumps(answer, ensure_ascii=False)]
    for item_id in item_ids:
        texts += [
            mark.join(pair)
            for pair in ((answer, item_id), (item_id, answer))
            for mark in ("", ":", "|", " ", "-", "\n")
        ]
        texts.append(json.dumps({item_id: answer}, separators=(",", ":"), ensure_ascii=False))
    for text in texts:
        for name in _DIGESTS:
            digest = hashlib.new(name, text.encode()).digest()
            yield Form(name, digest.hex().encode())
            yield Form(name, digest.hex().upper().encode())
            yield Form(name, base64.b64encode(digest).rstrip(b"="))
            yield Form(name, base64.urlsafe_b64encode(digest).rstrip(b"="))
            # A digest cut short is as good for guessing.
            yield Form(f"{name} cut", digest.hex()[:12].encode())
