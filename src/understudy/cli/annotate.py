"""`understudy annotate`: how far annotators are, how they agree, and codes in and out."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from understudy.actions.access import opened_desk
from understudy.actions.annotate import (
    CodedRun,
    Errors,
    chosen_scheme,
    coded_run,
    coding_summaries,
    settle_simulated,
    simulate_annotators,
    summaries_of,
)
from understudy.actions.coding_files import code_book_xml, codes_csv, import_codes, project_archive, texts_csv
from understudy.actions.run_folder import existing_run
from understudy.conduct.coding_room import SchemeState
from understudy.errors import UnderstudyError
from understudy.report.coding import CodingSummary, coding_sentences
from understudy.report.wording import plural
from understudy.serve.desk.researchers import Researchers, check_name

_SUFFIXES = (".csv", ".qdc", ".qdpx")


class Rehearsal(NamedTuple):
    """How simulated annotators code, as it was typed."""

    n_annotators: int
    error_rate: float
    shares: str | None
    seed: int
    settles: bool


def status(folder: Path, *, as_json: bool) -> None:
    """Print how far coding is, how annotators agree, and what to do next."""
    run = existing_run(folder)
    with coded_run(run) as coded:
        summaries = summaries_of(coded)
    if as_json:
        typer.echo(json.dumps([asdict(summary) for summary in summaries], indent=2))
        return
    for summary in summaries:
        _print(summary)
    typer.echo(f"Next: {_next_step(folder, summaries)}")


def _print(summary: CodingSummary) -> None:
    typer.echo(f"{summary.title} ({summary.scheme_id})")
    for sentence in coding_sentences(summary):
        typer.echo(f"  {sentence}")
    if not summary.agreement:
        return
    table = Table()
    for heading in ("agreement about", "annotators", "texts", "same", "kappa", "95 % interval", "alpha"):
        table.add_column(heading, justify="left" if heading in ("agreement about", "annotators") else "right")
    for line in summary.agreement:
        interval = "–" if line.interval is None else f"{line.interval[0]:.3f} to {line.interval[1]:.3f}"
        table.add_row(
            line.about, line.pair, str(line.n), f"{line.same:.0%}", _figure(line.kappa), interval, _figure(line.alpha)
        )
    Console().print(table)


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _next_step(folder: Path, summaries: Sequence[CodingSummary]) -> str:
    """Return the one thing that coding waits for."""
    run = shlex.quote(str(folder))
    if not any(summary.n_units for summary in summaries):
        return "wait until people have finished the study; their texts appear by themselves."
    with opened_desk(existing_run(folder)) as desk:
        roles = {actor.role for actor in Researchers(desk).all()}
    if "annotator" not in roles and not any(summary.annotators for summary in summaries):
        first = "" if roles else f"name an owner (understudy researchers add {run} NAME --role owner), then "
        return f"{first}name two annotators: understudy researchers add {run} NAME --role annotator"
    if any(summary.phase == "open" for summary in summaries):
        return "merge labels into codes at /admin/annotate, then begin closed coding there."
    if any(summary.n_complete < summary.n_units for summary in summaries):
        return f"annotators go on at /admin/annotate of: understudy serve {run}"
    if any(summary.n_settled < summary.n_disputed for summary in summaries):
        return f"settle the disagreements at /admin/annotate of: understudy serve {run}"
    return f"understudy report {run}"


def export(folder: Path, path: Path, scheme: str | None) -> None:
    """Write what annotators said, in the format that the name of the file asks for."""
    if path.suffix not in _SUFFIXES:
        raise UnderstudyError(f"{path} has the ending {path.suffix!r}. Choose from: {', '.join(_SUFFIXES)}.")
    run = existing_run(folder)
    with coded_run(run) as coded:
        states = _states(coded, scheme)
    if path.suffix == ".csv":
        path.write_text(codes_csv(states), encoding="utf-8")
    else:
        written = (
            code_book_xml(states) if path.suffix == ".qdc" else project_archive(states, name=run.script.study.name)
        )
        path.write_bytes(written)
    typer.echo(f"{path}: {_contents(states, path.suffix)}.")


def _contents(states: Sequence[SchemeState], suffix: str) -> str:
    """Say what a file of that format holds."""
    codes = plural(sum(len(state.book.codes) for state in states), "code")
    texts = plural(sum(len(state.units) for state in states), "text")
    if suffix == ".csv":
        n_coded = sum(bool(state.said(unit).given) for state in states for unit in state.units)
        n_given = sum(n for state in states for n in state.progress.values())
        return f"{plural(n_given, 'decision')} about {n_coded:,} of {texts}"
    return codes if suffix == ".qdc" else f"{codes}, {texts}"


def _states(coded: CodedRun, scheme: str | None) -> tuple[SchemeState, ...]:
    return coded.states() if scheme is None else (coded.state(chosen_scheme(coded.schemes, scheme)),)


def write_texts(folder: Path, path: Path, scheme: str | None) -> None:
    """Write the texts without anything about people, to be coded elsewhere."""
    with coded_run(existing_run(folder)) as coded:
        state = coded.state(chosen_scheme(coded.schemes, scheme))
    path.write_text(texts_csv(state), encoding="utf-8")
    typer.echo(
        f"{path}: {plural(len(state.units), 'text')}. Fill in the column codes, then: "
        f"understudy annotate {shlex.quote(str(folder))} --import {shlex.quote(str(path))} --annotator NAME"
    )


def take(folder: Path, path: Path, annotator: str | None, *, is_new: bool) -> None:
    """Take the codes that somebody wrote into a file."""
    if not annotator:
        raise UnderstudyError("Say who filled in the file: --annotator NAME.")
    run = existing_run(folder)
    with coded_run(run, is_writing=True) as coded:
        _require_annotator(coded, annotator, is_new=is_new)
        taken = import_codes(coded, path, annotator)
    typer.echo(
        f"{plural(taken.n_new, 'decision')} of {annotator} stored; {taken.n_same} already known, {taken.n_empty} without a "
        "code. The report counts the codes of a file as not blind."
    )


def _require_annotator(coded: CodedRun, name: str, *, is_new: bool) -> None:
    """Refuse a name that nobody who codes here has, unless it is new on purpose: a typing error would be a third annotator."""
    with opened_desk(coded.run) as desk:
        accounts = {actor.name for actor in Researchers(desk).all() if actor.may("code")}
    known = accounts | {coder for state in coded.states() for coder in state.progress}
    if name in known:
        return
    if not is_new:
        raise UnderstudyError(
            f"{name!r} is not an annotator of this study. Known: {', '.join(sorted(known)) or 'nobody yet'}. If somebody "
            "new filled in the file, add --new-annotator."
        )
    check_name(name)


def simulate(folder: Path, scheme: str | None, rehearsal: Rehearsal) -> None:
    """Let simulated annotators code the texts of simulated people."""
    run = existing_run(folder)
    errors = Errors(rehearsal.n_annotators, rehearsal.error_rate, _shares(rehearsal.shares), rehearsal.seed)
    with coded_run(run, is_writing=True) as coded:
        chosen = chosen_scheme(coded.schemes, scheme)
        n_given = simulate_annotators(coded, chosen, errors)
        n_settled = settle_simulated(coded, chosen, errors) if rehearsal.settles else 0
    typer.echo(f"SYNTHETIC: {n_given} decisions of {rehearsal.n_annotators} simulated annotators, {n_settled} settled.")
    for summary in coding_summaries(run):
        if summary.scheme_id == chosen.scheme_id:
            _print(summary)


def _shares(text: str | None) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise UnderstudyError(
            f"--shares is {text!r}; give numbers with commas between them, such as 0.8,0.2."
        ) from None
