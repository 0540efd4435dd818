"""Several servers in this process that know of each other only through one database."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from starlette.applications import Starlette

from tests.loops import finished
from tests.serve.stage_door import ADMIN, GENEROUS, SECRET, Hands, client_of
from understudy.actions.serve import served_from_folder
from understudy.record import open_log
from understudy.serve import Settings, close_app, create_app


@contextmanager
def servers(
    *folders: Path, log_place: str, n: int = 2, clock: Callable[[], int] | None = None, settings: Settings = GENEROUS
) -> Iterator[list[Starlette]]:
    """Serve folders by n servers, each with a connection of its own to the log."""
    reads = clock or Hands()
    with ExitStack() as stack:
        apps: list[Starlette] = []
        for _ in range(n):
            log = stack.enter_context(open_log(log_place))
            studies = [served_from_folder(folder) for folder in folders]
            for study in studies:
                study.log.close()
            app = create_app(
                [replace(study, log=log) for study in studies], secret=SECRET, admin_token=ADMIN, clock=reads,
                settings=settings, seconds=lambda: reads() / 1000,
            )  # fmt: skip
            stack.callback(close_app, app)
            apps.append(app)
        yield apps


def played_at(apps: Sequence[Starlette], play: Callable[[list[httpx.AsyncClient]], Awaitable[Any]]) -> Any:
    """Run one coroutine with a client for each server."""

    async def run() -> Any:
        clients = [client_of(app) for app in apps]
        try:
            return await play(clients)
        finally:
            for client in clients:
                await client.aclose()

    return finished(run())
