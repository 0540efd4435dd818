"""Routes of the preview: the page that shows it, what there is to see, and one page of the study."""

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from understudy.serve.demo_routes import require_this_machine
from understudy.serve.desk.admin_api import count_in, json_reply
from understudy.serve.desk.admin_login import actor_of, require
from understudy.serve.pages import not_found, notice_page
from understudy.serve.previews.preview import Preview
from understudy.serve.refusals import Refusal
from understudy.serve.running import RunningStudy
from understudy.serve.server_state import server_state_of
from understudy.serve.wire.written import written


async def first_page(request: Request) -> Response:
    """Lead to the preview of the first study."""
    name = next(iter(server_state_of(request).studies))
    return RedirectResponse(f"/preview/{name}", status_code=303)


async def preview_page(request: Request) -> Response:
    """Serve the page that shows a preview; researchers who are not signed in are led to the form."""
    server_state = server_state_of(request)
    if request.path_params["study_name"] not in server_state.studies:
        return not_found()
    if not server_state.settings.is_preview and await actor_of(request, server_state) is None:
        return RedirectResponse("/admin", status_code=303)
    page = await server_state.web.response("preview.html", request, cache="no-cache")
    return page or notice_page(503, "Not ready yet", "The front end is not built. If you run this server: make web.")


async def contents(request: Request) -> Response:
    """List conditions, parts and pages."""
    return json_reply(written((await _previewed(request)).contents))


async def page(request: Request) -> Response:
    """Write one page of one condition, as the session meets it."""
    preview = await _previewed(request)
    query = request.query_params
    number = count_in(query.get("page"), 1)
    return json_reply(
        await asyncio.to_thread(preview.page, query.get("condition", ""), number, query.get("trial") or None)
    )


async def _previewed(request: Request) -> Preview:
    server_state = server_state_of(request)
    if server_state.settings.is_preview:
        require_this_machine(request, "The preview is open only to the machine it runs on.")
    else:
        await require(request)
    running = server_state.study(request)
    async with server_state.previewing:
        if running.name not in server_state.previews:
            server_state.previews[running.name] = await asyncio.to_thread(_made, running)
    return server_state.previews[running.name]


def _made(running: RunningStudy) -> Preview:
    if running.served.walks is None:
        raise Refusal(404, "This server has no preview; run understudy preview.")
    return Preview(running.script, running.public, running.served.walks())
