"""Explaining: each item and class alone and from its own seed, kept between runs."""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from understudy.deferred.joblib import joblib
from understudy.errors import MaterialsError
from understudy.prepare.applicability import applicability
from understudy.prepare.assets import with_addresses, with_paths
from understudy.prepare.bindings import Bound
from understudy.prepare.candidates import (
    Candidates,
    ShownAnswers,
    as_options,
    candidates_of,
    class_number,
    require_answers,
    targets_of_answers,
    truth_of,
)
from understudy.prepare.items import DrawnItems
from understudy.registry import Catalogue, create
from understudy.roles import (
    Dataset,
    Explained,
    Explainer,
    Floats,
    HasBackground,
    HasCost,
    HasOwnModel,
    HasParts,
    HasRecording,
    Ints,
    Model,
    ModelExplainer,
)
from understudy.schema import (
    AnyExplanation,
    Explanation,
    FileAddress,
    Json,
    Record,
    Ref,
    Stimulus,
    canonical_json,
    digest_of,
    json_from_record,
    seed_from,
)

# Cache dependencies: the numbers an explanation depends on besides the explained model, so that a change is noticed.


def cache_dependencies(explainer: Explainer, inputs: Floats) -> Iterator[Floats]:
    """Yield the background of an explainer, the answers of its own model, and the same for its parts."""
    if isinstance(explainer, HasBackground):
        dataset: Dataset = create("datasets", explainer.background)
        drawn = dataset.draw(explainer.n_background, np.random.default_rng(explainer.background_seed)).inputs
        yield np.zeros(0) if drawn is None else np.asarray(drawn, dtype=np.float64)
    if isinstance(explainer, HasOwnModel) and explainer.model is not None:
        model: Model = create("models", explainer.model)
        yield model.predict(inputs)
    for part in explainer.parts if isinstance(explainer, HasParts) else ():
        yield from cache_dependencies(create("explainers", part), inputs)


# Declared kinds: an explainer may only return the kinds that it declares, so that its entry says what pages must draw.


def refuse_undeclared(explained: Explained, declared: frozenset[str], owner: str) -> None:
    """Raise a sentence about the first explanation whose kind its explainer does not declare."""
    for explanation in explained.explanations:
        if explanation.kind not in declared:
            raise MaterialsError(
                f"{owner} returned an explanation of the kind {explanation.kind!r}, but declares only "
                f"{', '.join(sorted(declared))}. Add the kind to its `kinds`."
            )


# Explanation store: a folder of explanations by digest, which several processes may fill at once.


class StoredExplanation(Record):
    """One file of the store: an explanation, and the pictures that are stored with it."""

    explanation: AnyExplanation
    files: tuple[FileAddress, ...] = ()
    truth: Json = {}
    """What must not be shown about it."""


def load_explanation(folder: Path, digest: str) -> Explained | None:
    """Return the explanation stored under a digest; None if there is none, or if it cannot be read."""
    try:
        written = json.loads(_path(folder, digest).read_text(encoding="utf-8"))
        # Version 0.1.0 stored the explanation alone.
        entry = StoredExplanation.model_validate({"explanation": written} if "kind" in written else written)
        files = {address: _file_path(folder, address).read_bytes() for address in entry.files}
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError, ValueError, TypeError):
        return None
    return Explained((entry.explanation,), files, (entry.truth,) if entry.truth else ())


def store_explanation(folder: Path, digest: str, explained: Explained) -> None:
    """Store one explanation with its pictures; another process reads all of it or nothing."""
    # Pictures first, so that an explanation that can be read has all its pictures.
    for address, content in explained.files.items():
        _write(_file_path(folder, address), content)
    (explanation,) = explained.explanations
    truth = explained.truths[0] if explained.truths else {}
    entry = StoredExplanation(explanation=explanation, files=tuple(sorted(explained.files)), truth=truth)
    _write(_path(folder, digest), canonical_json(json_from_record(entry)).encode())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, suffix=".part", delete=False) as stream:
        stream.write(content)
    os.replace(stream.name, path)  # noqa: PTH105, the name is text already


def _path(folder: Path, digest: str) -> Path:
    return folder / digest[:2] / f"{digest}.json"


def _file_path(folder: Path, address: str) -> Path:
    return folder / "files" / address[:2] / address


FEW = 8
"""Up to so many explanations, starting other processes takes longer than it saves."""
_N_DIGITS = 6


class Explaining(NamedTuple):
    """Where explanations are cached, how many processes compute them, and how many are computed."""

    kept_in: Path | None = None
    n_workers: int | None = 1
    """None is one for each core that this process may use."""
    on_progress: Callable[[int], None] = lambda _: None
    n_tried: int | None = None
    """For a trial run: how many items of each set a costly method explains; the rest get no explanation."""


class _Job(NamedTuple):
    """One explanation to compute: of an item, for a class, or for the one that the explainer chooses."""

    item: int
    """The number of the item."""
    target: int | None
    seed: int


class _Task(NamedTuple):
    """Everything that is needed to explain the items of a set."""

    method: Ref
    model: Ref
    inputs: Floats
    jobs: Sequence[_Job]


class _Portion(NamedTuple):
    """Items that are sent to a process together."""

    method: str
    model: str
    numbers: tuple[int, ...]
    rows: Floats
    jobs: tuple[_Job, ...]


class ExplainedItems(NamedTuple):
    """Items with their explanations, and the pictures these show."""

    stimuli: tuple[Stimulus, ...]
    files: dict[str, bytes]


class Asked(NamedTuple):
    """What a page needs of the explanation of an item."""

    block_id: str
    n_candidates: int | None = None
    """As many explanations as numbered options, each of another class."""
    shows_answer: bool = False
    """Whether the page says what the model answers, so that the explanation must be of that answer."""


def explained(
    drawn: DrawnItems, bound: Bound, asked: Asked, *, seed: int, root: Path, how: Explaining
) -> ExplainedItems:
    """Attach the bound explanation to each item, if one is bound; with candidates, one explanation for each class."""
    if bound.explainer is None:
        return ExplainedItems(drawn.stimuli, {})
    if bound.model is None or drawn.inputs is None:
        raise MaterialsError(
            f"Explainer {bound.explainer.name!r} has no model or no numeric inputs to explain. "
            "Bind a model and a dataset."
        )
    method, model = with_paths("explainers", bound.explainer, root), with_paths("models", bound.model, root)
    options: list[Candidates] = []
    labels = _model(_written(model)).labels
    explainer = _explainer(_written(method))
    answers: list[str] = []
    if asked.n_candidates is not None:
        options = candidates_of(drawn.stimuli, _model(_written(model)), drawn.inputs, asked.n_candidates, seed=seed)
    elif asked.shows_answer:
        answers = [str(stimulus.truth.get("prediction", "")) for stimulus in drawn.stimuli]
    targets = targets_of_answers(explainer, labels, answers, drawn.inputs)
    task = _Task(method, model, drawn.inputs, _jobs(drawn.stimuli, options, targets, seed))
    by_number = _by_number(task, _digests(bound, task, root=root) if how.kept_in is not None else [], how)
    parts: dict[int, list[Explained]] = {}
    for number, job in enumerate(task.jobs):
        if number in by_number:
            parts.setdefault(job.item, []).append(by_number[number])
    stimuli, files, said = [], dict[str, bytes](), list[Explanation | None]()
    for index, stimulus in enumerate(drawn.stimuli):
        whole = _whole(parts.get(index, []), asked.n_candidates)
        explanation = whole.explanations[0] if whole else None
        said.append(explanation)
        truth = {
            **stimulus.truth,
            **class_number(stimulus, labels),
            **(options[index].truth if options else {}),
            **(truth_of(whole) if whole else {}),
            **applicability(stimulus.content, explanation),
        }
        stimuli.append(stimulus.model_copy(update={"explanation": explanation, "truth": truth}))
        files.update(whole.files if whole else {})
    if answers:
        shown = ShownAnswers(asked.block_id, bound.explainer.name, tuple(answers))
        require_answers(shown, said, explainer, drawn.inputs)
    return ExplainedItems(tuple(stimuli), files)


def _jobs(
    stimuli: Sequence[Stimulus], options: Sequence[Candidates], targets: Sequence[int | None], seed: int
) -> list[_Job]:
    if not options:
        return [
            _Job(index, target, seed_from(seed, "prepare", "explain", stimulus.stimulus_id))
            for index, (stimulus, target) in enumerate(zip(stimuli, targets, strict=True))
        ]
    return [
        _Job(index, target, seed_from(seed, "prepare", "explain", stimulus.stimulus_id, target))
        for index, stimulus in enumerate(stimuli)
        for target in options[index].classes
    ]


def _by_number(task: _Task, digests: Sequence[str], how: Explaining) -> Mapping[int, Explained]:
    """Return the explanations by the number of their job: those that are stored, and the missing ones computed."""
    found: dict[int, Explained] = {}
    for number, digest in enumerate(digests):
        cached = load_explanation(how.kept_in, digest) if how.kept_in is not None else None
        if cached is not None:
            found[number] = cached
    how.on_progress(len(found))
    is_all = how.n_tried is None or not _is_costly(task.method)
    missing = [n for n, job in enumerate(task.jobs) if n not in found and (is_all or job.item < (how.n_tried or 0))]
    declared = _explainer(_written(task.method)).kinds if missing else frozenset()
    for number, computed in _computed(task, missing, how):
        refuse_undeclared(computed, declared, f"Explainer {task.method.name!r}")
        found[number] = computed
        # Stored one by one, so that an interrupted run continues where it stopped.
        if how.kept_in is not None:
            store_explanation(how.kept_in, digests[number], computed)
        how.on_progress(1)
    return found


def _whole(parts: Sequence[Explained], n_candidates: int | None) -> Explained | None:
    """Return what a page shows of an item; None if a trial run left something out."""
    if n_candidates is None:
        return parts[0] if parts else None
    return as_options(parts) if len(parts) == n_candidates else None


def _digests(bound: Bound, task: _Task, *, root: Path) -> list[str]:
    """Name each explanation by all it depends on: program, model, method and its settings, other numbers, item, class and seed.

    The model's answers count too, because a model that is trained again keeps its name.
    """
    explainer, model = _explainer(_written(task.method)), _model(_written(task.model))
    dependencies = [model.predict(task.inputs), *cache_dependencies(explainer, task.inputs)]
    shared: Json = {
        "program": version("understudy"),
        "method": _by_content("explainers", bound.explainer, root),
        "model": _by_content("models", bound.model, root),
        "grounds": [_digest_of_numbers(numbers) for numbers in dependencies],
    }
    rows = [_digest_of_numbers(row) for row in task.inputs]
    return [
        digest_of(
            {**shared, "item": rows[job.item], "seed": job.seed}
            | ({} if job.target is None else {"target": job.target})
        )
        for job in task.jobs
    ]


def _by_content(catalogue: Catalogue, ref: Ref | None, root: Path) -> Json | None:
    """Write an entry with its files under the digests of their content."""
    return None if ref is None else json_from_record(with_addresses(catalogue, ref, root)[0])


def _digest_of_numbers(numbers: Floats) -> str:
    # Adding zero turns minus zero, which has other bytes, into zero.
    rounded = np.round(np.asarray(numbers, dtype=np.float64), _N_DIGITS) + 0.0
    return hashlib.sha256(repr(rounded.shape).encode() + rounded.tobytes()).hexdigest()


def _computed(task: _Task, missing: list[int], how: Explaining) -> Iterator[tuple[int, Explained]]:
    is_long = len(missing) > FEW and _is_costly(task.method)
    # Counts what a container, a batch job or a cluster allows. Asked only where it matters: it imports a library.
    n_workers = (how.n_workers or joblib.effective_n_jobs(-1)) if is_long else 1
    is_shared = n_workers > 1
    # Finding the libraries whose threads are limited takes longer than some explanations, so several share it.
    n_portions = min(len(missing), 4 * n_workers) if is_shared else -(-len(missing) // FEW)
    portions = [_portion(task, numbers) for numbers in (missing[start::n_portions] for start in range(n_portions))]
    if not is_shared:
        done: Iterator[list[tuple[int, Explained]]] = map(_explained_portion, portions)
    else:
        run = joblib.Parallel(n_jobs=n_workers, return_as="generator_unordered", batch_size=1)
        done = run(joblib.delayed(_explained_portion)(portion) for portion in portions)
    for portion in done:
        yield from portion


def _portion(task: _Task, numbers: Sequence[int]) -> _Portion:
    jobs = tuple(task.jobs[number] for number in numbers)
    rows = task.inputs[[job.item for job in jobs]]
    return _Portion(_written(task.method), _written(task.model), tuple(numbers), rows, jobs)


def _explained_portion(portion: _Portion) -> list[tuple[int, Explained]]:
    explainer, model = _explainer(portion.method), _model(portion.model)
    # One thread, because sums that are split among threads differ in their last digits.
    with threadpool_limits(limits=1, user_api="blas"):
        return [
            (number, explainer.explain(model, row[None], _targets(job), np.random.default_rng(job.seed)))
            for number, row, job in zip(portion.numbers, portion.rows, portion.jobs, strict=True)
        ]


def _targets(job: _Job) -> Ints | None:
    return None if job.target is None else np.array([job.target], dtype=np.int64)


def _is_costly(method: Ref) -> bool:
    explainer = _explainer(_written(method))
    return isinstance(explainer, HasCost) and explainer.is_costly


def _written(ref: Ref) -> str:
    return canonical_json(json_from_record(ref))


@lru_cache(maxsize=8)
def _explainer(written: str) -> Explainer:
    explainer: Explainer = create("explainers", Ref.model_validate_json(written))
    return explainer


@lru_cache(maxsize=8)
def _model(written: str) -> Model:
    model: Model = create("models", Ref.model_validate_json(written))
    return model


# Explaining models: one explanation of a whole model, for every page that shows it.


def explained_model(bound: Bound, *, seed: int, root: Path) -> Explained | None:
    """Return the explanation of the bound model as a whole; None if no such explainer is bound."""
    if bound.model_explainer is None:
        return None
    name = bound.model_explainer.name
    explainer: ModelExplainer = create("model_explainers", with_paths("model_explainers", bound.model_explainer, root))
    if isinstance(explainer, HasRecording):
        return _checked(explainer.recorded(), explainer, name)
    if bound.model is None:
        raise MaterialsError(f"Model explainer {name!r} has no model to explain. Bind a model to the same levels.")
    ref = explainer.dataset or (with_paths("datasets", bound.dataset, root) if bound.dataset else None)
    if ref is None:
        raise MaterialsError(f"Model explainer {name!r} has no dataset to draw from. Name one in it, or bind one.")
    model: Model = create("models", with_paths("models", bound.model, root))
    dataset: Dataset = create("datasets", ref)
    # What is drawn depends on what is bound, so that conditions with the same model see the same explanation.
    bound_to = digest_of([json_from_record(part) for part in bound if part is not None])
    rng = np.random.default_rng(seed_from(seed, "prepare", "explain_model", bound_to))
    return _checked(explainer.explain_model(model, dataset.draw(explainer.n, rng), rng), explainer, name)


def _checked(explained: Explained, explainer: ModelExplainer, name: str) -> Explained:
    if len(explained.explanations) != 1:
        raise MaterialsError(
            f"Model explainer {name!r} returned {len(explained.explanations)} explanations. It must return exactly one."
        )
    refuse_undeclared(explained, explainer.kinds, f"Model explainer {name!r}")
    return explained
