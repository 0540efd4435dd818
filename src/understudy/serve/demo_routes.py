"""Routes of the demo: a landing page, and a dashboard and report that need no password on the local machine."""

from html import escape
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from understudy.schema.wire import DemoCounts, PlacesTaken
from understudy.serve.desk.admin_login import with_pass
from understudy.serve.desk.report_page import report_response
from understudy.serve.pages import Link, not_found, notice_page
from understudy.serve.refusals import Refusal
from understudy.serve.running import RunningStudy
from understudy.serve.served import Demo
from understudy.serve.server_state import ServerState, is_local, server_state_of
from understudy.serve.wire.written import written

_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})
_BACK = Link("/", "Back to the demo page")
_FEWEST = 2
"""Completed sessions in each condition before a report can say anything."""


class _DemoStudies(NamedTuple):
    server_state: ServerState
    demo: Demo

    def people(self) -> RunningStudy:
        return self.server_state.studies[self.demo.people]

    def simulated(self) -> RunningStudy:
        return self.server_state.studies[self.demo.simulated]


async def landing(request: Request) -> Response:
    """Show the landing page, if there is a demo."""
    server_state = server_state_of(request)
    if server_state.settings.demo is None:
        return not_found()
    studies = _DemoStudies(server_state, server_state.settings.demo)
    page = server_state.web.text("landing.html")
    if page is None:
        return notice_page(503, "Not ready yet", "The front end is not built. If you run this server: make web.")
    study = studies.people().study
    texts = {"title": study.shown_title, "lead": studies.demo.lead, "people": studies.demo.people}
    for name, text in texts.items():
        page = page.replace(f"{{{{{name}}}}}", escape(text))
    return Response(page, headers={"Cache-Control": "no-store"}, media_type="text/html")


async def counts(request: Request) -> Response:
    """Count people and simulated people who have taken part so far, separately."""
    demo = _opened(request)
    now = DemoCounts(simulated=_counted(demo.simulated()), people=_counted(demo.people()))
    return Response(written(now), headers={"Cache-Control": "no-store"}, media_type="application/json")


async def dashboard(request: Request) -> Response:
    """Let the visitor into the dashboard."""
    return await with_pass(RedirectResponse("/admin", status_code=303), request, _opened(request).server_state)


async def report(request: Request) -> Response:
    """Show the report of the simulated people so far."""
    running = _opened(request).simulated()
    if min(place.n_completed for place in running.ledger.places()) < _FEWEST:
        return _not_yet("The first simulated people are still taking part. This page reloads by itself.")
    return await report_response(running, request, _BACK)


def _opened(request: Request) -> _DemoStudies:
    server_state = server_state_of(request)
    if server_state.settings.demo is None:
        raise Refusal(404, "This server shows no demo; understudy demo starts one.")
    require_this_machine(request, "The demo is open only to the machine it runs on; use understudy serve for others.")
    return _DemoStudies(server_state, server_state.settings.demo)


def require_this_machine(request: Request, sentence: str) -> None:
    """Refuse requests from other machines, and those under another site's name for this address (DNS rebinding)."""
    if not is_local(request) or (request.url.hostname or "") not in _LOCAL_NAMES:
        raise Refusal(403, sentence)


def _counted(running: RunningStudy) -> PlacesTaken:
    places = running.ledger.places()
    return PlacesTaken(
        completed=sum(place.n_completed for place in places),
        active=sum(place.n_active for place in places),
        wanted=sum(place.quota for place in places),
    )


def _not_yet(sentence: str) -> Response:
    page = notice_page(200, "The report will be ready in a moment", sentence, link=_BACK)
    page.headers["Refresh"] = "3"
    return page
