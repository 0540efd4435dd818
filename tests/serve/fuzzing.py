"""Requests that no page would send, each wrong by construction and each from a seed."""

import gzip
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.serve.stage_door import page_events

AT_MS = 1_700_000_000_777
"""Another time than any stored event has, so that nothing here passes for a resend."""
JSON = {"Content-Type": "application/json"}
_OBJECTS: list[Any] = [None, True, 0, -1, 1.5, "", "x", [], [[]], ["events"], "events", {"a": None}]
_TEXTS: list[Any] = [None, True, -1, 2**70, [], {}, ["x"], {"x": 1}]
_NO_NUMBERS: list[Any] = [None, "", "3", "\x00", [], {}, [3], "9" * 400]
_BAD_NUMBERS: dict[str, list[Any]] = {
    "seq": [-1, 0, 1.5, 2**70, -(2**70)], "step": [-1, 1.5, 2**70], "at_ms": [1.5, 2**70, -(2**70)], "rt_ms": [-1, -0.5],
}  # fmt: skip
_ADDRESSES = [
    "../answers.json",
    "..%2fanswers.json",
    "%2e%2e/%2e%2e/study.json",
    "%00",
    "answers.json",
    "\u202e",
    "a" * 3000,
]


class Shot(NamedTuple):
    """One request."""

    kind: str
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Target(NamedTuple):
    """A session to aim at: its token, where it stands, and a sound answer to its step."""

    study: str
    token: str
    state: dict[str, Any]
    response: dict[str, Any]

    @property
    def headers(self) -> dict[str, str]:
        return {**JSON, "Authorization": f"Bearer {self.token}"}

    @property
    def batch(self) -> list[dict[str, Any]]:
        """What a page would send now; everything wrong is made from it."""
        return page_events(self.state, self.response, at_ms=AT_MS)


class Fuzzer:
    """Draws wrong requests against an open session, another one and a finished one."""

    def __init__(self, rng: np.random.Generator, *, opened: Target, other: Target, ended: Target, digest: str) -> None:
        self._rng = rng
        self._opened = opened
        self._other = other
        self._ended = ended
        self._digest = digest
        self.kinds: tuple[Callable[[], Shot], ...] = (
            self.noise, self.torn, self.wrong_field, self.missing_field, self.extra_field, self.forged_seq,
            self.conflict, self.elsewhere, self.forged_event, self.wrong_answer, self.deep, self.not_finite,
            self.huge_number, self.lone_surrogate, self.wrong_encoding, self.wrong_type, self.too_large,
            self.too_many, self.scrambled, self.wrong_shape, self.wrong_token, self.other_token, self.finished,
            self.wrong_method, self.wrong_start, self.wrong_withdrawal, self.wrong_address, self.no_researcher,
        )  # fmt: skip

    def shot(self, number: int) -> Shot:
        """Return the request with a number; the kinds take turns."""
        return self.kinds[number % len(self.kinds)]()

    def noise(self) -> Shot:
        return self._events("noise", b"\xff" + self._rng.bytes(self._n(200)))

    def torn(self) -> Shot:
        good = self._good()
        place = self._n(len(good) - 1)
        cut = good[:place] if self._n(2) else good[:place] + self._rng.bytes(1 + self._n(4)) + good[place + 1 :]
        return self._events("torn", cut if not _is_object(cut) else b"{")

    def wrong_field(self) -> Shot:
        batch = self._opened.batch
        event = batch[self._n(len(batch))]
        field = self._one(sorted(event))
        if field in ("response", "payload"):
            event[field] = self._one([None, True, 1, "x", [], ["x"]])
        elif field in _BAD_NUMBERS:
            event[field] = self._one([*_NO_NUMBERS, *_BAD_NUMBERS[field]])
        else:
            event[field] = self._one(_TEXTS)
        return self._batch("wrong_field", batch)

    def missing_field(self) -> Shot:
        batch = self._opened.batch
        event = batch[self._n(len(batch))]
        del event[self._one(sorted(set(event) - {"payload"}))]
        return self._batch("missing_field", batch)

    def extra_field(self) -> Shot:
        batch = self._opened.batch
        name = self._one(["session_id", "stream", "note", "__proto__", "outcome", "Seq", "levels", "é"])
        batch[self._n(len(batch))][name] = self._one(["engine", "page", 1, None, {}])
        return self._batch("extra_field", batch)

    def forged_seq(self) -> Shot:
        seq = self._opened.state["next_seq"] + self._one([1, 2, 100, 2**31, 2**40, 2**53, 2**63, 2**64, 10**30])
        return self._batch("forged_seq", [{**event, "seq": seq + k} for k, event in enumerate(self._opened.batch)])

    def conflict(self) -> Shot:
        stored = self._other.state["next_seq"] - 1 - self._n(self._other.state["next_seq"] - 1)
        event = {**self._other.batch[1], "seq": stored, "action": f"rewritten {self._n(10**6)}"}
        return self._batch("conflict", [event], self._other)

    def elsewhere(self) -> Shot:
        change = self._one([{"step": 1 + self._n(10**6)}, {"trial_id": f"debrief.{self._n(10**6)}"}, {"trial_id": ""}])
        return self._batch("elsewhere", [{**event, **change} for event in self._opened.batch])

    def forged_event(self) -> Shot:
        kind = self._one(
            ["session_started", "session_ended", "session_excluded", "gate_decided", "pay_settled", "erased"]
        )
        forged = {**self._opened.batch[0], "type": kind, "outcome": "completed", "base": 99, "reason": "mine"}
        return self._batch("forged_event", [forged])

    def wrong_answer(self) -> Shot:
        *before, answer = self._opened.batch
        name = self._one(sorted(self._opened.response))
        wrong = self._one(
            [{}, {name: None}, {name: "neither"}, {name: 7}, {name: [name]}, {**self._opened.response, "more": 1}]
        )
        return self._batch("wrong_answer", [*before, {**answer, "response": wrong}])

    def deep(self) -> Shot:
        depth = 300 + self._n(20_000)
        opening, closing = self._one([(b"[", b"]"), (b'{"a":', b"}")])
        nested = opening * depth + b"1" + closing * depth
        return self._events("deep", self._one([nested, self._swapped(b'{"on": true}', nested)]))

    def not_finite(self) -> Shot:
        value = self._one([b"NaN", b"Infinity", b"-Infinity", b"nan", b"1e400", b"-1e999"])
        return self._events("not_finite", self._swapped(self._one([b'{"on": true}', b"812.5"]), value))

    def huge_number(self) -> Shot:
        digits = b"9" * (20 + self._n(5000))
        return self._events(
            "huge_number", self._swapped(str(AT_MS).encode(), self._one([digits, b"-" + digits, b"1e308"]))
        )

    def lone_surrogate(self) -> Shot:
        escape = f"\\u{0xD800 + self._n(0x800):04x}".encode()
        return self._events(
            "lone_surrogate", self._swapped(b"focus", self._one([escape, b"x" + escape + b"y", b"\xed\xa0\x80"]))
        )

    def wrong_encoding(self) -> Shot:
        text = self._good().decode().replace("focus", "größer")
        coded = self._one(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-8-sig", "cp037"])
        return self._events("wrong_encoding", gzip.compress(text.encode()) if self._n(8) == 0 else text.encode(coded))

    def wrong_type(self) -> Shot:
        kind = self._one([
            "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/html",
            "application/xml", "application/octet-stream", "application/jsonp", "json", "", "*/*", "application/json/x",
        ])  # fmt: skip
        shot = self._events("wrong_type", self._good())
        return shot._replace(headers={**shot.headers, "Content-Type": kind})

    def too_large(self) -> Shot:
        batch = self._opened.batch
        batch[1]["payload"] = {"blob": "x" * (256 * 1024 + self._n(1000))}
        return self._batch("too_large", batch)

    def too_many(self) -> Shot:
        start = self._opened.state["next_seq"]
        return self._batch("too_many", [{**self._opened.batch[0], "seq": start + k} for k in range(501 + self._n(20))])

    def scrambled(self) -> Shot:
        batch = self._opened.batch
        order = self._one([[2, 1, 0], [0, 2], [1, 0, 2], [0, 0, 1], [0, 1, 1], [1], [2], [2, 0]])
        return self._batch("scrambled", [batch[k] for k in order])

    def wrong_shape(self) -> Shot:
        batch: Any = self._opened.batch
        plain = self._one([
            batch, {"events": self._one(_OBJECTS)}, {"event": batch}, {"events": batch, "more": 1}, {"events": [batch]},
            {"events": [json.dumps(one) for one in batch]}, {"events": []}, {"events": {"0": batch[0]}}, {},
        ])  # fmt: skip
        return self._events("wrong_shape", json.dumps(plain).encode())

    def wrong_token(self) -> Shot:
        session_id, _, mac = self._opened.token.partition(".")
        place = self._n(len(mac) - 1)
        other = "A" if mac[place] != "A" else "B"
        token = self._one([
            "", "x", session_id, f"{session_id}.", f".{mac}", f"{session_id}.{mac[:place]}{other}{mac[place + 1 :]}",
            f"{session_id[::-1]}.{mac}", f"{self._other.token.partition('.')[0]}.{mac}", mac, "null",
        ])  # fmt: skip
        method, path, body = self._one(
            [("GET", "state", b""), ("POST", "events", self._good()), ("POST", "withdraw", b'{"erase":true}')]
        )
        headers = {**JSON, "Authorization": self._one(["Bearer ", "bearer ", "Basic ", ""]) + token}
        return Shot("wrong_token", method, f"/api/s/{self._opened.study}/{path}", headers, body)

    def other_token(self) -> Shot:
        if self._n(2):
            return self._batch("other_token", self._opened.batch, self._other)
        path, body = self._one([("events", self._good()), ("withdraw", b'{"erase":true}')])
        return Shot("other_token", "POST", f"/api/s/elsewhere/{path}", self._opened.headers, body)

    def finished(self) -> Shot:
        seq = self._ended.state["next_seq"] + self._n(3)
        late = {"type": "interacted", "seq": seq, "step": self._n(30), "trial_id": "x", "at_ms": 1, "action": "late"}
        return self._batch("finished", [late], self._ended)

    def wrong_method(self) -> Shot:
        path, methods = self._one([
            ("events", ["GET", "PUT", "PATCH", "DELETE"]), ("start", ["GET", "PUT", "DELETE"]),
            ("withdraw", ["GET", "PUT", "DELETE"]), ("state", ["POST", "PUT", "DELETE"]),
        ])  # fmt: skip
        return Shot(
            "wrong_method",
            self._one(methods),
            f"/api/s/{self._opened.study}/{path}",
            self._opened.headers,
            self._good(),
        )

    def wrong_start(self) -> Shot:
        plain = self._one([
            {"recruiter": self._one([[], "x", 1, True, {"PROLIFIC_PID": 1}, {"PROLIFIC_PID": None}, {"a": "x" * 301}, {"a" * 301: "x"}])},
            {"recruiter": {str(k): "x" for k in range(31)}}, {"preview": self._one(["true", 1, None, []])},
            {"language": self._one([1, None, "x" * 301, ["en"]])}, {"condition": "shown"}, {"token": self._opened.token}, [], "x", 1,
        ])  # fmt: skip
        body = self._one(
            [json.dumps(plain).encode(), b"{", b"\xff", b'{"language":"\\ud800"}', b'{"recruiter":NaN}', b"null"]
        )
        headers = self._one([JSON, {"Content-Type": "text/plain"}])
        return Shot("wrong_start", "POST", f"/api/s/{self._opened.study}/start", headers, body)

    def wrong_withdrawal(self) -> Shot:
        body = self._one(
            [
                b'{"erase":"true"}',
                b'{"erase":1}',
                b'{"erase":null}',
                b'{"erase":true,"x":1}',
                b"[]",
                b"true",
                b'{"Erase":true}',
                b"\xff",
                b"{",
                b'{"erase":tru}',
            ]
        )
        return Shot("wrong_withdrawal", "POST", f"/api/s/{self._opened.study}/withdraw", self._opened.headers, body)

    def wrong_address(self) -> Shot:
        root = self._one(
            [f"/m/{self._digest}/", "/m/other/", "/static/", "/s/", "/api/s/", f"/api/s/{self._opened.study}/", "/api/"]
        )
        return Shot(
            "wrong_address",
            self._one(["GET", "POST"]),
            root + self._one(_ADDRESSES),
            self._opened.headers,
            self._good(),
        )

    def no_researcher(self) -> Shot:
        session_id = self._opened.token.partition(".")[0]
        sessions = f"/api/admin/studies/{self._opened.study}/sessions"
        method, path = self._one([
            ("GET", "/api/admin/studies"), ("GET", sessions), ("GET", f"{sessions}/{session_id}"),
            ("POST", f"{sessions}/{session_id}/exclude"), ("GET", f"/api/admin/studies/{self._opened.study}/export"),
            ("POST", "/api/admin/login"), ("GET", "/metrics"),
        ])  # fmt: skip
        headers = {**self._opened.headers, **self._one([{}, {"X-Understudy-Admin": "1"}])}
        return Shot("no_researcher", method, path, headers, b'{"reason":"mine","token":"guess"}')

    def _good(self) -> bytes:
        return json.dumps({"events": self._opened.batch}).encode()

    def _swapped(self, old: bytes, new: bytes) -> bytes:
        good = self._good()
        if old not in good:
            raise AssertionError(f"a sound body has no {old!r} to replace")
        return good.replace(old, new, 1)

    def _batch(self, kind: str, batch: Sequence[Any], target: Target | None = None) -> Shot:
        return self._events(kind, json.dumps({"events": batch}).encode(), target)

    def _events(self, kind: str, body: bytes, target: Target | None = None) -> Shot:
        aim = target or self._opened
        return Shot(kind, "POST", f"/api/s/{aim.study}/events", aim.headers, body)

    def _n(self, below: int) -> int:
        return int(self._rng.integers(max(1, below)))

    def _one(self, of: Sequence[Any]) -> Any:
        return of[self._n(len(of))]


def _is_object(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        return False
