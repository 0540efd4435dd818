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
from understudy.workflow.static.deposits import Decisions


def collect(
    folder: Path, files: list[Path], *, decided: tuple[tuple[str, ...], tuple[str, ...]], decides: bool, as_json: bool
) -> None:
    """Import result files of a static export into the run, with the checks that a server makes."""

    def keyring() -> Keyring:
        keyring = keyring_of(folder, os.environ)
        require_named_by(keyring, [folder / "people.sqlite"])
        return keyring

    decisions = Decisions(*decided)
    if not files and not decides and decisions == Decisions():
        raise UnderstudyError("Give the result files to import, or --decide to see what was set aside.")
    collected = collected_from(existing_run(folder), files, keyring=keyring, decisions=decisions)
    if as_json:
        waiting = [waits._asdict() for waits in collected.set_aside]
        typer.echo(json.dumps({**collected._asdict(), "set_aside": waiting}, indent=2))
    else:
        ends = ", ".join(f"{n} {outcome}" for outcome, n in sorted(collected.outcomes.items()))
        typer.echo(
            f"{collected.n_new} new sessions, {collected.n_longer} continued{f' ({ends})' if ends else ''}; "
            f"{collected.n_known} already known; {len(collected.faults)} rejected"
            + (f"; {len(collected.set_aside)} set aside." if collected.set_aside else ".")
        )
        for waits in collected.set_aside:
            typer.echo(f"  {waits.name}: {' '.join(waits.reasons)}")
        if collected.set_aside:
            typer.echo(
                "They are in no table, report or pay list. Look at each, then type understudy collect "
                f"{folder} --take NAME or --drop NAME."
            )
    if collected.faults:
        raise UnderstudyError("\n".join(collected.faults))
