"""ONNX models: opened and tried in a process of its own: classifiers, decoders and observers."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from understudy.deferred.onnxruntime import onnxruntime
from understudy.errors import MaterialsError
from understudy.inference.cards import ClassifierCard, ObserverCard, card_from_text, details_from_card
from understudy.roles import Floats, Ints, Pixels
from understudy.schema import DecoderCard
from understudy.sources.cases import PADDING, padded
from understudy.sources.picture_pools import model_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# ONNX sessions: try a file in another process, then open it on one thread, so that its answers are the same everywhere.
#
# A file of somebody else may run for ever, take all memory, give other answers each time, or end the process. So each file
# is called first in a process with bounds (`trial_process.py`), and opened here only if it is one whole, deterministic file.

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


N_ROWS = {"codes": 16_384, "tokens": 256, "pictures": 128}
"""Rows that are run at once; sentences in fewer, so that short ones need not be padded to the longest."""


class Classifier(OpenedModel[ClassifierCard]):
    """A classifier that passed its checks."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities."""
        return self.card.labels

    @property
    def has_prototypes(self) -> bool:
        """Whether the classifier decides by similarity to cases."""
        return bool(self.card.prototypes)

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the labels."""
        return self.shown("probabilities", inputs)

    def margins(self, inputs: Floats) -> Floats:
        """Return the evidence for the second label over the first."""
        return self.shown("margins", inputs)

    def latents(self, inputs: Floats) -> Floats:
        """Return the last hidden layer."""
        return self.shown("latents", inputs)

    def similarities(self, inputs: Floats) -> Floats:
        """Return the similarity of each input to each prototype."""
        if not self.has_prototypes:
            raise MaterialsError(
                f"Classifier {self.card.name!r} has no prototypes. Name one whose recipe makes prototypes."
            )
        return self.shown("similarities", inputs)

    @property
    def prototype_inputs(self) -> Floats:
        """The prototypes, as inputs."""
        return padded([list(prototype) for prototype in self.card.prototypes])

    @property
    def word_vectors(self) -> Floats | None:
        """The learned vector of each word, one row each; None for a classifier that does not take words."""
        if self.card.takes != "tokens":
            return None
        nothing = np.zeros((1, 1), dtype=np.int64)
        vectors: Floats = self.session.run(["word_vectors"], {"tokens": nothing})[0].astype(np.float64)
        return vectors

    def shown(self, output: str, inputs: Floats) -> Floats:
        """Return one of the outputs of the file for each input."""
        rows = _READERS[self.card.takes](inputs, self.card)
        shape = next(tensor.shape[1:] for tensor in self.session.get_outputs() if tensor.name == output)
        result = np.zeros((len(rows), *shape))
        for places in _chunks(rows, self.card):
            chunk = rows[places]
            if self.card.takes == "tokens":
                chunk = chunk[:, : int((chunk != PADDING).sum(axis=1).max())]
            result[places] = self.session.run([output], {self.card.takes: chunk})[0]
        return result


def classifier_from_bytes(content: bytes, card: ClassifierCard) -> Classifier:
    """Open a classifier and refuse one that does not fit its card."""
    session = session_from_bytes(content, what=f"Classifier {card.name!r}")
    input_names = [tensor.name for tensor in session.get_inputs()]
    output_shapes = {tensor.name: tensor.shape for tensor in session.get_outputs()}
    wanted = {"probabilities", "margins", "latents"} | ({"similarities"} if card.prototypes else set())
    if input_names != [card.takes] or not wanted <= output_shapes.keys():
        raise MaterialsError(
            f"Classifier {card.name!r} takes {', '.join(input_names)} and shows {', '.join(output_shapes)}; its card promises "
            f"{card.takes} and {', '.join(sorted(wanted))}. Use onnx_classifier for your own files."
        )
    if output_shapes["probabilities"][1] != len(card.labels):
        raise MaterialsError(
            f"Classifier {card.name!r} tells {output_shapes['probabilities'][1]} classes apart, but its card names "
            f"{len(card.labels)} labels: {', '.join(card.labels)}."
        )
    return Classifier(card, content, session)


def _chunks(rows: npt.NDArray[Any], card: ClassifierCard) -> Iterator[Ints]:
    """Divide rows into chunks, sentences of similar length together."""
    order = np.arange(len(rows))
    if card.takes == "tokens":
        order = np.argsort((rows != PADDING).sum(axis=1), kind="stable")
    step = N_ROWS[card.takes]
    for start in range(0, len(rows), step):
        yield order[start : start + step]


def _pictures(inputs: Floats, card: ClassifierCard) -> npt.NDArray[np.float32]:
    if inputs.shape[1:] != card.size:
        raise MaterialsError(
            f"Classifier {card.name!r} takes pictures of the shape {card.size} (channels, height, width), but its inputs have "
            f"the shape {inputs.shape[1:]}. Bind pictures of that size."
        )
    return inputs.astype(np.float32)


def _codes(inputs: Floats, card: ClassifierCard) -> Ints:
    n_values = np.array([len(values) for values in card.values])
    if inputs.ndim != 2 or inputs.shape[1] != len(n_values):
        raise MaterialsError(
            f"Classifier {card.name!r} takes rows of {len(n_values)} codes ({', '.join(card.features)}), "
            f"but its inputs have the shape {inputs.shape}. Bind the dataset that it was trained on."
        )
    codes = inputs.astype(np.int64)
    faulty = (codes != inputs) | (codes < 0) | (codes >= n_values)
    if faulty.any():
        row, column = (int(index) for index in np.argwhere(faulty)[0])
        raise MaterialsError(
            f"Classifier {card.name!r} was given {inputs[row, column]:g} for {card.features[column]!r}, whose codes run "
            f"from 0 to {n_values[column] - 1}. Bind the dataset that it was trained on."
        )
    return codes


def _tokens(inputs: Floats, card: ClassifierCard) -> Ints:
    """Move padding to the end of each row, wherever it was; a row without words holds one unknown word."""
    tokens = inputs.astype(np.int64)
    if inputs.ndim != 2 or (tokens != inputs).any() or (tokens < PADDING).any() or (tokens >= len(card.words)).any():
        raise MaterialsError(
            f"Classifier {card.name!r} takes rows of token ids from 0 to {len(card.words) - 1}, padded with {PADDING}; "
            "its inputs are something else. Bind the dataset that it was trained on."
        )
    if tokens.shape[1] == 0:
        return np.zeros((len(tokens), 1), dtype=np.int64)
    is_gap = tokens == PADDING
    if (is_gap[:, :-1] & ~is_gap[:, 1:]).any():
        tokens = np.take_along_axis(tokens, np.argsort(is_gap, axis=1, kind="stable"), axis=1)
    # A recurrent net cannot run on an empty sentence.
    tokens[:, 0] = np.maximum(tokens[:, 0], 0)
    return tokens


_READERS: dict[str, Callable[[Floats, ClassifierCard], npt.NDArray[Any]]] = {
    "codes": _codes,
    "tokens": _tokens,
    "pictures": _pictures,
}


# A decoder: an ONNX model from codes to outputs, checked against its card.

MAX_MIB = 100
"""A participant downloads the decoder; nobody waits for a page that is larger than this."""
N_TRIED = 64
"""How many settings of the dials the check tries."""


@dataclass(frozen=True)
class OnnxDecoder(OpenedModel[DecoderCard]):
    """A decoder that passed its checks."""

    takes_batches: bool

    @property
    def address(self) -> str:
        """The content address under which a page fetches the file."""
        return f"{hashlib.sha256(self.content).hexdigest()}.onnx"

    def decode(self, codes: Floats) -> Floats:
        """Return one row of outputs for each code."""
        rows = np.atleast_2d(np.asarray(codes, dtype=np.float32))
        name = self.session.get_inputs()[0].name
        # Some exporters fix the number of rows at 1; such files are run row by row.
        if self.takes_batches:
            outputs = self.session.run(None, {name: rows})[0]
        else:
            outputs = np.concatenate([self.session.run(None, {name: row[None]})[0] for row in rows])
        result: Floats = outputs.reshape(len(rows), -1).astype(np.float64)
        return result


def decoder_from_bytes(content: bytes, card: DecoderCard) -> OnnxDecoder:
    """Open a decoder and refuse one that a study could not use."""
    if len(content) > MAX_MIB * 2**20:
        raise MaterialsError(
            f"Decoder {card.name!r} has {len(content) / 2**20:.0f} MiB; a page can take {MAX_MIB}. "
            "Export it in half precision, or make it smaller."
        )
    rows = _tried_codes(card).astype(np.float32)
    session = session_from_bytes(content, what=f"Decoder {card.name!r}", rows=rows, call_mib=PAGE_MIB)
    decoder = OnnxDecoder(card, content, session, _takes_batches(session, card))
    _check_outputs(decoder)
    return decoder


def _takes_batches(session: ModelSession, card: DecoderCard) -> bool:
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if len(inputs) != 1 or len(outputs) < 1:
        raise MaterialsError(
            f"Decoder {card.name!r} has {len(inputs)} inputs and {len(outputs)} outputs; "
            "it needs one input, the code, and its first output is shown."
        )
    kinds = (inputs[0].type, outputs[0].type)
    if kinds != ("tensor(float)", "tensor(float)"):
        raise MaterialsError(
            f"Decoder {card.name!r} takes {kinds[0]} and gives {kinds[1]}; a page works with tensor(float) alone. "
            "Export it with 32-bit inputs and outputs."
        )
    shape = inputs[0].shape
    if len(shape) != 2 or (isinstance(shape[1], int) and shape[1] != card.n_inputs):
        raise MaterialsError(
            f"Decoder {card.name!r} takes inputs of shape {shape}, but its dials make codes of {card.n_inputs} numbers "
            f"(shape [rows, {card.n_inputs}]). Correct the list of dials, or export the right part of the model."
        )
    return not isinstance(shape[0], int)


def _check_outputs(decoder: OnnxDecoder) -> None:
    card = decoder.card
    failure = decoder.session.failure
    try:
        outputs = np.zeros((0, 0)) if failure else decoder.decode(_tried_codes(card))
    except MaterialsError:
        raise
    except Exception as error:  # onnxruntime's exceptions have no common base class
        failure = reason_of(error)
    if failure is not None:
        raise MaterialsError(f"Decoder {card.name!r} failed on a code of {card.n_inputs} numbers: {failure}")
    if outputs.shape[1] != card.n_outputs:
        raise MaterialsError(
            f"Decoder {card.name!r} gives {outputs.shape[1]} numbers, but its shape "
            f"{' x '.join(map(str, card.shape))} has {card.n_outputs}. Correct the shape."
        )
    if not np.isfinite(outputs).all():
        raise MaterialsError(
            f"Decoder {card.name!r} gives values that are not finite within the ranges of its dials. "
            "Narrow the ranges, or correct the model."
        )


def _tried_codes(card: DecoderCard) -> Floats:
    """Return the ends and the middle of all dials, and random settings between them; always the same ones."""
    rng = np.random.default_rng(0)
    parts: list[Floats] = []
    for dial in card.dials:
        if dial.kind == "discrete":
            parts.append(np.eye(dial.n_inputs)[np.arange(N_TRIED) % dial.n_inputs])
        else:
            ends = (dial.low, (dial.low + dial.high) / 2, dial.high)
            parts.append(np.concatenate([ends, rng.uniform(dial.low, dial.high, N_TRIED - 3)])[:, None])
    return np.concatenate(parts, axis=1)


# An opened observer: a model that reads the attributes of a world off pictures, as an ONNX file with its card.

_N_AT_ONCE = 128
INPUT, OUTPUT = "pictures", "attributes"


class Observer(OpenedModel[ObserverCard]):
    """An observer that passed its checks."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of what it reads."""
        return self.card.attributes

    @property
    def spreads(self) -> tuple[float, ...]:
        """Standard deviation of each attribute in the pictures that it learned from."""
        return self.card.spreads

    @property
    def unexplained(self) -> tuple[float, ...]:
        """Share of the variance of each attribute that it misses; empty if that was not measured."""
        errors = self.card.squared_errors
        return tuple(error / spread**2 for error, spread in zip(errors, self.spreads, strict=True)) if errors else ()

    def read(self, pictures: Pixels) -> Floats:
        """Return one row of attributes, each in its own units, for each picture (height, width, channels)."""
        channels, height, width = self.card.size
        if pictures.ndim != 4 or pictures.shape[1:] != (height, width, channels) or pictures.dtype != np.uint8:
            raise MaterialsError(
                f"The observer {self.card.name!r} looks at pictures of {width} x {height} pixels with {channels} channels of 8 "
                f"bits, but was given {pictures.dtype} of the shape {pictures.shape}. Draw the pictures in that size."
            )
        seen = [
            self.session.run([OUTPUT], {INPUT: model_inputs(pictures[start : start + _N_AT_ONCE]).astype(np.float32)})[
                0
            ]
            for start in range(0, len(pictures), _N_AT_ONCE)
        ]
        return np.concatenate(seen).astype(np.float64) if seen else np.zeros((0, len(self.attributes)))


def observer_from_file(path: Path) -> Observer:
    """Open an ONNX file with the card of the same name in `.json` next to it."""
    card_path = path.with_suffix(".json")
    for needed in (path, card_path):
        if not needed.is_file():
            raise MaterialsError(f"{needed} is not a file. Put observer and card there, or correct the path.")
    card = card_from_text(card_path.read_text(encoding="utf-8"), str(card_path))
    return observer_from_bytes(path.read_bytes(), details_from_card(card, ObserverCard, str(card_path)))


def observer_from_bytes(content: bytes, card: ObserverCard) -> Observer:
    """Open an observer and refuse one that does not fit its card."""
    session = session_from_bytes(content, what=f"Observer {card.name!r}")
    takes = [(tensor.name, tuple(tensor.shape[1:])) for tensor in session.get_inputs()]
    shows = {tensor.name: tuple(tensor.shape[1:]) for tensor in session.get_outputs()}
    if takes != [(INPUT, card.size)] or shows.get(OUTPUT) != (len(card.attributes),):
        raise MaterialsError(
            f"Observer {card.name!r} takes {takes} and shows {shows}; its card promises pictures of the shape {card.size} and "
            f"{len(card.attributes)} attributes. Write file and card again, together."
        )
    return Observer(card, content, session)
