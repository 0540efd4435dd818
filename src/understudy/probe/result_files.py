"""Read results from disk: a folder of four files, four paths, one long table, or a folder of repeated runs."""

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import pandas as pd
from pydantic import Field

from understudy.errors import MaterialsError, ResultsError, refuse_large
from understudy.parquet import read_frame, write_frame
from understudy.probe.concept_test import ConceptTest, SeedResults
from understudy.probe.hypotheses import SETS
from understudy.probe.results import Correctness, FourResults, Incomplete, plural, results_from_frames
from understudy.schema import Json, Record, Ref, canonical_json, digest_of, json_from_record
from understudy.schema.probe import SetId

# Run a concept test with several seeds and return the result tables.

_SETS: tuple[SetId, ...] = ("PP", "PD", "MP", "MD")


def results_of_runs(
    test: ConceptTest,
    seeds: Iterable[int],
    *,
    with_confidence: bool = False,
    on_model: Callable[[str], None] = lambda _: None,
) -> tuple[FourResults, ...]:
    """Train and test both models once per seed; `on_model` is called after each model."""
    return tuple(
        results_from_frames(
            frames_of(test.results(seed, on_model=on_model), with_confidence=with_confidence), name=f"seed-{seed}"
        )
        for seed in seeds
    )


def frames_of(results: SeedResults, *, with_confidence: bool) -> dict[SetId, pd.DataFrame]:
    """Return four tables; without confidence an answer is just right or wrong."""
    frames: dict[SetId, pd.DataFrame] = {}
    for name in _SETS:
        answers = results.answers[name]
        columns = {"id": results.ids, "truth": results.truth, "label": [results.label_names[k] for k in answers.labels]}
        frames[name] = pd.DataFrame(columns | ({"confidence": answers.confidences} if with_confidence else {}))
    return frames


STEMS: dict[SetId, str] = {"PP": "M_plus.D_plus", "PD": "M_plus.D", "MP": "M.D_plus", "MD": "M.D"}
"""File names in a folder of results, without .csv or .parquet."""
SUFFIXES = (".csv", ".parquet")
RUN, MODEL, DATA = "run", "model", "data"
_MODELS = {"M": "M", "M+": "P", "M_plus": "P"}
_DATA = {"D": "D", "D+": "P", "D_plus": "P"}
_BLANK = ["", "NA", "NaN", "nan"]


def results_from_files(
    paths: Sequence[Path], *, correctness: Correctness | None = None, incomplete: Incomplete = "refuse"
) -> tuple[FourResults, ...]:
    """Read results, one for each repeated run.

    One path is a folder with M.D, M.D_plus, M_plus.D and M_plus.D_plus (.csv or .parquet), or with a folder like that
    for each run, or a single table with columns `model` and `data`. Four paths are the tables in that order. A column
    `run` tells repeated runs apart.
    """
    if len(paths) == 4:
        files = dict(zip(("MD", "MP", "PD", "PP"), paths, strict=True))
        return _from_four({set_id: files[set_id] for set_id in SETS}, correctness, incomplete)
    if len(paths) != 1:
        raise ResultsError([f"{len(paths)} paths are given; give one folder, one long table, or four tables."])
    [path] = paths
    if path.is_dir():
        return _from_folder(path, correctness, incomplete)
    frame = _table(path)
    lacking = [column for column in (MODEL, DATA) if column not in frame]
    if lacking:
        raise ResultsError(
            [
                f"{path} has no column {' and no column '.join(map(repr, lacking))}. A single table needs columns 'model' (M "
                "or M+) and 'data' (D or D+); otherwise give a folder or four tables."
            ]
        )
    return _by_run(_split(frame, path), dict.fromkeys(SETS, path.name), correctness, incomplete)


def _from_folder(folder: Path, correctness: Correctness | None, incomplete: Incomplete) -> tuple[FourResults, ...]:
    files = _four_in(folder)
    if files:
        missing = [STEMS[set_id] for set_id in SETS if set_id not in files]
        if missing:
            raise ResultsError([f"{folder} lacks {', '.join(f'{stem}.csv' for stem in missing)} (or .parquet)."])
        return _from_four({set_id: files[set_id] for set_id in SETS}, correctness, incomplete)
    inner = [path for path in sorted(folder.iterdir()) if path.is_dir() and _four_in(path)]
    if not inner:
        raise ResultsError(
            [
                f"{folder} contains no results. Its files should be called {', '.join(f'{stem}.csv' for stem in STEMS.values())}."
            ]
        )
    runs = [run for path in inner for run in _from_folder(path, correctness, incomplete)]
    return tuple(runs)


def _four_in(folder: Path) -> dict[SetId, Path]:
    files: dict[SetId, Path] = {}
    for set_id, stem in STEMS.items():
        there = [folder / f"{stem}{suffix}" for suffix in SUFFIXES if (folder / f"{stem}{suffix}").is_file()]
        if len(there) > 1:
            raise ResultsError([f"{folder} has both {there[0].name} and {there[1].name}; keep one."])
        if there:
            files[set_id] = there[0]
    return files


def _from_four(
    files: Mapping[SetId, Path], correctness: Correctness | None, incomplete: Incomplete
) -> tuple[FourResults, ...]:
    faults: list[str] = []
    frames: dict[SetId, pd.DataFrame] = {}
    for set_id, path in files.items():
        try:
            frames[set_id] = _table(path)
        except ResultsError as error:
            faults += error.faults
    if faults:
        raise ResultsError(faults)
    names = {set_id: path.name for set_id, path in files.items()}
    if len(set(names.values())) < len(SETS):
        names = {set_id: str(path) for set_id, path in files.items()}
    return _by_run(frames, names, correctness, incomplete, folder=files["PP"].parent.name)


def _by_run(
    frames: Mapping[SetId, pd.DataFrame],
    names: Mapping[SetId, str],
    correctness: Correctness | None,
    incomplete: Incomplete,
    *,
    folder: str = "",
) -> tuple[FourResults, ...]:
    def read(parts: Mapping[SetId, pd.DataFrame], name: str) -> FourResults:
        return results_from_frames(parts, correctness=correctness, incomplete=incomplete, names=names, name=name)

    with_runs = [RUN in frames[set_id] for set_id in SETS]
    if not any(with_runs):
        return (read(frames, folder),)
    if not all(with_runs):
        raise ResultsError(["Some tables have a column 'run' and some have none; give it in all four or in none."])
    runs = {set_id: set(frames[set_id][RUN].dropna().astype(str)) for set_id in SETS}
    faults = [f"{names[set_id]} has {plural(int(frames[set_id][RUN].isna().sum()), 'row')} without a run." for set_id in SETS if frames[set_id][RUN].isna().any()]  # fmt: skip
    all_runs = sorted(set.union(*runs.values()))
    faults += [f"{names[set_id]} lacks run {', '.join(sorted(set(all_runs) - runs[set_id]))}." for set_id in SETS if runs[set_id] != set(all_runs)]  # fmt: skip
    if faults:
        raise ResultsError(faults)
    return tuple(
        read({set_id: frames[set_id][frames[set_id][RUN].astype(str) == run].drop(columns=RUN) for set_id in SETS}, run)
        for run in all_runs
    )


def _split(frame: pd.DataFrame, path: Path) -> dict[SetId, pd.DataFrame]:
    """Split a long table by its columns model and data."""
    faults = []
    for column, codes in ((MODEL, _MODELS), (DATA, _DATA)):
        strange = sorted(set(frame[column].astype("str").fillna("missing")) - codes.keys())
        if strange:
            faults.append(f"{path} has {strange[0]!r} as {column}; choose from {', '.join(codes)}.")
    if faults:
        raise ResultsError(faults)
    set_of_row = frame[MODEL].map(_MODELS) + frame[DATA].map(_DATA)
    frames = {set_id: frame[set_of_row == set_id].drop(columns=[MODEL, DATA]) for set_id in SETS}
    empty = [STEMS[set_id].replace(".", " on ").replace("_plus", "+") for set_id in SETS if frames[set_id].empty]
    if empty:
        raise ResultsError([f"{path} has no rows of {', '.join(empty)}; all four combinations are needed."])
    return frames


def _table(path: Path) -> pd.DataFrame:
    """Read a table; CSV values stay text, so that ids and labels keep their spelling."""
    if not path.is_file():
        raise ResultsError([f"There is no file {path}. Give a folder of results, or .csv or .parquet tables."])
    if path.suffix not in SUFFIXES:
        raise ResultsError([f"{path} ends in {path.suffix or 'nothing'!r}, but a table is a .csv or .parquet file."])
    refuse_large(path, 1024, lambda told: ResultsError([told]), "Judge parts of the results.")
    try:
        if path.suffix == ".parquet":
            frame = read_frame(path)
        else:
            frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=_BLANK, encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ResultsError([f"{path} is not written in UTF-8. Save it as CSV in UTF-8."]) from None
    except (ValueError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise ResultsError([f"{path} cannot be read as {path.suffix[1:].upper()}: {reason}"]) from None
    if frame.empty:
        raise ResultsError([f"{path} has no rows; a table needs a line of headings and at least one row."])
    frame.columns = [str(name) for name in frame.columns]
    return frame


# Store the results of a concept test on disk, one folder per seed, under the digest of the test.

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
