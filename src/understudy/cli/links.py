"""`understudy links`, `invite` and `join`: personal links, invitations to a later part, and the parts as one table."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import urlencode

import typer
from rich.console import Console
from rich.table import Table

from understudy.actions.access import keyring_of, secret_path, sent_out
from understudy.actions.parts import Invitation, Inviting, JoinedParts, invitations, joined_parts
from understudy.actions.recruit import ProlificStudy, prolific_api
from understudy.actions.run_folder import Run, existing_run
from understudy.actions.serve import require_named_by
from understudy.errors import UnderstudyError
from understudy.parquet import write_frame
from understudy.record.log import now_ms
from understudy.recruiters import id_parameters
from understudy.registry import entry
from understudy.report.wording import people
from understudy.roles import Recruiter
from understudy.schema import Study
from understudy.serve.access import SIGNATURE, Keyring, allowed_ids
from understudy.sources.csv_text import csv_text, write_csv

# `understudy invite`: personal links to a later part, or a group and messages at Prolific.


class AtProlific(NamedTuple):
    """What Prolific is asked to do with the invited people."""

    group: str | None = None
    workspace: str | None = None
    message: str | None = None
    is_agreed: bool = False


def invite(
    first: Path, second: Path, *, address: str, secret_file: Path | None, everybody: bool, at_prolific: AtProlific
) -> None:
    """Print a signed personal link for everybody who may take a later part now, as CSV."""
    if at_prolific.group is not None and at_prolific.workspace is None:
        raise UnderstudyError("--group needs --workspace, the id of your workspace at Prolific.")
    runs = existing_run(first), existing_run(second)
    keyring = _keyring(first, second, secret_file)
    found = list(invitations(Inviting(*runs, address, keyring), now_ms()))
    wanted = [each for each in found if everybody or (each.standing == "welcome" and not each.has_come)]
    typer.echo(csv_text(("id", "link", "opens", "closes", "standing", "has_come"), map(_row, wanted)), nl=False)
    typer.echo(_summary(found, wanted), err=True)
    if wanted and (at_prolific.group is not None or at_prolific.message is not None):
        _tell_prolific(runs[0], wanted, at_prolific)


def _keyring(first: Path, second: Path, secret_file: Path | None) -> Keyring:
    keyring = keyring_of(second, os.environ, secret_file or secret_path(second, [first]))
    # Under another secret, nobody would be recognised by the link.
    require_named_by(keyring, [first / "people.sqlite"])
    sent_out(second, keyring, os.environ, secret_file or secret_path(second, [first]))
    return keyring


def _row(each: Invitation) -> tuple[object, ...]:
    closes = "" if each.closes_ms is None else _when(each.closes_ms)
    return (each.recruiter_id, each.link, _when(each.opens_ms), closes, each.standing, each.has_come)


def _summary(found: Sequence[Invitation], wanted: Sequence[Invitation]) -> str:
    n_came = sum(each.has_come for each in found)
    counts = {
        standing: sum(each.standing == standing and not each.has_come for each in found)
        for standing in ("early", "late")
    }
    return (
        f"{len(wanted)} listed. {people(len(found))} with an id may take this part: {n_came} came, "
        f"{counts['early']} must wait, for {counts['late']} it is closed."
    )


def _tell_prolific(run: Run, wanted: Sequence[Invitation], asked: AtProlific) -> None:
    there = ProlificStudy(run, prolific_api(os.environ))
    if not asked.is_agreed:
        typer.confirm(f"Tell Prolific about {people(len(wanted))}?", abort=True)
    ids = [each.recruiter_id for each in wanted]
    if asked.group is not None and asked.workspace is not None:
        group_id = there.api.create_group(asked.workspace, asked.group)
        there.api.add_to_group(group_id, ids)
        typer.echo(f"{group_id}: {people(len(ids))}. It goes into allowed_group of the later part.", err=True)
    if asked.message is not None:
        for each in wanted:
            there.api.send_message(there.study_id, each.recruiter_id, asked.message.replace("{link}", each.link))
        typer.echo(f"Wrote to {people(len(wanted))}.", err=True)


def _when(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")


# `understudy join`: both parts of a longitudinal study as one table, and who was lost in between.


def join(first: Path, second: Path, *, out: Path) -> None:
    """Join the parts of a longitudinal study person by person, with the change of every measure."""
    if out.suffix not in (".csv", ".parquet"):
        raise UnderstudyError(f"{out} must end in .csv or .parquet.")
    joined = joined_parts(existing_run(first), existing_run(second))
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix == ".csv":
        write_csv(joined.people, out)
    else:
        with out.open("wb") as stream:
            write_frame(joined.people, stream)
    _print(joined, Console())
    changes = ", ".join(f"change_{name}" for name in joined.compared)
    typer.echo(f"\nWrote {out}: one row for each person of the earlier part, with {changes or 'no common measures'}.")


def _print(joined: JoinedParts, console: Console) -> None:
    if joined.is_synthetic:
        console.print("SYNTHETIC: simulated people, not evidence about people.", style="bold white on red")
    table = Table()
    for heading in ("condition", "started", "invited", "came back", "completed", "lost"):
        table.add_column(heading, justify="left" if heading == "condition" else "right")
    for row in joined.flow:
        lost = "–" if row.lost_share is None else f"{100 * row.lost_share:.0f} %"
        table.add_row(row.condition, *map(str, (row.n_started, row.n_invited, row.n_came, row.n_completed)), lost)
    console.print(table)
    console.print(joined.sentence)


def links(folder: Path, ids: Path, *, address: str, parameter: str | None, secret_file: Path | None) -> None:
    """Print one signed link for each id, for studies with access.links = "signed"."""
    if parameter is not None and parameter not in id_parameters():
        raise UnderstudyError(
            f"{parameter!r} is not a parameter that holds an id. Choose from: {', '.join(id_parameters())}."
        )
    found = sorted(allowed_ids(ids))
    if not found:
        raise UnderstudyError(f"{ids} has no ids; write one on each line.")
    study = existing_run(folder).script.study
    name, chosen = study.name, parameter or _own_parameter(study)
    keyring = keyring_of(folder, os.environ, secret_file)
    sent_out(folder, keyring, os.environ, secret_file)
    for participant in found:
        query = urlencode({chosen: participant, SIGNATURE: keyring.link_signature(name, participant)})
        typer.echo(f"{address.rstrip('/')}/s/{name}?{query}")
    if study.access.links == "open":
        typer.echo(
            'People can also start without these links: with links = "open" under access, anybody who has the address can start, with '
            'any id. Write links = "signed" to admit only people with a link.',
            err=True,
        )


def _own_parameter(study: Study) -> str:
    """Return the parameter by which the study's recruiter names people; that of plain links without a recruiter."""
    named = "link" if study.recruitment is None else study.recruitment.recruiter.name
    recruiter = cast("type[Recruiter]", entry("recruiters", named))
    return recruiter.id_parameters[0]
