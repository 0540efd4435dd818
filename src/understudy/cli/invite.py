"""`understudy invite`: personal links to a later part, or a group and messages at Prolific."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import typer

from understudy.errors import UnderstudyError
from understudy.record.log import now_ms
from understudy.report.wording import people
from understudy.serve.tokens import Keyring
from understudy.sources.csv_text import csv_text
from understudy.workflow.longitudinal.inviting import Invitation, Inviting, invitations
from understudy.workflow.recruiting.prolific import ProlificStudy, prolific_api
from understudy.workflow.runs.run_folder import Run, existing_run
from understudy.workflow.runs.run_secrets import keyring_of, secret_path, sent_out
from understudy.workflow.serving import require_named_by


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
