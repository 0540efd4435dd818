"""Trial of an ONNX file in a process of its own, run as a script within bounds of time and memory.

Imports nothing of understudy, so that it starts fast and a file that ends the process ends nothing else. Standard input
has a line of JSON (`Order`), then rows of inputs as NumPy writes them, if there are any, then the ONNX file; standard
output gets a line of JSON with the verdict.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import onnxruntime

if sys.platform != "win32":
    import resource

_MIB = 2**20
_IN_PEAK = 1 if sys.platform == "darwin" else 1024
"""Bytes in a unit of the peak that `getrusage` reports."""
_POLLED_S = 0.05
_N_ALONE = 3
_NUMBERS = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(uint8)": np.uint8,
}

# The parts of a file that can hold nodes or weights, by the numbers of their fields in onnx.proto.
_PARTS = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "second file"},
    "second file": {},
}
_OPERATOR, _WHERE, _KEY, _VALUE = 4, 14, 1, 2
_RANDOM = frozenset(
    {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli"}
)
_ENDLESS = frozenset({"Loop", "Scan"})


class Order(TypedDict):
    """What is tried, and within which bounds."""

    n_rows_bytes: int
    most_s: int
    load_mib: int
    """Memory for opening the file."""
    call_mib: int
    """More memory for a call with one row."""
    batch_mib: int
    """More memory for a call with all rows."""


class Contents(TypedDict):
    """What a file has that decides whether it may be opened."""

    operators: set[str]
    second_files: list[str]


def contents_of(file: bytes) -> Contents:
    """Read the names of operators and of second files from an ONNX file, without opening it."""
    found = Contents(operators=set(), second_files=[])
    _read("model", memoryview(file), found)
    return found


def _read(part: str, content: memoryview, found: Contents) -> None:
    entry: dict[int, str] = {}
    for field, value in _fields(content):
        if isinstance(value, int):
            if part == "tensor" and field == _WHERE and value == 1:
                found["second_files"].append("")
        elif part == "node" and field == _OPERATOR:
            found["operators"].add(_text(value))
        elif part == "second file":
            entry[field] = _text(value)
        elif (inner := _PARTS[part].get(field)) is not None:
            _read(inner, value, found)
    if entry.get(_KEY) == "location":
        found["second_files"].append(entry.get(_VALUE, ""))


def _fields(content: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """Take a protocol-buffer message apart; what ends too soon raises IndexError or ValueError."""
    place = 0
    while place < len(content):
        tag, place = _varint(content, place)
        kind = tag & 7
        if kind == 0:
            value, place = _varint(content, place)
            yield tag >> 3, value
            continue
        if kind == 2:
            n_bytes, place = _varint(content, place)
        elif kind in (1, 5):
            n_bytes = 8 if kind == 1 else 4
        else:
            raise ValueError("groups are not part of ONNX files")
        if place + n_bytes > len(content):
            raise ValueError("it is cut off")
        if kind == 2:
            yield tag >> 3, content[place : place + n_bytes]
        place += n_bytes


def _varint(content: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
        if shift > 63:
            raise ValueError("a number is too long")


def _text(value: memoryview) -> str:
    return bytes(value[:200]).decode("utf-8", "replace")


class _Memory:
    """Bounds of memory: of the address space on Linux, and elsewhere of what was in use at most."""

    def __init__(self) -> None:
        self._used = self._most = 0
        if sys.platform != "win32":
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def bound_time(self, most_s: int) -> None:
        """End this process even if nobody is left to end it."""
        if sys.platform != "win32":
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_CPU, (most_s, most_s + 1))

    def note(self) -> None:
        """Count from what is in use now."""
        if sys.platform == "linux":
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            self._used = pages * os.sysconf("SC_PAGE_SIZE")
        elif sys.platform != "win32":
            self._used = self._peak()

    def allow(self, mib: int) -> None:
        """Allow that much more memory than was in use when it was noted."""
        watches, self._most = bool(self._most), self._used + mib * _MIB
        if sys.platform == "linux":
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            soft = self._most if hard == resource.RLIM_INFINITY else min(self._most, hard)
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        elif sys.platform != "win32" and not watches:
            threading.Thread(target=self._watch, daemon=True).start()

    def _peak(self) -> int:
        if sys.platform == "win32":
            return 0
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * _IN_PEAK

    def _watch(self) -> None:
        while self._peak() <= self._most:
            time.sleep(_POLLED_S)
        answer("memory", mib=(self._most - self._used) // _MIB)
        os._exit(0)


def answer(verdict: str, said: str = "", **more: Any) -> None:
    """Write what was found, in one line."""
    print(json.dumps({"verdict": verdict, "said": said, **more}), file=_out, flush=True)


def tried(order: Order, rows: Any, file: bytes) -> None:
    """Open a file and call it twice with the same inputs."""
    memory = _Memory()
    memory.bound_time(order["most_s"])
    memory.note()
    memory.allow(order["load_mib"])
    try:
        unreadable, contents = "", contents_of(file)
    except (IndexError, ValueError, RecursionError) as error:
        # Whether this is an ONNX file at all, the library says better.
        unreadable, contents = str(error), Contents(operators=set(), second_files=[])
    if contents["second_files"]:
        return answer("second file", next(filter(None, contents["second_files"]), ""))
    if contents["operators"] & _RANDOM:
        return answer("random", min(contents["operators"] & _RANDOM))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        return _refuse("broken", error, order["load_mib"])
    if unreadable:
        return answer("broken", unreadable)
    inputs = session.get_inputs()
    loops = bool(contents["operators"] & _ENDLESS)
    if len(inputs) != 1 or (rows is None and (rows := _rows_for(inputs[0])) is None):
        return answer("fits", is_called=False, loops=loops)
    memory.note()
    for given, mib in _calls(inputs[0].shape, rows, order):
        memory.allow(mib)
        try:
            first, second = (session.run(None, {inputs[0].name: given}) for _ in "12")
        except Exception as error:
            return _refuse("fails", error, mib, is_called=True, loops=loops)
        if not all(map(_same, first, second)):
            return answer("unlike")
    return answer("fits", is_called=True, loops=loops)


def _rows_for(model_input: Any) -> Any:
    """Return two rows of inputs, where the file itself says what a row is."""
    shape, kind = model_input.shape, _NUMBERS.get(model_input.type)
    if kind is None or not shape or not all(isinstance(length, int) for length in shape[1:]):
        return None
    values = np.random.default_rng(0).uniform(size=(2, *shape[1:]))
    return (values if np.issubdtype(kind, np.floating) else values > 0.5).astype(kind)


def _calls(shape: Any, rows: Any, order: Order) -> Iterator[tuple[Any, int]]:
    """Yield the inputs and the memory of each call: some rows alone, then all of them at once.

    A file that fixes the number of its rows gets that many, until all rows were tried.
    """
    fixed = shape[0] if shape and isinstance(shape[0], int) else None
    step = max(fixed or 1, 1)
    for start in range(0, len(rows) if fixed else min(_N_ALONE, len(rows)), step):
        yield np.resize(rows[start : start + step], (step, *rows.shape[1:])), order["call_mib"]
    if fixed is None and len(rows) > 1:
        yield rows, order["batch_mib"]


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray) and first.dtype.kind in "fc":
        return np.array_equal(first, second, equal_nan=True)
    return bool(np.array_equal(first, second))


def _refuse(verdict: str, error: Exception, mib: int, **more: Any) -> None:
    """Answer that memory was too little where the library says so, or else the verdict with the library's first line."""
    said = str(error)
    if isinstance(error, MemoryError) or any(sign in said.lower() for sign in ("alloc", "out of memory")):
        return answer("memory", mib=mib)
    return answer(verdict, next(iter(said.splitlines()), type(error).__name__), **more)


if __name__ == "__main__":
    # The line that is read must be the only one there, whatever a library prints.
    _out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    order: Order = json.loads(sys.stdin.buffer.readline())
    packed = sys.stdin.buffer.read(order["n_rows_bytes"])
    tried(order, np.load(BytesIO(packed), allow_pickle=False) if packed else None, sys.stdin.buffer.read())
