"""ONNX sessions: try a file in another process, then open it on one thread, so that its answers are the same everywhere.

A file of somebody else may run for ever, take all memory, give other answers each time, or end the process. So each file
is called first in a process with bounds (`trial_process.py`), and opened here only if it is one whole, deterministic file.
"""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from understudy.deferred.onnxruntime import onnxruntime
from understudy.errors import MaterialsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Card = TypeVar("Card")

_MAX_LETTERS = 160
MOST_S = 12
"""Seconds of work for a trial, and for one call afterwards; a shipped model takes a fraction of one."""
_WAITS = 2
"""A busy machine takes longer for the same work."""
_MIB_IN_S = 50
"""Opening a large file takes longer: one more second for that many MiB."""
PAGE_MIB = 512
"""Memory that one call may take on a participant's device, besides the model itself."""
HERE_MIB = 2048
"""Memory that a call may take on this machine."""
_COPIES = 6
"""How often a file is in memory while it is opened: as bytes, as a graph, as weights, and repacked for the processor."""
_N_ROWS = 2
_BREAKS = "Take out what repeats without end, or make it smaller."


@dataclass(frozen=True)
class OpenedModel(Generic[Card]):
    """An ONNX model that passed its checks."""

    card: Card
    content: bytes
    """The ONNX file."""
    session: ModelSession


class _Trial(NamedTuple):
    """What a file did in its trial."""

    refusal: str | None
    """Why it must not be opened, without its subject, and what to do."""
    failure: str | None
    """What the library said where the inputs did not suit it."""
    is_called: bool
    loops: bool


class ModelSession:
    """An opened file that was tried; one whose inputs nobody knew is tried with the first it is given."""

    def __init__(self, content: bytes, what: str, trial: _Trial) -> None:
        self._content, self._what, self._trial = content, what, trial
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # Its warnings go to standard error past Python; faults are raised anyway.
        options.log_severity_level = 4
        try:
            self._opened = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's exceptions have no common base class
            raise MaterialsError(_broken(what, reason_of(error))) from None

    @property
    def failure(self) -> str | None:
        """What the library said about the inputs of the trial; None if it took them."""
        return self._trial.failure

    def get_inputs(self) -> Sequence[Any]:
        """Return name, type and shape of the inputs."""
        inputs: Sequence[Any] = self._opened.get_inputs()
        return inputs

    def get_outputs(self) -> Sequence[Any]:
        """Return name, type and shape of the outputs."""
        outputs: Sequence[Any] = self._opened.get_outputs()
        return outputs

    def run(self, names: list[str] | None, inputs: Mapping[str, Any]) -> list[Any]:
        """Return the outputs of these names, or all of them."""
        first = next(iter(inputs.values()))
        if not self._trial.is_called and len(inputs) == 1 and len(first):
            # Inputs that do not suit the file are refused below, in the words of the caller.
            self._trial = _passed(self._content, self._what, first[:_N_ROWS], HERE_MIB)._replace(is_called=True)
        with _ended(self._what) if self._trial.loops else nullcontext() as options:
            outputs: list[Any] = self._opened.run(names, inputs, options)
        return outputs


def session_from_bytes(content: bytes, *, what: str, rows: Any = None, call_mib: int = HERE_MIB) -> ModelSession:
    """Try a file and open it; `what` begins the sentence that refuses one that cannot be used.

    `rows` are inputs to try it with, where the file does not say what they are.
    """
    return ModelSession(content, what, _passed(content, what, rows, call_mib))


def reason_of(error: Exception) -> str:
    """Return the first line of another library's error message, or the kind of error if it has no message."""
    lines = str(error).splitlines()
    # Without its full stop, since it becomes part of a sentence.
    return lines[0][:_MAX_LETTERS].rstrip(". ") if lines else type(error).__name__


def _broken(what: str, reason: str) -> str:
    return f"{what} is not an ONNX model that can be run: {reason}. Export it again with a standard opset."


@contextmanager
def _ended(what: str) -> Iterator[Any]:
    """Give options that end a call which takes too long: no signal, not even Ctrl-C, reaches the library by itself."""
    options = onnxruntime.RunOptions()
    timer = Timer(MOST_S, setattr, (options, "terminate", True))
    timer.daemon = True
    timer.start()
    try:
        yield options
    except Exception:
        if options.terminate:
            raise MaterialsError(f"{what} did not answer a call within {MOST_S} seconds. {_BREAKS}") from None
        raise
    finally:
        timer.cancel()


def _passed(content: bytes, what: str, rows: Any, call_mib: int) -> _Trial:
    if _is_shipped(content):
        return _Trial(None, None, is_called=True, loops=False)
    packed = BytesIO()
    if rows is not None:
        np.save(packed, rows, allow_pickle=False)
    trial = _tried(content, packed.getvalue(), call_mib)
    if trial.refusal is not None:
        raise MaterialsError(f"{what} {trial.refusal}")
    return trial


def _is_shipped(content: bytes) -> bool:
    """Tell whether a file is one of ours: those were tried before they were shipped."""
    return hashlib.sha256(content).hexdigest() in _shipped_digests(len(content))


@cache
def _shipped_digests(n_bytes: int) -> frozenset[str]:
    return frozenset(
        hashlib.sha256(path.read_bytes()).hexdigest() for path, size in _shipped_sizes().items() if size == n_bytes
    )


@cache
def _shipped_sizes() -> dict[Path, int]:
    return {path: path.stat().st_size for path in Path(str(files("understudy"))).rglob("*.onnx")}


_trials: dict[str, _Trial] = {}
"""What was found about each file and its inputs, by their digest: commands open the same file many times."""


def _tried(content: bytes, packed: bytes, call_mib: int) -> _Trial:
    key = hashlib.sha256(b"%d %d " % (call_mib, len(packed)) + packed + content).hexdigest()
    if key not in _trials:
        _trials[key] = _trial(content, packed, call_mib)
    return _trials[key]


def _trial(content: bytes, packed: bytes, call_mib: int) -> _Trial:
    n_mib = len(content) // 2**20
    most_s = MOST_S + n_mib // _MIB_IN_S
    order = {
        "n_rows_bytes": len(packed),
        "most_s": most_s,
        "load_mib": call_mib + _COPIES * n_mib,
        "call_mib": call_mib,
        "batch_mib": HERE_MIB,
    }
    script = Path(__file__).with_name("trial_process.py")
    try:
        # -P: without it, Python would import a `json.py` of the folder of the script.
        done = subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-P", str(script)],
            input=json.dumps(order).encode() + b"\n" + packed + content,
            capture_output=True,
            timeout=_WAITS * most_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _refused(_too_slow(most_s))
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return _refused(_ended_by(done.returncode, most_s))
    said = reason_of(Exception(found["said"]))
    match found["verdict"]:
        case "fits" | "fails" as verdict:
            fails = verdict == "fails"
            is_called = found["is_called"] and not fails
            return _Trial(None, said if fails else None, is_called=is_called, loops=found["loops"])
        case "memory":
            return _refused(
                f"asks for more than {found['mib']} MiB of memory at one call. Make it smaller, or make what it works on smaller."
            )
        case "second file":
            return _refused(
                f"keeps its weights in a second file{f' ({said})' if said else ''}, which would be left behind. Save it as "
                "one file, such as by onnx.save_model(onnx.load(path), path, save_as_external_data=False)."
            )
        case "random":
            return _refused(
                f"has the random operator {said}, so that no two calls give the same answer. Export it without sampling, "
                "such as a decoder by itself."
            )
        case "unlike":
            return _refused("gives two different answers to the same input. Export it without anything random.")
        case _:
            return _refused(_broken("", said).strip())


def _refused(refusal: str) -> _Trial:
    return _Trial(refusal, None, is_called=False, loops=False)


def _too_slow(most_s: int) -> str:
    return f"did not finish within {most_s} seconds when it was tried. {_BREAKS}"


def _ended_by(status: int, most_s: int) -> str:
    """Say why there is no answer: a process that took too much time is ended by a signal."""
    if hasattr(signal, "SIGXCPU") and status == -signal.SIGXCPU:
        return _too_slow(most_s)
    return f"ended the process that tried it (status {status}). Export it again with a standard opset."
