"""`understudy export` and `understudy collect`: an archive or a static site, and the answers that come back from it."""

import json
import os
from pathlib import Path

import typer

from understudy.actions.access import keyring_of
from understudy.actions.collect import collect as collected_from
from understudy.actions.deposits import Decisions
from understudy.actions.report import archive_of, parts_of
from understudy.actions.run_folder import Run, existing_run
from understudy.actions.serve import built_front_end, completion_urls_from, require_named_by
from understudy.actions.static_site import StaticOptions, static_folder
from understudy.cli.report import report_progress
from understudy.errors import UnderstudyError
from understudy.serve.access import Keyring

# `understudy collect`: import result files of a static export into the run.


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


def export(
    folder: Path,
    *,
    out: Path | None,
    preregistration: Path | None,
    audio: bool,
    static: Path | None,
    sessions: int | None,
    post: str | None,
    reveal_answers: bool,
    background: Path | None,
) -> None:
    """Export a run as one archive in the Psych-DS layout, or as a folder that runs the study without a server."""
    run = existing_run(folder)
    if static is not None:
        if out or preregistration or audio:
            raise UnderstudyError("--static writes a folder of pages; leave out --out, --preregistration and --audio.")
        _export_static(run, static, StaticOptions(sessions, post, reveals=reveal_answers))
        return
    if sessions or post or reveal_answers:
        raise UnderstudyError("--sessions, --post and --reveal-answers need --static with a folder.")
    archive = out or folder / f"{run.script.study.name}.zip"
    with report_progress(background):
        path = archive_of(run, archive, preregistration=preregistration, audio=audio)
    typer.echo(f"Wrote {path} ({path.stat().st_size / 1e6:.1f} MB).")
    _print_recordings(run, is_in=audio)


def _print_recordings(run: Run, *, is_in: bool) -> None:
    parts = parts_of(run)
    if not parts:
        return
    n_people = len({part.session_id for part in parts})
    contents = f"{_counted(len(parts), 'recording')} of {_counted(n_people, 'participant')}"
    typer.echo(f"It holds {contents}." if is_in else f"It leaves out {contents}; add --audio to include them.")


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _export_static(run: Run, target: Path, options: StaticOptions) -> None:
    name = run.script.study.name
    redirect = completion_urls_from(os.environ, [name]).get(name)
    n_sessions = static_folder(run, target, web=built_front_end(), options=options._replace(redirect=redirect))
    typer.echo(f"Wrote {target} with {n_sessions} sessions drawn ahead. Upload it to a web host, then open index.html.")
    if options.reveals:
        typer.echo("It contains the right answers in plain text: anybody who takes part can read them.")
    typer.echo(f"Bring the results back: understudy collect {run.folder} FILES")
