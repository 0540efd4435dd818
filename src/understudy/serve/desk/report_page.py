"""The report as browsers and scripts get it: kept until the log changes, made in the background, with progress shown."""

import asyncio
import re
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from understudy.errors import UnderstudyError
from understudy.serve.desk.counts import is_closed
from understudy.serve.study import RunningStudy
from understudy.serve.wire import Link, Refusal, notice_page, with_way_back

REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""A report is one page with its styles inside; `report_policy` adds the digest of its one script."""
_SCRIPT = re.compile(rb"script-src 'sha256-[A-Za-z0-9+/=]+'")
_PATIENCE_S = 1.0
"""How long a browser waits for a new report before it shows progress."""
_AGAIN_S = 2
_CLOSED = (
    "This study is blinded, and its outcomes are closed. To open them, ask for the names of the conditions on the page "
    "Monitoring, and say why; the log keeps it."
)
_GRACE_S = 60.0
"""How long a new report is shown although people have gone on: in a running study, each one is outdated at once."""


async def report_response(running: RunningStudy, request: Request, back: Link) -> Response:
    """Return the report of the sessions so far; a browser gets a page about its progress while it is made.

    Scripts, which do not ask for a page, wait until it is made, and get errors as JSON.
    """
    wants_page = "text/html" in request.headers.get("accept", "")
    if await asyncio.to_thread(is_closed, running):
        # Said before anything is made: making takes long, and would be refused at its end.
        if not wants_page:
            raise Refusal(409, _CLOSED)
        return _notice(back, "The report is closed", _CLOSED)
    kept = await asyncio.to_thread(running.served.kept_report)
    if not wants_page:
        return _page(await _job(running) if kept is None else kept)
    if kept is not None:
        return _page(with_way_back(kept, back))
    if not running.session_ids:
        return _notice(back, "There is no report yet", "Nobody has taken part in this study yet. Come back later.")
    job = _job(running, may_be_recent=True)
    done, _ = await asyncio.wait({job}, timeout=_PATIENCE_S)
    if not done:
        return await _under_way(running, back)
    try:
        return _page(with_way_back(job.result(), back))
    except Refusal as refusal:
        return _notice(back, "The report could not be made", str(refusal))


async def make_file(running: RunningStudy, make: Callable[[], bytes] | None, what: str) -> bytes:
    """Make a report or an archive in a thread, one at a time."""
    if make is None:
        raise Refusal(404, f"This server makes no {what}.")
    try:
        async with running.making:
            return await asyncio.to_thread(make)
    except UnderstudyError as error:
        raise Refusal(409, str(error)) from None


def _job(running: RunningStudy, *, may_be_recent: bool = False) -> "asyncio.Task[bytes]":
    """Return the task that makes the report: the one under way, one that has just ended, or a new one."""
    job = running.report_job
    now_s = asyncio.get_running_loop().time()
    is_recent = may_be_recent and now_s < running.report_until_s
    if job is None or (job.done() and not is_recent):
        job = asyncio.create_task(make_file(running, running.served.report, "report"))
        job.add_done_callback(lambda _: _note_end(running))
        running.report_job, running.report_until_s = job, 0.0
    return job


def _note_end(running: RunningStudy) -> None:
    running.report_until_s = asyncio.get_running_loop().time() + _GRACE_S


async def _under_way(running: RunningStudy, back: Link) -> Response:
    progress = await asyncio.to_thread(running.served.report_progress)
    sentence = progress or "It starts in a moment."
    page = notice_page(202, "The report is being made", f"{sentence} This page reloads by itself.", link=back)
    page.headers["Refresh"] = str(_AGAIN_S)
    return page


def report_policy(page: bytes) -> str:
    """Return the policy for a report: only the script whose digest the page itself states before any content may run.

    The server cannot know the digest by itself, since it does not import what writes reports.
    """
    script = _SCRIPT.search(page.partition(b"<body>")[0])
    return f"{REPORT_POLICY}; {script[0].decode()}" if script else REPORT_POLICY


def _page(content: bytes) -> Response:
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": report_policy(content)}
    return Response(content, headers=headers, media_type="text/html; charset=utf-8")


def _notice(back: Link, title: str, sentence: str) -> Response:
    return notice_page(200, title, sentence, link=back)
