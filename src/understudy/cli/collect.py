"""`understudy collect`: import result files of a static export into the run."""

import json
import os
from pathlib import Path

import typer

from understudy.errors import UnderstudyError
from understudy.serve.tokens import Keyring
from understudy.workflow.runs.run_folder import existing_run
from understudy.workflow.runs.run_secrets import keyring_of
from understudy.workflow.serving import require_named_by
from understudy.workflow.static.collect import collect as collected_from


def collect(folder: Path, files: list[Path], *, as_json: bool) -> None:
    """Import result files of a static export into the run, with the checks that a server makes."""

    def keyring() -> Keyring:
        keyring = keyring_of(folder, os.environ)
        require_named_by(keyring, [folder / "people.sqlite"])
        return keyring

    collected = collected_from(existing_run(folder), files, keyring=keyring)
    if as_json:
        typer.echo(json.dumps(collected._asdict(), indent=2))
    else:
        ends = ", ".join(f"{n} {outcome}" for outcome, n in sorted(collected.outcomes.items()))
        typer.echo(
            f"{collected.n_new} new sessions, {collected.n_longer} continued{f' ({ends})' if ends else ''}; "
            f"{collected.n_known} already known; {len(collected.faults)} rejected."
        )
    if collected.faults:
        raise UnderstudyError("\n".join(collected.faults))
