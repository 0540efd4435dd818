"""The process whose imports are counted: a session from start to end, and a look at the dashboard."""

import sys
from pathlib import Path

import httpx

from tests.serve.stage_door import ADMIN_HEADERS, Person, played, server
from understudy.cli.main import app_of

HEAVY = ("altair", "matplotlib", "pandas", "pyarrow", "scipy", "sklearn", "statsmodels", "torch")


async def whole_session(client: httpx.AsyncClient) -> None:
    person = Person(client, "two-groups", PROLIFIC_PID="one")
    await person.start()
    await person.finish()
    desk = "/api/admin/studies"
    for address in (desk, f"{desk}/two-groups/sessions", f"{desk}/two-groups/sessions/{person.token.split('.')[0]}"):
        assert (await client.get(address, headers=ADMIN_HEADERS)).status_code == 200


if __name__ == "__main__":
    app_of(["serve"])
    with server(Path(sys.argv[1])) as app:
        played(app, whole_session)
    sys.stdout.write(" ".join(name for name in HEAVY if name in sys.modules))
