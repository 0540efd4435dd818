"""`understudy recruit`: draft, publish and steer a study at Prolific, and decide about single submissions."""

import getpass
import json
import os
from collections import Counter
from pathlib import Path

import typer

from understudy.actions.access import keyring_of, sent_out
from understudy.actions.pay import (
    VERDICTS,
    Decision,
    Verdict,
    created_hit,
    decide,
    mechanical_turk_of,
    open_book,
    require_reason,
    submission_of,
)
from understudy.actions.recruit import (
    PlatformFile,
    ProlificStudy,
    most_bonus_cents,
    platform_file,
    prolific_api,
    prolific_of,
    public_address,
    remember,
    reward_cents,
    wanted_draft,
)
from understudy.actions.run_folder import Run, existing_run
from understudy.errors import UnderstudyError
from understudy.recruiters.prolific import status_of
from understudy.report.wording import people, plural
from understudy.schema import Study
from understudy.schema.study import SENT_BACK
from understudy.serve.access import Keyring


def draft(folder: Path, *, address: str, secret_file: Path | None, dry_run: bool) -> None:
    """Create the study at Prolific as a draft, with a completion code for each way a session can end."""
    run = existing_run(folder)
    prolific_of(run.script.study)
    origin = public_address(address)
    if dry_run:
        _show_draft(run.script.study, origin, keyring_of(folder, os.environ, secret_file))
        return
    there, keyring = _there(run), keyring_of(folder, os.environ, secret_file)
    found = there.draft(origin, keyring)
    sent_out(folder, keyring, os.environ, secret_file)
    typer.echo(
        f"{'Created' if found.is_new else 'Found'} the draft {found.study.study_id}, {plural(found.study.n_places, 'place')}."
    )
    typer.echo(f"Next: understudy recruit publish {folder} --dry-run")


def _show_draft(study: Study, origin: str, keyring: Keyring) -> None:
    """Show what would be sent, which needs neither a token nor the network."""
    wanted = wanted_draft(study, origin, keyring)
    typer.echo(json.dumps(wanted, indent=2, ensure_ascii=False))
    currency = study.pay.currency if study.pay is not None else ""
    n_places, each = study.n_places, reward_cents(study)
    typer.echo(
        f"{plural(n_places, 'place')} at {currency} {each / 100:.2f}: {currency} {each * n_places / 100:,.2f} before Prolific's fees, "
        f"which understudy recruit publish --dry-run asks for. {_bonus_words(study, n_places)}"
    )
    for ending in SENT_BACK:
        typer.echo(f"{keyring.outcome_code(study.name, ending)}  {ending.replace('_', ' ')}")
    typer.echo("Nothing was sent.")


def _bonus_words(study: Study, n_places: int) -> str:
    most = most_bonus_cents(study)
    if most is None:
        return "Bonuses have no upper limit, and come on top."
    currency = study.pay.currency if study.pay is not None else ""
    return (
        f"Bonuses come on top: at most {currency} {most * n_places / 100:,.2f}, before fees." if most else "No bonuses."
    )


def publish(folder: Path, *, dry_run: bool, yes: bool) -> None:
    """Show what the study costs, ask for confirmation, and publish it."""
    there = _there(existing_run(folder))
    now = there.api.study(there.study_id)
    currency = there.study.pay.currency if there.study.pay is not None else ""
    cost = there.cost_cents(now.n_places)
    typer.echo(
        f"{plural(now.n_places, 'place')} at {currency} {there.reward_cents / 100:.2f}: {currency} {cost / 100:,.2f} with fees."
    )
    typer.echo(_bonus_words(there.study, now.n_places))
    purse = there.api.purse(there.study_id)
    if purse is not None and purse.currency != currency:
        raise UnderstudyError(
            f"The workspace at Prolific pays in {purse.currency}, but pay.currency is {currency!r}: people would get another amount "
            "than they read. Write the currency of the workspace into the study file, prepare it into a new folder and draft it there."
        )
    if purse is not None and purse.available_cents < cost:
        typer.echo(f"The workspace has {currency} {purse.available_cents / 100:,.2f} left, which is not enough.")
    if dry_run:
        return
    if not yes:
        typer.confirm("Publish it now?", abort=True)
    typer.echo(f"The study is {there.move('PUBLISH', 'ACTIVE').status}.")


def pause(folder: Path) -> None:
    """Stop new people from starting; people who have started can finish."""
    typer.echo(f"The study is {_there(existing_run(folder)).move('PAUSE', 'PAUSED').status}.")


def resume(folder: Path) -> None:
    """Resume after a pause."""
    typer.echo(f"The study is {_there(existing_run(folder)).move('START', 'ACTIVE').status}.")


def places(folder: Path, more: int, *, yes: bool) -> None:
    """Ask for more people."""
    there = _there(existing_run(folder))
    # A study without a draft is refused before anything is asked.
    now = there.api.study(there.study_id)
    cost = there.cost_cents(more)
    currency = there.study.pay.currency if there.study.pay is not None else ""
    if not yes:
        typer.confirm(
            f"{plural(more, 'more place')} on top of {now.n_places}: {currency} {cost / 100:,.2f} with fees. Go on?",
            abort=True,
        )
    typer.echo(f"The study has {plural(there.add_places(more).n_places, 'place')}.")


def status(folder: Path) -> None:
    """Show the status of the study at Prolific, and count its submissions by state."""
    there = _there(existing_run(folder))
    now = there.api.study(there.study_id)
    typer.echo(f"{there.study.name} is {now.status}, {plural(now.n_places, 'place')}.")
    found = there.api.submissions(there.study_id)
    for words, n in sorted(Counter(submission.status for submission in found).items()):
        typer.echo(f"{n:5d}  {words.lower()}")
    waiting = [row.participant_id for row in found if status_of(row) == "waiting" and row.is_return_requested]
    if waiting:
        typer.echo(f"Asked to return, and have not: {', '.join(waiting[:20])}{' …' if len(waiting) > 20 else ''}")


def decide_about(
    folder: Path, person: str, verdict: str, *, reason: str, category: str, secret_file: Path | None, yes: bool
) -> None:
    """Approve a submission, ask for its return, or reject it. Only you decide this, and always with a reason."""
    run = existing_run(folder)
    decision = Decision(person, _verdict(verdict), reason, category)
    require_reason(decision)
    there, chosen = _there(run), decision.verdict
    with open_book(run, getpass.getuser()) as opened:
        pseudonym = keyring_of(folder, os.environ, secret_file).participant_id(person)
        session_id = opened.log.session_of(there.study.name, pseudonym)
        summary = "has no session here" if session_id is None else f"has the session {session_id[:8]} here"
        if chosen == "reject" and not yes:
            typer.confirm(
                f"{person} {summary}. A rejection takes their pay and harms their standing. Reject?", abort=True
            )
        decide(opened.book, there, decision, session_id)
    typer.echo(f"{person} {summary}: {chosen} is done and noted.")


def message(folder: Path, person: str, text: str) -> None:
    """Write to a participant through Prolific."""
    there = _there(existing_run(folder))
    submission_of(there, person)
    there.api.send_message(there.study_id, person, text)
    typer.echo(f"Sent to {person}.")


def group(folder: Path, name: str, *, workspace: str, all_people: bool) -> None:
    """Add people to a participant group, to invite them to part 2 or to keep them out of the next study."""
    there = _there(existing_run(folder))
    found = [row for row in there.api.submissions(there.study_id) if all_people or status_of(row) == "approved"]
    if not found:
        raise UnderstudyError(
            "Nobody is approved yet, so the group would be empty; run understudy pay first, or give --all."
        )
    group_id = there.api.create_group(workspace, name)
    there.api.add_to_group(group_id, [row.participant_id for row in found])
    typer.echo(f"{group_id}: {people(len(found))}.")


def webhook(folder: Path, *, address: str, workspace: str) -> None:
    """Let Prolific notify the server when people return the study or run out of time. Restart the server afterwards."""
    run = existing_run(folder)
    prolific_of(run.script.study)
    origin = public_address(address)
    there = _there(run)
    secret = there.api.new_webhook_secret(workspace)
    # Remembered before the subscription: a message that comes at once must find its secret.
    remember(folder, PlatformFile(study_id=there.study_id, webhook_secret=secret))
    there.api.subscribe(workspace, f"{origin}/api/s/{there.study.name}/webhook")
    typer.echo("Prolific tells the server of every change. Restart the server, so that it knows the new secret.")


def hit(folder: Path, *, address: str, yes: bool) -> None:
    """Create the study's HIT at Mechanical Turk, which publishes it at once."""
    run = existing_run(folder)
    mechanical_turk_of(run.script.study)
    origin = public_address(address)
    known = platform_file(folder)
    if known is not None:
        typer.echo(f"The HIT is {known.study_id}; it was created before.")
        return
    pay = run.script.study.pay
    cost = (pay.base if pay is not None else 0.0) * run.script.study.n_places
    if not yes:
        typer.confirm(
            f"{plural(run.script.study.n_places, 'assignment')}: {cost:,.2f} before fees. Create the HIT?", abort=True
        )
    typer.echo(f"The HIT is {created_hit(run, origin)}.")


def _there(run: Run) -> ProlificStudy:
    # A study that is recruited elsewhere needs no token to be told so.
    prolific_of(run.script.study)
    return ProlificStudy(run, prolific_api(os.environ))


def _verdict(text: str) -> Verdict:
    found = next((verdict for verdict in VERDICTS if verdict == text), None)
    if found is None:
        raise UnderstudyError(f"{text!r} is not a decision. Choose from: {', '.join(VERDICTS)}.")
    return found
