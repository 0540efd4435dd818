"""`understudy recruit`: draft, publish and steer a study at Prolific, and decide about single submissions."""

import getpass
import os
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.runs import RunArgument
from understudy.errors import UnderstudyError
from understudy.recruiters.prolific_desk import status_of
from understudy.serve.tokens import Keyring
from understudy.workflow.deciding import CATEGORIES, VERDICTS, Decision, Verdict, decide, submission_of
from understudy.workflow.recruiting import PlatformFile, ProlificStudy, prolific_api, remember
from understudy.workflow.run_folder import Run, existing_run
from understudy.workflow.run_payments import open_book
from understudy.workflow.serving import secrets_from

recruit = typer.Typer(
    name="recruit",
    no_args_is_help=True,
    help="Draft, publish and steer a study at Prolific, and decide about submissions.\n\n"
    "Example: understudy recruit draft runs/my-study --address https://study.example.org",
)

SecretFile = Annotated[
    Path | None, typer.Option(help="File with the secrets of the server; serve.secret in the folder when absent.")
]
PersonArgument = Annotated[str, typer.Argument(help="The person's PROLIFIC_PID.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Go on without asking.")]


@recruit.command()
def draft(
    folder: RunArgument,
    address: Annotated[
        str, typer.Option(help="Where participants reach the server, such as https://study.example.org.")
    ],
    secret_file: SecretFile = None,
) -> None:
    """Create the study at Prolific as a draft, with a completion code for each way a session can end.

    Run it twice, and it finds the draft of the first time.

    Example: understudy recruit draft runs/my-study --address https://study.example.org
    """
    if not address.startswith(("https://", "http://")):
        raise UnderstudyError(f"--address is {address!r}; give the whole address, such as https://study.example.org.")
    there = _there(existing_run(folder))
    found = there.draft(address, _keyring(folder, secret_file))
    typer.echo(
        f"{'Created' if found.is_new else 'Found'} the draft {found.study.study_id}, {found.study.n_places} places."
    )
    typer.echo(f"Next: understudy recruit publish {folder} --dry-run")


@recruit.command()
def publish(
    folder: RunArgument,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what it costs, and publish nothing.")] = False,
    yes: YesOption = False,
) -> None:
    """Show what the study costs, ask, and publish it.

    Example: understudy recruit publish runs/my-study --dry-run
    """
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


@recruit.command()
def pause(folder: RunArgument) -> None:
    """Let nobody new start; people who have begun can finish.

    Example: understudy recruit pause runs/my-study
    """
    typer.echo(f"The study is {_there(existing_run(folder)).move('PAUSE', 'PAUSED').status}.")


@recruit.command()
def resume(folder: RunArgument) -> None:
    """Go on after a pause.

    Example: understudy recruit resume runs/my-study
    """
    typer.echo(f"The study is {_there(existing_run(folder)).move('START', 'ACTIVE').status}.")


@recruit.command()
def places(
    folder: RunArgument,
    more: Annotated[int, typer.Argument(min=1, help="How many more people are wanted.")],
    yes: YesOption = False,
) -> None:
    """Ask for more people.

    Example: understudy recruit places runs/my-study 20
    """
    there = _there(existing_run(folder))
    cost = there.cost_cents(more)
    currency = there.study.pay.currency if there.study.pay is not None else ""
    if not yes:
        typer.confirm(f"{more} more places cost {currency} {cost / 100:,.2f} with fees. Go on?", abort=True)
    typer.echo(f"The study has {there.add_places(more).n_places} places.")


@recruit.command()
def status(folder: RunArgument) -> None:
    """Show the study's status at Prolific, and how many submissions are where.

    Example: understudy recruit status runs/my-study
    """
    there = _there(existing_run(folder))
    now = there.api.study(there.study_id)
    typer.echo(f"{there.study.name} is {now.status}, {now.n_places} places.")
    found = there.api.submissions(there.study_id)
    for words, n in sorted(Counter(submission.status for submission in found).items()):
        typer.echo(f"{n:5d}  {words.lower()}")
    waiting = [row.participant_id for row in found if status_of(row) == "waiting" and row.is_return_requested]
    if waiting:
        typer.echo(f"Asked to return, and have not: {', '.join(waiting[:20])}{' …' if len(waiting) > 20 else ''}")


@recruit.command("decide")
def decide_about(
    folder: RunArgument,
    person: PersonArgument,
    verdict: Annotated[str, typer.Argument(help=f"One of {', '.join(VERDICTS)}.")],
    reason: Annotated[
        str, typer.Option(help="Why; kept in the ledger, and read by the person who is asked back or rejected.")
    ],
    category: Annotated[str, typer.Option(help=f"For rejections, one of {', '.join(CATEGORIES)}.")] = "OTHER",
    secret_file: SecretFile = None,
    yes: YesOption = False,
) -> None:
    """Approve one submission, ask for its return, or reject it; only you decide that, and only with a reason.

    Excluded is not rejected: people who tried are paid.

    Example: understudy recruit decide runs/my-study 5f0c0ffee return --reason "Your browser could not show the videos."
    """
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


@recruit.command()
def message(
    folder: RunArgument, person: PersonArgument, text: Annotated[str, typer.Argument(help="What to write.")]
) -> None:
    """Write to a participant through Prolific.

    Example: understudy recruit message runs/my-study 5f0c0ffee "Thank you, the bonus is on its way."
    """
    there = _there(existing_run(folder))
    submission_of(there, person)
    there.api.send_message(there.study_id, person, text)
    typer.echo(f"Sent to {person}.")


@recruit.command()
def group(
    folder: RunArgument,
    name: Annotated[str, typer.Argument(help="What to call the group.")],
    workspace: Annotated[str, typer.Option(help="The id of your workspace at Prolific.")],
    all_people: Annotated[bool, typer.Option("--all", help="Everybody who started, not only approved people.")] = False,
) -> None:
    """Put people into a participant group: to invite them to part 2, or to keep them out of the next study.

    Its id goes into allowed_group or blocked_group of the next study file.

    Example: understudy recruit group runs/part-1 "Part 1 done" --workspace 60a42f4c
    """
    there = _there(existing_run(folder))
    found = [row for row in there.api.submissions(there.study_id) if all_people or status_of(row) == "approved"]
    if not found:
        raise UnderstudyError(
            "Nobody is approved yet, so that the group would be empty; run understudy pay first, or give --all."
        )
    group_id = there.api.create_group(workspace, name)
    there.api.add_to_group(group_id, [row.participant_id for row in found])
    typer.echo(f"{group_id}: {len(found)} people.")


@recruit.command()
def webhook(
    folder: RunArgument,
    address: Annotated[str, typer.Option(help="Where Prolific reaches the server, starting with https://.")],
    workspace: Annotated[str, typer.Option(help="The id of your workspace at Prolific.")],
) -> None:
    """Have Prolific tell the server at once who returned the study or ran out of time; restart the server afterwards.

    The workspace's earlier webhook secret stops working.

    Example: understudy recruit webhook runs/my-study --address https://study.example.org --workspace 60a42f4c
    """
    if not address.startswith("https://"):
        raise UnderstudyError(f"--address is {address!r}; Prolific sends webhooks to https:// addresses only.")
    there = _there(existing_run(folder))
    secret = there.api.new_webhook_secret(workspace)
    # Remembered before the subscription: a message that comes at once must find its secret.
    remember(folder, PlatformFile(study_id=there.study_id, webhook_secret=secret))
    there.api.subscribe(workspace, f"{address.rstrip('/')}/api/s/{there.study.name}/webhook")
    typer.echo("Prolific tells the server of every change. Restart the server, so that it knows the new secret.")


def _there(run: Run) -> ProlificStudy:
    return ProlificStudy(run, prolific_api(os.environ))


def _keyring(folder: Path, secret_file: Path | None) -> Keyring:
    return Keyring(secrets_from(os.environ, secret_file or folder / "serve.secret").secret)


def _verdict(text: str) -> Verdict:
    found = next((verdict for verdict in VERDICTS if verdict == text), None)
    if found is None:
        raise UnderstudyError(f"{text!r} is not a decision. Choose from: {', '.join(VERDICTS)}.")
    return found
