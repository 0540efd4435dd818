"""The options of `understudy check`."""

from typing import Annotated

import typer

from understudy.cli.arguments import StudyArgument


def check(
    study: StudyArgument,
    fail_above: Annotated[
        float, typer.Option(min=0, max=1, help="Fail if a shortcut is right more often than this.")
    ] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON only.")] = False,
) -> None:
    """Check a study: format, flow, items, measures and plan, shortcuts, and whether it can answer its question.

    Example: understudy check my-study.toml
    """
    from understudy.cli import check as work

    work.check(study, fail_above=fail_above, as_json=as_json)
