"""`understudy export`: an archive with everything another lab needs, or a folder that runs on any web host."""

import os
from pathlib import Path

import typer

from understudy.cli.report_progress import report_progress
from understudy.errors import UnderstudyError
from understudy.workflow.reporting.reporting import archive_of, parts_of
from understudy.workflow.runs.run_folder import Run, existing_run
from understudy.workflow.serving import built_front_end, completion_urls_from
from understudy.workflow.static.export import StaticOptions, static_folder


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
