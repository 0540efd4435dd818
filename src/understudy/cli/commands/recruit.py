"""The options of `understudy recruit`."""

from typing import Annotated

import typer

from understudy.cli.arguments import AddressOption, RunArgument, SecretFileOption, YesOption
from understudy.cli.commands.listed_names import CATEGORIES, VERDICTS
from understudy.cli.plain_commands import command_group

recruit = command_group(
    "recruit",
    "Draft, publish and manage a study at Prolific, and decide about submissions.",
    example="understudy recruit draft runs/my-study --address https://study.example.org",
)

PersonArgument = Annotated[str, typer.Argument(help="The person's PROLIFIC_PID.")]


@recruit.command()
def draft(
    folder: RunArgument,
    address: AddressOption,
    secret_file: SecretFileOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be sent, the codes and the cost; needs no token.")
    ] = False,
) -> None:
    """Create the study at Prolific as a draft, with a completion code for each way a session can end.

    If you run it again, it finds the existing draft.

    Example: understudy recruit draft runs/my-study --address https://study.example.org
    """
    from understudy.cli import recruit as work

    work.draft(folder, address=address, secret_file=secret_file, dry_run=dry_run)


@recruit.command()
def publish(
    folder: RunArgument,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the cost without publishing.")] = False,
    yes: YesOption = False,
) -> None:
    """Show what the study costs, ask for confirmation, and publish it.

    Example: understudy recruit publish runs/my-study --dry-run
    """
    from understudy.cli import recruit as work

    work.publish(folder, dry_run=dry_run, yes=yes)


@recruit.command()
def pause(folder: RunArgument) -> None:
    """Stop new people from starting; people who have started can finish.

    Example: understudy recruit pause runs/my-study
    """
    from understudy.cli import recruit as work

    work.pause(folder)


@recruit.command()
def resume(folder: RunArgument) -> None:
    """Resume after a pause.

    Example: understudy recruit resume runs/my-study
    """
    from understudy.cli import recruit as work

    work.resume(folder)


@recruit.command()
def places(
    folder: RunArgument,
    more: Annotated[int, typer.Argument(min=1, max=1_000_000, help="How many more people are wanted.")],
    yes: YesOption = False,
) -> None:
    """Ask for more people.

    Example: understudy recruit places runs/my-study 20
    """
    from understudy.cli import recruit as work

    work.places(folder, more, yes=yes)


@recruit.command()
def status(folder: RunArgument) -> None:
    """Show the status of the study at Prolific, and count its submissions by state.

    Example: understudy recruit status runs/my-study
    """
    from understudy.cli import recruit as work

    work.status(folder)


@recruit.command("decide")
def decide_about(
    folder: RunArgument,
    person: PersonArgument,
    verdict: Annotated[str, typer.Argument(help=f"One of {', '.join(VERDICTS)}.")],
    reason: Annotated[
        str,
        typer.Option(
            help="The reason. It is kept in the ledger, and shown to the person if you ask for a return or reject."
        ),
    ],
    category: Annotated[str, typer.Option(help=f"For rejections, one of {', '.join(CATEGORIES)}.")] = "OTHER",
    secret_file: SecretFileOption = None,
    yes: YesOption = False,
) -> None:
    """Approve a submission, ask for its return, or reject it. Only you decide this, and always with a reason.

    Excluded is not rejected: people who tried are paid.

    Example: understudy recruit decide runs/my-study 5f0c0ffee return --reason "Your browser could not show the videos."
    """
    from understudy.cli import recruit as work

    work.decide_about(folder, person, verdict, reason=reason, category=category, secret_file=secret_file, yes=yes)


@recruit.command()
def message(
    folder: RunArgument, person: PersonArgument, text: Annotated[str, typer.Argument(help="The message.")]
) -> None:
    """Write to a participant through Prolific.

    Example: understudy recruit message runs/my-study 5f0c0ffee "Thank you, the bonus is on its way."
    """
    from understudy.cli import recruit as work

    work.message(folder, person, text)


@recruit.command()
def group(
    folder: RunArgument,
    name: Annotated[str, typer.Argument(help="What to call the group.")],
    workspace: Annotated[str, typer.Option(help="The id of your workspace at Prolific.")],
    all_people: Annotated[bool, typer.Option("--all", help="Everybody who started, not only approved people.")] = False,
) -> None:
    """Add people to a participant group, to invite them to part 2 or to keep them out of the next study.

    Its id goes into allowed_group or blocked_group of the next study file.

    Example: understudy recruit group runs/part-1 "Part 1 done" --workspace 60a42f4c
    """
    from understudy.cli import recruit as work

    work.group(folder, name, workspace=workspace, all_people=all_people)


@recruit.command()
def webhook(
    folder: RunArgument,
    address: Annotated[str, typer.Option(help="Where Prolific reaches the server, starting with https://.")],
    workspace: Annotated[str, typer.Option(help="The id of your workspace at Prolific.")],
) -> None:
    """Let Prolific notify the server when people return the study or run out of time. Restart the server afterwards.

    The workspace's earlier webhook secret stops working.

    Example: understudy recruit webhook runs/my-study --address https://study.example.org --workspace 60a42f4c
    """
    from understudy.cli import recruit as work

    work.webhook(folder, address=address, workspace=workspace)


@recruit.command()
def hit(
    folder: RunArgument,
    address: Annotated[str, typer.Option(help="Where participants reach the server, starting with https://.")],
    yes: YesOption = False,
) -> None:
    """Create the HIT of the study at Mechanical Turk. This publishes it immediately. Needs the extra mturk.

    Example: understudy recruit hit runs/my-study --address https://study.example.org
    """
    from understudy.cli import recruit as work

    work.hit(folder, address=address, yes=yes)
