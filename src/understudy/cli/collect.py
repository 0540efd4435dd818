"""`understudy collect`: import result files of a static export into the run."""

import json
import os
from pathlib import Path

import typer

from understudy.errors import UnderstudyError
from understudy.serve.tokens import Keyring
from understudy.workflow.run_folder import existing_run
from understudy.workflow.serving import keyring_for, secrets_from
from understudy.workflow.static.collect import collect as collected_from


def collect(folder: Path, files: list[Path], *, as_json: bool) -> None:
    """Take result files of a static export into the run, each checked as a server would have checked it."""

    def keyring() -> Keyring:
        return keyring_for([folder / "people.sqlite"], secrets_from(os.environ, folder / "serve.secret").secret)

    collected = collected_from(existing_run(folder), files, keyring=keyring)
    if as_json:
        typer.echo(json.dumps(collected._asdict(), indent=2))
    else:
        ends = ", ".join(f"{n} {outcome}" for outcome, n in sorted(collected.outcomes.items()))
        typer.echo(
            f"{collected.n_new} new sessions, {collected.n_longer} continued{f' ({ends})' if ends else ''}; "
            f"{collected.n_known} known already; {len(collected.faults)} refused."
        )
    if collected.faults:
        raise UnderstudyError("\n".join(collected.faults))
