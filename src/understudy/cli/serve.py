"""`understudy serve`: serve studies to participants, and the dashboard to researchers."""

import os
import secrets
import shlex
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import typer

from understudy.actions.access import RESEARCHERS, moved_accounts, secret_path, use_secret, write_private
from understudy.actions.parts import opened_run, with_earlier_parts
from understudy.actions.pilots import earlier_folders, pilot_folder, remembered_people
from understudy.actions.recruit import platform_for
from understudy.actions.run_folder import LOSS_TOLD
from understudy.actions.serve import (
    Secrets,
    SharedDatabase,
    built_front_end,
    completion_urls_from,
    networks_from,
    require_named_by,
    require_one_secret,
    secrets_from,
    served_from_folder,
)
from understudy.cli.arguments import OtherRuns
from understudy.errors import LogError, UnderstudyError
from understudy.record import Log, desk_in, lock_folder
from understudy.record.copies import copies_as_found
from understudy.record.log import now_ms
from understudy.registry import offers
from understudy.roles import RecordsVoice
from understudy.serve import ServedStudy, Settings, create_app, host_app
from understudy.serve.access import Keyring
from understudy.serve.alert_channels import Alert, Channel, NotDelivered, channels_from
from understudy.serve.desk.researchers import Researchers
from understudy.serve.hosting import inherited_socket, listening_at
from understudy.serve.settings import AlertSettings


def serve(
    folders: list[Path],
    *,
    host: str,
    port: int,
    database: str | None,
    secret_file: Path | None,
    recruiter: list[str] | None,
    proxy: list[str] | None,
    alert: list[str] | None,
    low_disk: float,
    rehearsal: bool,
    accept_loss: bool,
    web: Path | None,
    others: OtherRuns = OtherRuns(),  # noqa: B008 - it is frozen
) -> None:
    """Serve prepared studies to participants; the dashboard is at /admin."""
    proxies, channels = networks_from(proxy or ()), channels_from(alert or (), os.environ)
    front_end = web or built_front_end()
    # A pilot runs under the secret of its study, so that its people have the same pseudonyms there.
    home = folders[0]
    folders = [pilot_folder(folder, others.pilot_places) for folder in folders] if others.is_pilot else folders
    earlier = [earlier_folders(folder, others.not_again) for folder in folders]
    # Not whether the secret is new: a dry run of `recruit draft` may have made it.
    is_first_start = not (home / RESEARCHERS).exists()
    with ExitStack() as stack:
        with _alerting(home, channels):
            studies = _studies(folders, SharedDatabase(database))
            for served in studies:
                stack.callback(served.log.close)
            studies = _connected(stack, studies, earlier, others.earlier_parts)
            # The same folder given twice is locked once.
            for folder in {served.people.parent.resolve(): served for served in studies if not served.log.is_shared}:
                stack.enter_context(lock_folder(folder))
            losses = [_loss_of(log, accepts_loss=accept_loss) for log in {served.log for served in studies}]
        known = [*(run for runs in earlier for run in runs), *others.earlier_parts]
        keys = _agreed_secrets(secret_file or secret_path(home, others.earlier_parts), studies, folders, known)
        has_names = _has_names(studies[0], home)
        is_first = keys.is_new or (is_first_start and keys.is_own and not studies[0].log.is_shared)
        once = secrets.token_urlsafe(24) if is_first and not has_names else None
        names = [served.script.study.name for served in studies]
        settings = Settings(
            web=front_end,
            recruiters=tuple(recruiter or ()),
            completion_urls=completion_urls_from(os.environ, names),
            is_rehearsal=rehearsal,
            researchers=home / RESEARCHERS,
            once=once,
            losses=tuple(loss for loss in losses if loss is not None),
            alerts=AlertSettings(channels, low_disk),
        )
        clock = _clock_of(studies[0].log)
        listening = stack.enter_context(inherited_socket(os.environ) or _listening_at(host, port))
        app = create_app(studies, secret=keys.secret, admin_token=keys.admin_token, clock=clock, settings=settings)
        if others.is_pilot:
            typer.echo(f"This is a pilot: it is kept in {', '.join(map(str, folders))}, apart from the study itself.")
        for name in names:
            typer.echo(f"Participants: http://{host}:{port}/s/{name}")
        typer.echo(f"Researchers:  http://{host}:{port}/admin{f'?once={once}  (works once)' if once else ''}")
        if not rehearsal and not others.is_pilot:
            _remind_to_register(studies, folders)
        _remind_to_share(studies)
        host_app(app, host=host, port=port, listening=listening, proxies=proxies)


def _agreed_secrets(
    path: Path, studies: Sequence[ServedStudy], folders: Sequence[Path], known: Sequence[Path]
) -> Secrets:
    """Return the secrets of the server, under which people of all runs, links and codes are known."""
    keys = secrets_from(os.environ, path)
    keyring = Keyring(keys.secret)
    require_one_secret(studies, keys.secret)
    require_named_by(keyring, [run / "people.sqlite" for run in known])
    use_secret(folders, keyring, path, os.environ)
    return keys


def _listening_at(host: str, port: int) -> socket.socket:
    try:
        return listening_at(host, port)
    except OSError as error:
        raise UnderstudyError(
            f"Cannot listen on {host}:{port}: {error.strerror}. Stop what uses it, or choose another --port or --host."
        ) from error


def _studies(folders: Sequence[Path], shared: SharedDatabase) -> list[ServedStudy]:
    """Open the studies of all folders, each with the platform that tells who left."""
    return [
        replace(served_from_folder(folder, shared), platform=platform_for(folder, os.environ)) for folder in folders
    ]


def _has_names(served: ServedStudy, folder: Path) -> bool:
    """Return whether researchers have accounts, after moving those of the folder to where several machines find them."""
    if not served.log.is_shared:
        return bool(Researchers(desk_in(folder / RESEARCHERS)).all())
    desk = served.log.desk()
    told = moved_accounts(folder, desk)
    if told is not None:
        typer.echo(told, err=True)
    return bool(Researchers(desk).all())


def _connected(
    stack: ExitStack, studies: Sequence[ServedStudy], earlier: Sequence[Sequence[Path]], parts: Sequence[Path]
) -> list[ServedStudy]:
    """Let each study know whose people may not come again, and who took its earlier part."""
    careful = [
        replace(served, took_part_before=stack.enter_context(remembered_people(runs)))
        for served, runs in zip(studies, earlier, strict=True)
    ]
    return with_earlier_parts(careful, [stack.enter_context(opened_run(folder)) for folder in parts])


def _remind_to_register(studies: Sequence[ServedStudy], folders: Sequence[Path]) -> None:
    for served, folder in zip(studies, folders, strict=True):
        if _can_register(served):
            command = f"understudy preregister STUDY --run {shlex.quote(str(folder))}"
            typer.echo(f"{served.script.study.name} is not registered. Before anybody takes part: {command}")


def _remind_to_share(studies: Sequence[ServedStudy]) -> None:
    for served in studies:
        tasks = {block.task.name for block in served.script.blocks.values()}
        if served.log.is_shared and any(offers("tasks", task, RecordsVoice) for task in tasks):
            typer.echo(
                f"{served.name} records voices, in {served.recordings}. If several machines serve it, put this folder on a disk "
                "that all of them share."
            )


def _clock_of(log: Log) -> Callable[[], int]:
    """Return one clock for all processes on a database, whatever the clocks of their machines say."""
    ahead_ms = log.time_ms() - now_ms() if log.is_shared else 0
    return lambda: now_ms() + ahead_ms


def _loss_of(log: Log, *, accepts_loss: bool) -> str | None:
    """Stop before anybody is served from a log that has lost events, unless the loss is accepted; return what was lost."""
    damage = log.accept_damage() if accepts_loss else log.damage()
    log.remember_acknowledged()
    if damage is None:
        return None
    copies = [] if log.is_shared else copies_as_found(Path(log.label))
    names = ", ".join(path.name for path in copies)
    found = f" The files are kept as they were found: {names}." if copies else ""
    told = f"The event log {log.label} {damage.told}.{found}"
    if not accepts_loss:
        raise LogError(
            f"{told} Restore it from a backup; or continue with what is left by --accept-loss, which notes the loss in the log."
        )
    typer.echo(f"Accepted: {told[0].lower()}{told[1:]}", err=True)
    return f"{told} The study continues with what is left."


@contextmanager
def _alerting(home: Path, channels: Sequence[Channel]) -> Iterator[None]:
    """Tell researchers of a damaged log that keeps the server from starting, once for each loss."""
    path = home / LOSS_TOLD
    try:
        yield
    except LogError as error:
        words = f"{error} The server does not start."
        is_news = not (path.exists() and path.read_text(encoding="utf-8") == words)
        if " is damaged" in words and channels and is_news:
            write_private(path, words)
            for channel in channels:
                try:
                    channel.send(Alert("events_lost", words, now_ms()))
                except NotDelivered as failure:
                    typer.echo(f"{channel.label} was not told: {failure}.", err=True)
        raise
    path.unlink(missing_ok=True)


def _can_register(served: ServedStudy) -> bool:
    """Return whether a study has no registration, and nobody has come who would make one late."""
    name = served.script.study.name
    return not served.log.registrations(name) and not any(served.log.summaries(name))
