"""Measures every performance figure beside its peer, prints the table and writes docs/benchmarks.md."""

import os
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from measured import Bench, Row, Unavailable
from page import facts_now, page_of, page_with, peer_text, ratio_text, timing_text
from topics import TOPICS

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
_THREAD_SETTINGS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def main(
    only: Annotated[
        list[str] | None, typer.Option(help=f"Topic to measure; may be given again. {', '.join(TOPICS)}.")
    ] = None,
    quick: Annotated[bool, typer.Option(help="Smaller sizes, no long rows, and no page written.")] = False,
    keep: Annotated[
        bool, typer.Option(help="With --only: put these topics into the page, with their own time.")
    ] = False,
) -> None:
    """Measure every performance figure beside its peer."""
    unknown = sorted(set(only or ()) - TOPICS.keys())
    if unknown:
        Console(stderr=True).print(f"{', '.join(unknown)} is no topic. Topics are: {', '.join(TOPICS)}.")
        raise typer.Exit(2)
    chosen = {topic: rows for topic, rows in TOPICS.items() if not only or topic in only}
    facts, missing = facts_now(), dict[str, str]()
    results = _measured(chosen, missing, is_quick=quick)
    _print(results, missing)
    if quick or (only and not keep):
        Console(stderr=True).print("docs/benchmarks.md is left as it is.")
        return
    now = datetime.now(UTC)
    if only:
        page = page_with(PAGE.read_text(encoding="utf-8"), results, facts, now)
    else:
        page = page_of(results, facts, now, missing=missing)
    PAGE.write_text(page, encoding="utf-8")
    Console(stderr=True).print(f"Wrote {PAGE.relative_to(PAGE.parents[1])}.")


def _measured(chosen: dict[str, tuple[Bench, ...]], missing: dict[str, str], *, is_quick: bool) -> dict[str, list[Row]]:
    wanted = {topic: [bench for bench in rows if not (is_quick and bench.is_slow)] for topic, rows in chosen.items()}
    results: dict[str, list[Row]] = {topic: [] for topic in wanted}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=sum(map(len, wanted.values())))
        for topic, rows in wanted.items():
            for bench in rows:
                bar.update(task, description=f"{topic}: {bench.name}")
                try:
                    results[topic].append(_in_own_process(bench, is_quick=is_quick))
                except Unavailable as error:
                    missing[f"{topic}: {bench.name}"] = str(error)
                bar.advance(task)
    return results


def _in_own_process(bench: Bench, *, is_quick: bool) -> Row:
    """Measure in a fresh process, whose memory and thread settings are its own."""
    for name in _THREAD_SETTINGS:
        os.environ.pop(name, None)
        if bench.has_one_blas_thread:
            os.environ[name] = "1"
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(bench.run, is_quick).result()


def _print(results: dict[str, list[Row]], missing: dict[str, str]) -> None:
    table = Table("what", "n", "ours", "peer", "ratio", "reads as", "target", show_lines=True)
    for rows in results.values():
        for row in rows:
            table.add_row(
                row.what, f"{row.n:,}", timing_text(row.ours), peer_text(row), ratio_text(row), row.reads, row.target
            )
    console = Console()
    console.print(table)
    for name, reason in missing.items():
        console.print(f"Not measured: {name} ({reason}).")


if __name__ == "__main__":
    typer.run(main)
