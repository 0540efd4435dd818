"""`understudy preview`: show every page of a study on this machine, and store nothing."""

import secrets
import tempfile
import webbrowser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import typer

from understudy.actions.demo import listening_from
from understudy.actions.preview import preview_walks, write_walks
from understudy.actions.run_folder import Run, existing_run, explaining_into, written_run
from understudy.actions.serve import built_front_end
from understudy.cli.progress import progress
from understudy.cli.studies import load_study
from understudy.conduct import Script
from understudy.errors import UnderstudyError
from understudy.record.log import now_ms, open_log
from understudy.schema import ResponseGiven
from understudy.schema.simulation import PreviewWalk, PreviewWalks
from understudy.serve import ServedStudy, Settings, create_app, host_app


class Place(NamedTuple):
    """Where a preview opens; the contents page where nothing is given."""

    condition: str | None = None
    page: int | None = None
    """Counted from 1, as the page itself says it."""
    trial: str | None = None


def preview(study: str, *, at: Place, port: int, open_page: bool, walks: Path | None) -> None:
    """Show every page of a study on this machine; nothing is stored."""
    if walks is not None:
        write_walks(existing_run(Path(study)).script, walks)
        return
    # The folder goes with the command: a preview leaves nothing behind.
    with tempfile.TemporaryDirectory(prefix="understudy-preview-") as temporary:
        run = _run_of(study, Path(temporary))
        shown = preview_walks(run.script)
        query = query_of(run.script, shown, at)
        listening = listening_from(port)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/preview/{run.script.study.name}{query}"
        with listening, open_log(Path(temporary) / "nothing.sqlite") as log:
            served = ServedStudy(
                script=run.script, materials=run.prepared.materials, assets=run.folder / "public" / "assets", log=log,
                people=Path(temporary) / "nobody.sqlite", recordings=Path(temporary), walks=lambda: shown,
            )  # fmt: skip
            app = create_app(
                [served], secret=secrets.token_bytes(32), admin_token=secrets.token_hex(), clock=now_ms,
                settings=Settings(web=built_front_end(), is_preview=True),
            )  # fmt: skip
            typer.echo(f"The preview: {address}\nNothing is stored. It runs until you press Ctrl-C.")
            if open_page:
                webbrowser.open(address)
            host_app(app, host="127.0.0.1", port=port, log_level="warning", listening=listening)


def _run_of(study: str, temporary: Path) -> Run:
    """Open a prepared folder, or prepare a study into a temporary one."""
    folder = Path(study)
    if (folder / "study.json").is_file():
        return existing_run(folder)
    located = load_study(study)
    with progress("Preparing", None) as advance:
        prepared = located.prepared(explaining_into(temporary, on_progress=advance))
    return written_run(prepared, temporary)


def query_of(script: Script, shown: PreviewWalks, at: Place) -> str:
    """Return the part of the address that opens a place, or say what there is instead."""
    if at == Place():
        return ""
    walk = _walk_at(shown, at)
    answered = [event.trial_id for event in walk.events if isinstance(event, ResponseGiven)]
    words = {"condition": walk.condition, "page": str(at.page or 1)}
    if at.page is not None and at.page > len(answered) + 1:
        raise UnderstudyError(f"{walk.condition!r} has {len(answered)} pages and its end; --page {at.page} is too far.")
    if at.trial is not None:
        words |= _place_of_trial(script, answered, at.trial)
    return f"?{urlencode(words)}"


def _walk_at(shown: PreviewWalks, at: Place) -> PreviewWalk:
    by_name = {walk.condition: walk for walk in shown.walks}
    if at.condition is not None and at.condition not in by_name:
        raise UnderstudyError(f"{at.condition!r} is not a condition. Conditions are: {', '.join(by_name)}.")
    if at.condition is not None:
        return by_name[at.condition]
    held = (
        walk
        for walk in shown.walks
        if any(isinstance(event, ResponseGiven) and event.trial_id == at.trial for event in walk.events)
    )
    return next(held, shown.walks[0])


def _place_of_trial(script: Script, answered: list[str], trial_id: str) -> dict[str, str]:
    if trial_id in answered:
        return {"page": str(answered.index(trial_id) + 1)}
    if trial_id not in script.trials:
        some = ", ".join(list(script.trials)[:3])
        raise UnderstudyError(f"{trial_id!r} is not a trial of this study. Trials are, for example: {some}.")
    block = script.trials[trial_id].block_id
    same = [k for k, met in enumerate(answered) if script.trials[met].block_id == block]
    if not same:
        raise UnderstudyError(
            f"{trial_id!r} belongs to {block!r}, which this condition does not show; give --condition."
        )
    return {"page": str(same[0] + 1), "trial": trial_id}
