"""`understudy pay`: show what everybody is owed, and pay what is due, once."""

import getpass
import json
import os
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from understudy.actions import pay_lists
from understudy.actions.access import write_private
from understudy.actions.backup import require_known_orders
from understudy.actions.pay import (
    OpenBook,
    PayBook,
    Survey,
    hourly_pay,
    hourly_sentences,
    is_paid_by_list,
    open_book,
    pay_desk_of,
    survey,
)
from understudy.actions.pay import pay as pay_due
from understudy.actions.run_folder import existing_run, is_blind
from understudy.cli.progress import progress
from understudy.errors import UnderstudyError
from understudy.report.wording import people, plural
from understudy.schema.log_entries import utc_second


def pay(
    folder: Path,
    *,
    yes: bool,
    dry_run: bool,
    csv: Path | None,
    paid: Path | None,
    no_orders_lost: bool,
    as_json: bool,
) -> None:
    """Show who is owed what and why, ask for confirmation, and pay each amount once."""
    run = existing_run(folder)
    with open_book(run, getpass.getuser()) as opened:
        for each in opened.book.unreadable():
            typer.echo(f"{each.sentence} Look at what this person is owed by hand.", err=True)
        for sentence in opened.book.copies():
            typer.echo(sentence, err=True)
        if paid is not None:
            _confirm(opened.book, paid)
            return
        if _is_rehearsal(opened):
            _tell_rehearsal(opened.book, as_json=as_json)
            return
        if not (dry_run or as_json):
            is_by_list = csv is not None or is_paid_by_list(run.script.study)
            require_known_orders(folder, opened.book.now_ms(), is_by_list=is_by_list, none_lost=no_orders_lost)
        if csv is not None:
            _write_list(opened.book, csv, folder)
            return
        if (dry_run or as_json) and is_paid_by_list(run.script.study):
            _show(opened.book, pay_lists.list_survey(opened.book), as_json=as_json, blind=is_blind(run))
            return
        desk = pay_desk_of(run, os.environ)
        with progress("Asking the recruiter", None, is_quiet=as_json) as advance:
            known = survey(opened.book, desk, asks_settled=dry_run or as_json, on_person=advance)
        _show(opened.book, known, as_json=as_json, blind=is_blind(run))
        if as_json or dry_run or not known.due_cents:
            return
        if not yes:
            typer.confirm(f"Pay {_money(opened.book, known.due_cents)} now?", abort=True)
        with progress("Paying", None) as advance:
            done = pay_due(opened.book, desk, known)
            after = survey(opened.book, desk, on_person=advance)
    bonuses = "1 bonus" if done.n_bonuses == 1 else f"{done.n_bonuses:,} bonuses"
    typer.echo(f"Approved {plural(done.n_approved, 'submission')}, ordered {bonuses}.")
    typer.echo(
        f"Confirmed so far: {_money(opened.book, after.paid_cents)}. On its way: {_money(opened.book, after.open_cents)}."
    )
    if after.open_cents:
        typer.echo("Run the command again in a few minutes; it asks the recruiter what has arrived.")
    if done.faults:
        raise UnderstudyError("\n".join(done.faults))


def _confirm(book: PayBook, path: Path) -> None:
    done = pay_lists.confirm_list(book, path)
    if not done.n_paid and done.n_left:
        typer.echo(f"{path} has no payments, so nobody on the list was paid: {people(done.n_left)} can be paid again.")
        return
    rest = f"; {people(done.n_left)} deleted from the list can be paid again" if done.n_left else ""
    typer.echo(f"Confirmed as paid: {people(done.n_paid)}{rest}.")


def _is_rehearsal(opened: OpenBook) -> bool:
    kinds = {summary.participant_kind for summary in opened.log.summaries(opened.book.study.name)}
    return kinds == {"synthetic"}


def _tell_rehearsal(book: PayBook, *, as_json: bool) -> None:
    told = "Nobody is owed anything: everybody in this run is simulated, and simulated people are not paid."
    typer.echo(
        json.dumps({**_plain(pay_lists.list_survey(book), blind=False), "note": told}, indent=2) if as_json else told
    )


def _write_list(book: PayBook, path: Path, folder: Path) -> None:
    lines, waiting = pay_lists.listed_dues(book), pay_lists.open_lists(book)
    confirm = f"When it is paid: understudy pay {shlex.quote(str(folder))} --paid {shlex.quote(str(path))}"
    if not lines and not waiting:
        typer.echo("Nothing is due.")
        return
    if not lines:
        write_private(path, pay_lists.list_text((line, each.order_id) for each in waiting for line in each.lines))
        typer.echo(f"Nothing new is due. {_waiting(book, waiting)} {path} has the same payments again. {confirm}")
        return
    # Under another name until the orders are entered: nobody may pay from a list that the ledger does not know, and after
    # a crash in between, the list is still there.
    draft, made = path.with_name(f"{path.name}.part"), pay_lists.new_list(lines)
    write_private(draft, made.text)
    pay_lists.enter_list(book, lines, made.order_id)
    draft.replace(path)
    total = _total(book, lines)
    typer.echo(f"{path}: {people(len(lines))}, {total}. {confirm}")
    if waiting:
        typer.echo(f"Not in it: {_waiting(book, waiting)}")


def _total(book: PayBook, lines: Sequence[pay_lists.ListedPay]) -> str:
    return _money(book, sum(line.cents for line in lines))


def _waiting(book: PayBook, waiting: Sequence[pay_lists.OpenList]) -> str:
    """Say what was ordered by earlier lists and is not confirmed."""
    told = [
        f"{_total(book, each.lines)} for {people(len(each.lines))} on {each.order_id} since "
        f"{utc_second(each.written_ms):%Y-%m-%d %H:%M} UTC"
        for each in waiting
    ]
    return f"Ordered and not confirmed yet: {'; '.join(told)}."


def _show(book: PayBook, known: Survey, *, as_json: bool, blind: bool) -> None:
    if as_json:
        typer.echo(json.dumps(_plain(known, blind=blind), indent=2))
    else:
        _print(book, known, blind=blind)


def _print(book: PayBook, known: Survey, *, blind: bool) -> None:
    table = Table(title=f"Pay of {book.study.name}")
    for heading in ("", "people", "amount"):
        table.add_column(heading, justify="left" if not heading else "right")
    # A list has both in one amount.
    ways = (
        {"due: by a list": "list"}
        if is_paid_by_list(book.study)
        else {"due: to approve": "reward", "due: bonuses": "bonus"}
    )
    due = {words: [share.cents for _, share in known.due(way)] for words, way in ways.items()}
    rows = (
        ("owed", sum(person.owed.total_cents > 0 for person in known.people), known.owed_cents),
        ("confirmed", sum(person.account.paid_cents > 0 for person in known.people), known.paid_cents),
        ("on its way", sum(bool(person.account.open) for person in known.people), known.open_cents),
        *((words, len(amounts), sum(amounts)) for words, amounts in due.items()),
    )
    for words, n, cents in rows:
        table.add_row(words, str(n), _money(book, cents))
    Console().print(table)
    for reason, amounts in sorted(_reasons(known).items()):
        typer.echo(f"Owed for {reason}: {people(len(amounts))}, {_money(book, sum(amounts))}")
    for note, n in Counter(person.dues.note for person in known.people if person.dues.note).items():
        typer.echo(f"Not paid now: {n} × {note}.")
    waiting = sum(stranger.status == "waiting" for stranger in known.strangers)
    if waiting:
        wait = "1 submission waits" if waiting == 1 else f"{waiting} submissions wait"
        typer.echo(f"{wait} for a decision without anything earned here; see: understudy recruit status")
    owed = [person.owed for person in known.people]
    for row in hourly_pay(owed, is_blind=blind):
        hourly = _money(book, round(row.per_hour * 100))
        typer.echo(f"{row.condition}: {hourly} an hour (median of {people(row.n)}, {row.median_minutes:.1f} minutes)")
    for sentence in hourly_sentences(book.study, owed, is_blind=blind):
        typer.echo(f"Warning: {sentence}")
    if blind:
        typer.echo("Pay by condition is hidden while the results are closed, because bonuses and times hint at them.")


def _reasons(known: Survey) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for line in (line for person in known.people for line in person.owed.lines if line.cents):
        found.setdefault(line.reason, []).append(line.cents)
    return found


def _money(book: PayBook, cents: int) -> str:
    currency = book.study.pay.currency if book.study.pay is not None else ""
    return f"{currency} {cents / 100:,.2f}".strip()


def _plain(known: Survey, *, blind: bool) -> dict[str, object]:
    return {
        "owed_cents": known.owed_cents,
        "confirmed_cents": known.paid_cents,
        "open_cents": known.open_cents,
        "due_cents": known.due_cents,
        "people": [
            {
                "session_id": person.owed.session_id,
                "condition": None if blind else person.owed.condition,
                "owed": [line._asdict() for line in person.owed.lines],
                "confirmed_cents": person.account.paid_cents,
                "due": [due._asdict() for due in person.dues.now],
                "note": person.dues.note,
            }
            for person in known.people
        ],
    }
