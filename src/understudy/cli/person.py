"""`understudy person`: give one person a copy of their data, or erase them."""

from pathlib import Path

import typer

from understudy.actions import person as people
from understudy.actions.run_folder import existing_run
from understudy.report.wording import plural
from understudy.schema import Interacted, ResponseGiven


def person(
    folder: Path, who: str, *, is_session: bool, copy: Path | None, erase: bool, yes: bool, secret_file: Path | None
) -> None:
    """Say what a run holds of somebody, write a copy of it, or erase it."""
    keyring = people.keyring_for(folder, secret_file)
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
            people.write_copy(run, found, keyring, copy)
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
