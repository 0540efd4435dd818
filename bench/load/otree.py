"""oTree: a submission is a form, a redirect and the next page; a live page has a socket beside it."""

import json
from typing import ClassVar
from urllib.parse import urlencode

from load.connection import Connection
from load.ours import N_BATCH
from load.sockets import Socket
from load.walks import N_MOVES, checked, moves

REST_KEY = "bench"
_FORM = "Content-Type: application/x-www-form-urlencoded\r\n"


async def new_people(address: str, n: int) -> list[str]:
    """Make a session of n people through oTree's own interface, and return their codes with the session's."""
    headers = f"Content-Type: application/json\r\notree-rest-key: {REST_KEY}\r\n"
    connection = Connection(address)
    wanted = json.dumps({"session_config_name": "trial", "num_participants": n}).encode()
    made = json.loads(checked(await connection.ask("POST", "/api/sessions", wanted, headers), 200).body)
    listed = await connection.ask("GET", f"/api/sessions/{made['code']}", headers=headers)
    connection.close()
    return [
        f"{participant['code']} {made['code']}" for participant in json.loads(checked(listed, 200).body)["participants"]
    ]


class Otree:
    """Answers every page, with the same moves in a field of its form."""

    n_events: ClassVar[int] = N_MOVES

    def __init__(self, address: str, token: str) -> None:
        self._address = address
        self._code, _, self._session_code = token.partition(" ")
        self._connection = Connection(address)
        self._page = ""
        self._n_pages = 0

    async def start(self) -> None:
        """Arrive and see the first page."""
        await self._follow(await self._asked("GET", f"/InitializeParticipant/{self._code}"))

    async def submit(self) -> bool:
        """Send the form, and fetch the page it leads to."""
        made = moves(self._n_pages * N_MOVES + 2, N_MOVES, self._n_pages, f"predict-case-{self._n_pages}")
        answers = {"guess": "no", "events": json.dumps(made, separators=(",", ":"))}
        await self._follow(await self._asked("POST", self._page, urlencode(answers).encode()))
        self._n_pages += 1
        return "OutOfRange" not in self._page

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    async def _asked(self, method: str, path: str, body: bytes = b"") -> str:
        answer = await self._connection.ask(method, path, body, _FORM if body else "")
        return checked(answer, 302, 303, 307).header("location")

    async def _follow(self, location: str) -> None:
        self._page = "/" + location.split("://", 1)[-1].split("/", 1)[1]
        checked(await self._connection.ask("GET", self._page), 200)


class OtreeMoves(Otree):
    """Stays on the first page and sends its moves through the live socket, one row each, all acknowledged."""

    n_events: ClassVar[int] = 1

    async def start(self) -> None:
        """Arrive and open the socket."""
        await super().start()
        names = {"participant_code": self._code, "page_name": "Trial", "session_code": self._session_code}
        query = urlencode(names | {"page_index": self._page.rsplit("/", 1)[1]})
        self._socket = await Socket.to(self._address, f"/live?{query}")

    async def submit(self) -> bool:
        """Send some moves in one message and wait until the page hears that they are stored."""
        self._n_pages += 1
        made = moves(self._n_pages * self.n_events, self.n_events, 1, "predict-case-1")
        await self._socket.send(json.dumps(made))
        await self._socket.receive()
        return True

    def close(self) -> None:
        """Hang up both."""
        self._socket.close()
        super().close()


class OtreeBatches(OtreeMoves):
    """The same with as many moves in each message as we send in a batch."""

    n_events: ClassVar[int] = N_BATCH
