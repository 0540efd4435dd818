"""`understudy pay`: show what everybody is owed, and pay what is due, once."""

import getpass
import json
import os
from collections import Counter
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from understudy.errors import UnderstudyError
from understudy.recruiters import Prolific
from understudy.registry import create
from understudy.workflow.pay_book import PayBook, hourly_pay, hourly_sentences
from understudy.workflow.pay_list import confirm_list, listed_dues, order_list
from understudy.workflow.paying import Survey, survey
from understudy.workflow.paying import pay as pay_due
from understudy.workflow.recruiting import ProlificStudy, prolific_api
from understudy.workflow.run_folder import Run, existing_run
from understudy.workflow.run_payments import open_book


def pay(folder: Path, *, yes: bool, dry_run: bool, csv: Path | None, paid: Path | None, as_json: bool) -> None:
    """Show who is owed what and why, ask, and pay each amount once."""
    run = existing_run(folder)
    with open_book(run, getpass.getuser()) as opened:
        if paid is not None:
            n_paid, n_left = confirm_list(opened.book, paid)
            typer.echo(f"Confirmed {n_paid} as paid; {n_left} were deleted from the list and are due again.")
            return
        if csv is not None:
            _write_list(opened.book, csv)
            return
        if not _has_api(run):
            raise UnderstudyError(
                f"{run.script.study.name} names no recruiter that understudy can pay through. Write a list with --csv FILE, pay it "
                "there, and confirm it with --paid FILE."
            )
        there = ProlificStudy(run, prolific_api(os.environ))
        desk = there.desk()
        known = survey(opened.book, desk)
        if as_json:
            typer.echo(json.dumps(_plain(known), indent=2))
            return
        _print(opened.book, known)
        if dry_run or not known.due_cents:
            return
        if not yes:
            typer.confirm(f"Pay {_money(opened.book, known.due_cents)} now?", abort=True)
        done = pay_due(opened.book, desk, known)
        after = survey(opened.book, desk)
    typer.echo(f"Approved {done.n_approved}, ordered {done.n_bonuses} bonuses.")
    typer.echo(
        f"Confirmed so far: {_money(opened.book, after.paid_cents)}. On its way: {_money(opened.book, after.open_cents)}."
    )
    if after.open_cents:
        typer.echo("Run the command again in a few minutes; it asks the recruiter what has arrived.")
    if done.faults:
        raise UnderstudyError("\n".join(done.faults))


def _has_api(run: Run) -> bool:
    recruitment = run.script.study.recruitment
    return recruitment is not None and isinstance(create("recruiters", recruitment.recruiter), Prolific)


def _write_list(book: PayBook, path: Path) -> None:
    lines = listed_dues(book)
    if not lines:
        typer.echo("Nothing is due.")
        return
    # Under another name until the orders are entered: nobody may pay from a list that the ledger does not know.
    draft = path.with_name(f"{path.name}.part")
    text = order_list(book, lines)
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
    total = _money(book, sum(line.cents for line in lines))
    typer.echo(f"{path}: {len(lines)} people, {total}. When it is paid: understudy pay RUN --paid {path}")


def _print(book: PayBook, known: Survey) -> None:
    table = Table(title=f"Pay of {book.study.name}")
    for heading in ("", "people", "amount"):
        table.add_column(heading, justify="left" if not heading else "right")
    rewards, bonuses = known.due("reward"), known.due("bonus")
    rows = (
        ("owed", len(known.people), known.owed_cents),
        ("confirmed", sum(person.account.paid_cents > 0 for person in known.people), known.paid_cents),
        ("on its way", sum(bool(person.account.open) for person in known.people), known.open_cents),
        ("due: to approve", len(rewards), sum(due.cents for _, due in rewards)),
        ("due: bonuses", len(bonuses), sum(due.cents for _, due in bonuses)),
    )
    for words, n, cents in rows:
        table.add_row(words, str(n), _money(book, cents))
    Console().print(table)
    for reason, n in Counter(due.reason for _, due in (*rewards, *bonuses)).most_common(10):
        typer.echo(f"  {n} × {reason}")
    for note, n in Counter(person.dues.note for person in known.people if person.dues.note).items():
        typer.echo(f"Not paid now: {n} × {note}.")
    waiting = sum(stranger.status == "waiting" for stranger in known.strangers)
    if waiting:
        typer.echo(
            f"{waiting} submissions wait for a decision and belong to nobody who earned anything here; see: understudy recruit status"
        )
    for row in hourly_pay(book.owed()):
        typer.echo(
            f"{row.condition}: {row.per_hour:.2f} an hour, median of {row.n} people and {row.median_minutes:.1f} minutes"
        )
    for sentence in hourly_sentences(book.study, book.owed()):
        typer.echo(f"Warning: {sentence}")


def _money(book: PayBook, cents: int) -> str:
    currency = book.study.pay.currency if book.study.pay is not None else ""
    return f"{currency} {cents / 100:,.2f}".strip()


def _plain(known: Survey) -> dict[str, object]:
    return {
        "owed_cents": known.owed_cents,
        "confirmed_cents": known.paid_cents,
        "open_cents": known.open_cents,
        "due_cents": known.due_cents,
        "notes": Counter(person.dues.note for person in known.people if person.dues.note),
    }
