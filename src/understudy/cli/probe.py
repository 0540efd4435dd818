"""`understudy probe`: concept tests, from result files to twelve verdicts."""

import json
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from understudy.cli.commands.probe_options import Output
from understudy.cli.probe_output import require_names, show
from understudy.errors import UnderstudyError
from understudy.probe import correctness_from_text, results_from_files
from understudy.probe import probe as verdicts_of
from understudy.probe.result_store import concept_in
from understudy.schema import RuleOptions


def results(
    paths: list[Path] | None,
    *,
    md: Path | None,
    mp: Path | None,
    pd: Path | None,
    pp: Path | None,
    concept: str | None,
    alpha: float,
    correction: Literal["none", "holm"],
    test: Literal["t", "sign_flip"],
    group_by: str | None,
    group_correction: Literal["holm", "none"],
    correctness: str,
    incomplete: Literal["refuse", "drop"],
    difference: float | None,
    power: float,
    option: list[str] | None,
    seed: int,
    output: Output,
) -> None:
    """Judge results: which hypotheses about the concept are confirmed, and why."""
    require_names(output)
    chosen = _paths(paths or [], {"--md": md, "--mp": mp, "--pd": pd, "--pp": pp})
    function = None if correctness == "equal" else correctness_from_text(correctness)
    results = results_from_files(chosen, correctness=function, incomplete=incomplete)
    verdicts = verdicts_of(
        results,
        alpha=alpha,
        correction=correction,
        test=test,
        options=_options(option or []),
        groups=group_by,
        group_correction=group_correction,
        concept=concept or _name_of(chosen),
        difference=difference,
        power=power,
        seed=seed,
    )
    show(verdicts, chosen, output)


def _paths(paths: list[Path], named: dict[str, Path | None]) -> list[Path]:
    chosen_files = {name: path for name, path in named.items() if path is not None}
    if paths and chosen_files:
        raise UnderstudyError(f"Give paths, or {', '.join(named)}, but not both.")
    if not paths and not chosen_files:
        raise UnderstudyError(f"Give a folder of results, one or four tables, or {', '.join(named)}.")
    missing = [name for name in named if name not in chosen_files]
    if chosen_files and missing:
        raise UnderstudyError(f"{', '.join(missing)} is missing; the four tables are {', '.join(named)}.")
    return paths or list(chosen_files.values())


def _options(words: list[str]) -> RuleOptions:
    """Parse name=value pairs; true and false are in lower case."""
    pairs = dict(word.partition("=")[::2] for word in words)
    try:
        return RuleOptions.model_validate(pairs)
    except ValidationError as error:
        bad = [str(fault["loc"][0]) for fault in error.errors()]
        allowed = "; ".join(f"{name} ({_allowed(name)})" for name in RuleOptions.model_fields)
        pairs_text = ", ".join(f"{name}={pairs[name]}" for name in bad)
        raise UnderstudyError(f"--option {pairs_text} is not known. Choose from: {allowed}.") from None


def _allowed(name: str) -> str:
    allowed = RuleOptions.model_json_schema()["properties"][name].get("enum") or [True, False]
    default = RuleOptions.model_fields[name].default
    return " or ".join(
        f"{json.dumps(value).strip(chr(34))}{' by default' if value == default else ''}" for value in allowed
    )


def _name_of(paths: list[Path]) -> str:
    """Return the concept of stored results, or the name of the folder or single table without its ending, as words."""
    if len(paths) > 1:
        return "the concept"
    known = concept_in(paths[0])
    if known is not None:
        return known
    return (paths[0].resolve().name if paths[0].is_dir() else paths[0].stem).replace("_", " ")
