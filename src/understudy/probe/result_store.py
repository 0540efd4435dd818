"""Store the results of a concept test on disk, one folder per seed, under the digest of the test."""

import json
import shutil
from pathlib import Path
from typing import Literal

from pydantic import Field

from understudy.errors import MaterialsError
from understudy.parquet import write_frame
from understudy.probe.concept_test import SeedResults
from understudy.probe.repeated_runs import frames_of
from understudy.probe.result_files import STEMS
from understudy.schema import Json, Record, Ref, canonical_json, digest_of, json_from_record

ORDER = "concept-test.json"


class ConceptOrder(Record):
    """A concept test by the names of its parts; its digest shows whether stored results belong to it."""

    concept: Ref
    dataset: Ref = Ref(name="drawn_shapes")
    trainer: Ref = Ref(name="perceptron")
    encoding: Literal["quadrants", "side_channel"] = "quadrants"
    n_train: int = Field(default=2000, ge=2)
    n_test: int = Field(default=1000, ge=2)
    noise: Literal["uniform", "normal", "shuffled", "empty"] = "uniform"
    data_seed: int = Field(default=0, ge=0)
    keeps_confidence: bool = False
    """Whether scores use the model's confidence; otherwise an answer is just right or wrong."""


def open_result_folder(folder: Path, order: ConceptOrder) -> Path:
    """Create the folder of a concept test, or reuse it if it belongs to the same test."""
    note = folder / ORDER
    if note.is_file():
        if digest_of(_order_in(note)) != digest_of(order):
            raise MaterialsError(
                f"{folder} contains results of another concept test. Choose another folder with --out."
            )
        return folder
    if folder.exists() and any(folder.iterdir()):
        raise MaterialsError(
            f"{folder} is not empty and does not contain a concept test. Choose another folder with --out."
        )
    folder.mkdir(parents=True, exist_ok=True)
    content: Json = {"digest": digest_of(order), "order": json_from_record(order)}
    note.write_text(canonical_json(content), encoding="utf-8")
    return folder


def concept_in(folder: Path) -> str | None:
    """Return the concept that stored results are about, as words; None for results from elsewhere."""
    note = folder / ORDER
    return _order_in(note).concept.name.replace("_", " ") if note.is_file() else None


def is_stored(folder: Path, seed: int) -> bool:
    """Tell whether the results of a seed are complete."""
    return all((_seed_folder(folder, seed) / f"{stem}.parquet").is_file() for stem in STEMS.values())


def store_results(results: SeedResults, folder: Path, *, seed: int, with_confidence: bool) -> Path:
    """Write four tables; the folder gets its final name once all of them are complete."""
    target = _seed_folder(folder, seed)
    draft = target.with_name(f".{target.name}")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    for name, frame in frames_of(results, with_confidence=with_confidence).items():
        with (draft / f"{STEMS[name]}.parquet").open("wb") as stream:
            write_frame(frame, stream)
    # Incomplete results of an interrupted run are replaced.
    shutil.rmtree(target, ignore_errors=True)
    return draft.rename(target)


def _order_in(note: Path) -> ConceptOrder:
    try:
        earlier = json.loads(note.read_text(encoding="utf-8"))["order"]
        # Version 0.1.0 called the trainer a learner.
        return ConceptOrder.model_validate(
            {"trainer" if name == "learner" else name: earlier[name] for name in earlier}
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise MaterialsError(
            f"{note} does not say which concept test these results are of. Choose another folder with --out."
        ) from None


def _seed_folder(folder: Path, seed: int) -> Path:
    return folder / f"seed-{seed}"
