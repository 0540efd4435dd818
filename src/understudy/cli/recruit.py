"""`understudy recruit`: draft, publish and steer a study at Prolific, and decide about single submissions."""

import getpass
import os
from collections import Counter
from pathlib import Path

import typer

from understudy.errors import UnderstudyError
from understudy.recruiters.prolific_desk import status_of
from understudy.serve.tokens import Keyring
from understudy.workflow.deciding import VERDICTS, Decision, Verdict, decide, submission_of
from understudy.workflow.pay_desks import created_hit
from understudy.workflow.recruiting import PlatformFile, ProlificStudy, prolific_api, remember
from understudy.workflow.run_folder import Run, existing_run
from understudy.workflow.run_payments import open_book
from understudy.workflow.serving import secrets_from


def draft(folder: Path, *, address: str, secret_file: Path | None) -> None:
    """Create the study at Prolific as a draft, with a completion code for each way a session can end."""
    if not address.startswith(("https://", "http://")):
        raise UnderstudyError(f"--address is {address!r}; give the whole address, such as https://study.example.org.")
    there = _there(existing_run(folder))
    found = there.draft(address, _keyring(folder, secret_file))
    typer.echo(
        f"{'Created' if found.is_new else 'Found'} the draft {found.study.study_id}, {found.study.n_places} places."
    )
    typer.echo(f"Next: understudy recruit publish {folder} --dry-run")


def publish(folder: Path, *, dry_run: bool, yes: bool) -> None:
    """Show what the study costs, ask, and publish it."""
    there = _there(existing_run(folder))
    now = there.api.study(there.study_id)
    currency = there.study.pay.currency if there.study.pay is not None else ""
    cost = there.cost_cents(now.n_places)
    typer.echo(
        f"{now.n_places} places at {currency} {there.reward_cents / 100:.2f}: {currency} {cost / 100:,.2f} with fees."
    )
    most = there.most_bonus_cents
    typer.echo(
        "Bonuses have no upper limit, and come on top."
        if most is None
        else f"Bonuses come on top: at most {currency} {most * now.n_places / 100:,.2f}, before fees."
    )
    if dry_run:
        return
    if not yes:
        typer.confirm("Publish it now?", abort=True)
    typer.echo(f"The study is {there.move('PUBLISH', 'ACTIVE').status}.")


def pause(folder: Path) -> None:
    """Let nobody new start; people who have begun can finish."""
    typer.echo(f"The study is {_there(existing_run(folder)).move('PAUSE', 'PAUSED').status}.")


def resume(folder: Path) -> None:
    """Go on after a pause."""
    typer.echo(f"The study is {_there(existing_run(folder)).move('START', 'ACTIVE').status}.")


def places(folder: Path, more: int, *, yes: bool) -> None:
    """Ask for more people."""
    there = _there(existing_run(folder))
    cost = there.cost_cents(more)
    currency = there.study.pay.currency if there.study.pay is not None else ""
    if not yes:
        typer.confirm(f"{more} more places cost {currency} {cost / 100:,.2f} with fees. Go on?", abort=True)
    typer.echo(f"The study has {there.add_places(more).n_places} places.")


def status(folder: Path) -> None:
    """Show the study's status at Prolific, and how many submissions are where."""
    there = _there(existing_run(folder))
    now = there.api.study(there.study_id)
    typer.echo(f"{there.study.name} is {now.status}, {now.n_places} places.")
    found = there.api.submissions(there.study_id)
    for words, n in sorted(Counter(submission.status for submission in found).items()):
        typer.echo(f"{n:5d}  {words.lower()}")
    waiting = [row.participant_id for row in found if status_of(row) == "waiting" and row.is_return_requested]
    if waiting:
        typer.echo(f"Asked to return, and have not: {', '.join(waiting[:20])}{' …' if len(waiting) > 20 else ''}")


def decide_about(
    folder: Path, person: str, verdict: str, *, reason: str, category: str, secret_file: Path | None, yes: bool
) -> None:
    """Approve one submission, ask for its return, or reject it; only you decide that, and only with a reason."""
    run = existing_run(folder)
    there = _there(run)
    chosen = _verdict(verdict)
    with open_book(run, getpass.getuser()) as opened:
        pseudonym = _keyring(folder, secret_file).participant_id(person)
        session_id = opened.log.session_of(there.study.name, pseudonym)
        summary = "has no session here" if session_id is None else f"has the session {session_id[:8]} here"
        if chosen == "reject" and not yes:
            typer.confirm(
                f"{person} {summary}. A rejection takes their pay and harms their standing. Reject?", abort=True
            )
        decide(opened.book, there, Decision(person, chosen, reason, category), session_id)
    typer.echo(f"{person} {summary}: {chosen} is done and noted.")


def message(folder: Path, person: str, text: str) -> None:
    """Write to a participant through Prolific."""
    there = _there(existing_run(folder))
    submission_of(there, person)
    there.api.send_message(there.study_id, person, text)
    typer.echo(f"Sent to {person}.")


def group(folder: Path, name: str, *, workspace: str, all_people: bool) -> None:
    """Put people into a participant group: to invite them to part 2, or to keep them out of the next study."""
    there = _there(existing_run(folder))
    found = [row for row in there.api.submissions(there.study_id) if all_people or status_of(row) == "approved"]
    if not found:
        raise UnderstudyError(
            "Nobody is approved yet, so that the group would be empty; run understudy pay first, or give --all."
        )
    group_id = there.api.create_group(workspace, name)
    there.api.add_to_group(group_id, [row.participant_id for row in found])
    typer.echo(f"{group_id}: {len(found)} people.")


def webhook(folder: Path, *, address: str, workspace: str) -> None:
    """Have Prolific tell the server at once who returned the study or ran out of time; restart the server afterwards."""
    if not address.startswith("https://"):
        raise UnderstudyError(f"--address is {address!r}; Prolific sends webhooks to https:// addresses only.")
    there = _there(existing_run(folder))
    secret = there.api.new_webhook_secret(workspace)
    # Remembered before the subscription: a message that comes at once must find its secret.
    remember(folder, PlatformFile(study_id=there.study_id, webhook_secret=secret))
    there.api.subscribe(workspace, f"{address.rstrip('/')}/api/s/{there.study.name}/webhook")
    typer.echo("Prolific tells the server of every change. Restart the server, so that it knows the new secret.")


def hit(folder: Path, *, address: str, yes: bool) -> None:
    """Create the study's HIT at Mechanical Turk, which publishes it at once."""
    run = existing_run(folder)
    pay = run.script.study.pay
    cost = (pay.base if pay is not None else 0.0) * run.script.study.n_places
    if not yes:
        typer.confirm(
            f"{run.script.study.n_places} assignments cost {cost:,.2f} before fees. Create the HIT?", abort=True
        )
    typer.echo(f"The HIT is {created_hit(run, address)}.")


def _there(run: Run) -> ProlificStudy:
    return ProlificStudy(run, prolific_api(os.environ))


def _keyring(folder: Path, secret_file: Path | None) -> Keyring:
    return Keyring(secrets_from(os.environ, secret_file or folder / "serve.secret").secret)


def _verdict(text: str) -> Verdict:
    found = next((verdict for verdict in VERDICTS if verdict == text), None)
    if found is None:
        raise UnderstudyError(f"{text!r} is not a decision. Choose from: {', '.join(VERDICTS)}.")
    return found
