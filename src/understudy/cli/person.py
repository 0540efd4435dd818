"""`understudy person`: give one person a copy of their data, or erase them."""

import os
from pathlib import Path

import typer

from understudy.errors import UnderstudyError
from understudy.report.wording import plural
from understudy.schema import Interacted, ResponseGiven
from understudy.serve.tokens import Keyring
from understudy.workflow import person as people
from understudy.workflow.runs.run_folder import existing_run
from understudy.workflow.runs.run_secrets import keyring_of
from understudy.workflow.serving import require_named_by


def person(
    folder: Path, who: str, *, is_session: bool, copy: Path | None, erase: bool, yes: bool, secret_file: Path | None
) -> None:
    """Say what a run holds of somebody, write a copy of it, or erase it."""

    def keyring() -> Keyring:
        found = keyring_of(folder, os.environ, secret_file)
        require_named_by(found, [folder / "people.sqlite"])
        return found

    run = existing_run(folder)
    with run.open_log() as log:
        found = people.person_of(run, log, who, keyring, is_session=is_session)
        n_answers = sum(len(event.response) for event in found.events if isinstance(event, ResponseGiven))
        n_noted = sum(isinstance(event, Interacted) for event in found.events)
        typer.echo(
            f"Session {found.session_id}: {plural(n_answers, 'answer')}, {plural(n_noted, 'interaction')}, "
            f"{plural(len(people.recordings_of(found)), 'recording')}, {plural(len(found.deposits), 'deposit')} set aside."
        )
        if copy is not None:
            if copy.exists():
                raise UnderstudyError(f"{copy} exists; give the copy another name, so that nothing is overwritten.")
            content = people.copy_of(run, found, keyring)
            with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                stream.write(content)
            typer.echo(
                f"{copy}: a page to read (my-data.html), the same as JSON, and the recordings. Send it to this person only."
            )
        if not erase:
            return
        if not yes:
            typer.confirm("Erase this person for good? This cannot be undone.", abort=True)
        done = people.erase(run, log, found, keyring)
    typer.echo("Erased: answers, times, ids and recordings.")
    for name in done.changed:
        typer.echo(f"Erased in {name}.")
    if done.n_deposits:
        typer.echo(f"Deleted: {plural(done.n_deposits, 'deposit')} set aside.")
    typer.echo("What remains:")
    for sentence in done.remains:
        typer.echo(f"  {sentence}")
