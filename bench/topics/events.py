"""Events: moves made durable per second while people stay on one trial, beside oTree's live pages."""

from functools import partial

from crowds import SEED, CrowdTiming, Plan, cores, otree_crowd, our_crowd
from load.ours import N_BATCH
from measured import Bench, Peer, Row, Timing
from otree_peer import VERSION
from peer_folder import NoPeer

N_CROWD = 20


def moves_stored(walk: str, is_quick: bool) -> Row:
    """Measure our batches beside oTree's messages."""
    seconds = 3.0 if is_quick else 6.0
    plan = Plan(at_once=N_CROWD, seconds=seconds, n_people=N_CROWD)
    ours = our_crowd(plan, "our-moves")
    peer = Peer("oTree live page", VERSION, None)
    try:
        theirs = otree_crowd(plan, walk)
        peer = peer._replace(seconds=theirs.seconds / theirs.n_events, note=_rates(theirs))
    except NoPeer as error:
        peer = peer._replace(note=f"peer not available: {error}")
    seconds_each = ours.seconds / ours.n_events
    n_theirs = N_BATCH if walk == "otree-batches" else 1
    return Row(
        what=f"Events made durable, ours in batches of {N_BATCH}, oTree's {n_theirs} in a message",
        n=ours.n_events,
        seed=SEED,
        ours=Timing(seconds_each, seconds_each, 1, "wall"),
        peer=peer,
        method=f"{seconds:g} s, {N_CROWD} people who stay on one trial and send moves as fast as they are acknowledged; "
        f"one row for each move. Ours over kept-alive HTTP, oTree's through the socket of a live page. One server "
        f"process, SQLite at full durability; {cores()}, which costs it {ours.generator_share:.0%} of its core.",
        reads=_rates(ours),
        target=">= 2,000 batched events/s",
    )


def _rates(met: CrowdTiming) -> str:
    per_s = met.n_events / met.seconds
    return f"{per_s:,.0f} events/s, {1000 * met.server_cpu_s / met.n_events:.2f} ms CPU each, p99 {met.p99_ms:.0f} ms"


ROWS = (
    Bench("one in a message", partial(moves_stored, "otree-moves")),
    Bench("in batches", partial(moves_stored, "otree-batches")),
)
