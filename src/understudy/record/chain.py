"""A chain of digests over commits, by which a lost or changed event is noticed.

Each commit adds a row with the number of its events and a digest over them and over the row before. An erased event
leaves its own digest, so that erasing does not look like damage. The chain finds damage and loss; it does not stop
somebody who can write to the database, who could compute it anew.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from understudy.record.database import count_writes
from understudy.record.run_folder import Acknowledged, Reached, Totals, mark_of
from understudy.record.tables import batches, erased_events, events, sessions, tombstones

_N_NAMED = 3
"""Sessions that a sentence names; more would not be read."""
_N_AT_ONCE = 2000


class Leaf(NamedTuple):
    """One event as the chain sees it."""

    position: int
    digest: str


class Damage(NamedTuple):
    """What the chain misses."""

    n_lost: int
    """Events that were stored and are gone."""
    n_changed: int
    """Commits that have all their events, but not as they were stored."""
    n_unknown: int
    """Events that no commit counts."""
    session_ids: tuple[str, ...]
    """The sessions that are affected and still have events in the log."""
    n_gone: int = 0
    """Sessions of which nothing is left."""
    n_undone: int = 0
    """Sessions that were erased and are there again."""
    n_other: int = 0
    """Transactions that are missing besides: registrations, payments, what was done at the desk."""

    @property
    def n_affected(self) -> int:
        """How many sessions the damage concerns."""
        return len(self.session_ids) + self.n_gone

    @property
    def told(self) -> str:
        """The damage in words, to continue a sentence that names the log."""
        found = [
            f"{n} {once if n == 1 else often}"
            for n, once, often in (
                (self.n_lost, "event that was stored is missing", "events that were stored are missing"),
                (self.n_changed, "commit does not hold what was stored", "commits do not hold what was stored"),
                (self.n_unknown, "event was added by another program", "events were added by another program"),
                (self.n_undone, "erasure of a session is undone", "erasures of sessions are undone"),
                (
                    self.n_other,
                    "other entry, such as a payment or a decision at the desk, is missing",
                    "other entries, such as payments or decisions at the desk, are missing",
                ),
            )
            if n
        ]
        named = ", ".join(self.session_ids[:_N_NAMED]) + (", …" if len(self.session_ids) > _N_NAMED else "")
        n, gone = self.n_affected, f", {self.n_gone} of them lost entirely" if self.n_gone else ""
        affected = f"; {n} session{' is' if n == 1 else 's are'} affected{gone}" if n else ""
        return f"is damaged: {' and '.join(found)}{affected}" + (f" (look at the sessions {named})" if named else "")


# Made once: building a statement takes longer than executing it.
_LAST_DIGEST = select(batches.c.digest).order_by(batches.c.number.desc()).limit(1)
# The position is read in the same statement; there is no other writer, so it is that of the event inserted last.
_ADD_BATCH = insert(batches).values(last_position=select(func.max(events.c.position)).scalar_subquery())


def seal(connection: Connection, bodies: Sequence[str]) -> int:
    """Add the row of a commit, after its events were inserted, and return its number."""
    before = connection.execute(_LAST_DIGEST).scalar()
    digest = _chained(before or "", map(digest_of, bodies))
    added = connection.execute(_ADD_BATCH, {"n_events": len(bodies), "digest": digest})
    return int((added.inserted_primary_key or (0,))[0])


def seal_all(connection: Connection) -> None:
    """Start the chain anew with one row for all events: in a log from before the chain, or after a loss was accepted."""
    connection.execute(delete(batches))
    n_events = position = 0

    def counted() -> Iterator[str]:
        nonlocal n_events, position
        for leaf in _leaves(connection):
            n_events, position = n_events + 1, leaf.position
            yield leaf.digest

    digest = _chained("", counted())
    if n_events:
        connection.execute(insert(batches), {"last_position": position, "n_events": n_events, "digest": digest})


def damage_in(connection: Connection) -> Damage | None:
    """Check every event against the chain; None if nothing is missing, changed or added."""
    leaves, before = _leaves(connection), ""
    n_lost = n_changed = n_unknown = first = 0
    damaged: list[tuple[int, int]] = []
    pending: Leaf | None = next(leaves, None)
    for row in connection.execute(select(batches).order_by(batches.c.number)).all():
        held: list[str] = []
        while pending is not None and pending.position <= row.last_position:
            held.append(pending.digest)
            pending = next(leaves, None)
        if _chained(before, held) != row.digest:
            n_lost += max(0, row.n_events - len(held))
            n_unknown += max(0, len(held) - row.n_events)
            n_changed += len(held) == row.n_events
            damaged.append((first, row.last_position))
        before, first = row.digest, row.last_position
    if pending is not None:
        n_unknown += 1 + sum(1 for _ in leaves)
        damaged.append((first, 2**62))
    return Damage(n_lost, n_changed, n_unknown, _sessions_at(connection, damaged)) if damaged else None


def missing_in(connection: Connection, acknowledged: Acknowledged) -> Damage | None:
    """Compare the log with what was acknowledged; None if it has everything."""
    # Read before the log is: another process may store more meanwhile, and note it, which this connection would not see.
    lines, n_writes = tuple(acknowledged.reached()), acknowledged.totals().n_writes
    counted = select(sessions.c.number, sessions.c.session_id, func.count(events.c.position)).outerjoin(events)
    held = {row[0]: row[1:] for row in connection.execute(counted.group_by(sessions.c.number, sessions.c.session_id))}
    erased = {mark_of(stone) for stone in connection.execute(select(tombstones.c.session_id)).scalars()}
    n_lost = n_gone = 0
    short: list[str] = []
    undone: list[str] = []
    for line in lines:
        session_id, n_events = held.get(line.number, ("", 0))
        if not session_id or mark_of(session_id) != line.mark:
            is_missed = line.n_events is not None and line.mark not in erased
            n_gone += is_missed
            n_lost += (line.n_events or 0) * is_missed
        elif line.n_events is None:
            undone.append(session_id)
        elif line.n_events > n_events:
            short.append(session_id)
            n_lost += line.n_events - n_events
    n_other = max(0, n_writes - count_writes(connection)) - len(undone)
    if not n_lost and not undone and n_other <= 0:
        return None
    return Damage(n_lost, 0, 0, (*short, *undone), n_gone=n_gone, n_undone=len(undone), n_other=max(0, n_other))


def totals_in(connection: Connection) -> Totals:
    """Return how far the log is."""
    last = connection.execute(select(func.max(batches.c.number))).scalar()
    return Totals(count_writes(connection), last or 0)


def both(in_chain: Damage | None, missing: Damage | None) -> Damage | None:
    """Return what the chain and the list of what was acknowledged say together."""
    if in_chain is None or missing is None:
        return in_chain or missing
    # An event in the middle is missed by both, so the larger number counts.
    return missing._replace(
        n_lost=max(in_chain.n_lost, missing.n_lost), n_changed=in_chain.n_changed, n_unknown=in_chain.n_unknown,
        session_ids=tuple(dict.fromkeys((*in_chain.session_ids, *missing.session_ids))),
    )  # fmt: skip


def reached_in(connection: Connection) -> list[Reached]:
    """Return how far every session in the log is."""
    counted = select(sessions.c.number, sessions.c.session_id, func.count(events.c.position)).join(events)
    rows = connection.execute(counted.group_by(sessions.c.number, sessions.c.session_id))
    return [Reached(number, mark_of(session_id), n_events) for number, session_id, n_events in rows]


def digest_of(body: str) -> str:
    """Return the digest of one stored event."""
    return hashlib.sha256(body.encode()).hexdigest()


def keep_digests(connection: Connection, session_number: int) -> None:
    """Keep the digests of the events of a session that is about to be erased."""
    query = select(events.c.position, events.c.body).where(events.c.session_number == session_number)
    rows = [{"position": row.position, "digest": digest_of(row.body)} for row in connection.execute(query)]
    if rows:
        connection.execute(insert(erased_events), rows)


def _chained(before: str, digests: Iterable[str]) -> str:
    chained = hashlib.sha256(before.encode())
    for digest in digests:
        chained.update(digest.encode())
    return chained.hexdigest()


def _leaves(connection: Connection) -> Iterator[Leaf]:
    """Yield every event in the order of commitment, erased ones by the digest they left."""
    erased = (Leaf(*row) for row in connection.execute(select(erased_events).order_by(erased_events.c.position)).all())
    return merge(_stored_leaves(connection), erased)


def _stored_leaves(connection: Connection) -> Iterator[Leaf]:
    query = select(events.c.position, events.c.body).order_by(events.c.position).limit(_N_AT_ONCE)
    last = 0
    # Page by page: the driver of PostgreSQL would otherwise hold the whole log in memory.
    while rows := connection.execute(query.where(events.c.position > last)).all():
        last = rows[-1].position
        yield from (Leaf(row.position, digest_of(row.body)) for row in rows)


def _sessions_at(connection: Connection, ranges: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for first, last in ranges:
        query = select(sessions.c.session_id).join(events).distinct()
        within = query.where(events.c.position > first, events.c.position <= last)
        found |= dict.fromkeys(connection.execute(within).scalars())
    return tuple(found)
