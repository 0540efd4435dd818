"""Shared database: the same submissions with one and with two server processes on one PostgreSQL, compared with oTree."""

from functools import partial

from crowds import N_TRIALS, SEED, CrowdTiming, Plan, Sharing, otree_crowd, our_crowd
from load.walks import N_MOVES
from measured import Bench, Peer, Row, Timing
from otree_peer import VERSION
from peer_folder import NoPeer
from topics.event_log import postgres_place
from topics.submissions import rates

N_AT_ONCE = 50


def at_saturation(n_servers: int, is_quick: bool) -> Row:
    """Measure how many submissions fifty people get through who never pause."""
    seconds = 3.0 if is_quick else 10.0
    with postgres_place() as url:
        ours = our_crowd(Plan(N_AT_ONCE, seconds, n_people=5000), sharing=Sharing(n_servers, url))
    peer, theirs = _otree(Plan(N_AT_ONCE, seconds, n_people=120), n_servers)
    processes = "1 server process" if n_servers == 1 else f"{n_servers} server processes"
    return Row(
        what=f"Submissions on PostgreSQL, {processes}, {N_AT_ONCE} people who never pause",
        n=ours.n,
        seed=SEED,
        ours=Timing(1 / ours.per_s, 1 / ours.per_s, 1, "wall"),
        peer=peer if theirs is None else peer._replace(seconds=1 / theirs.per_s, note=rates(theirs)),
        method=f"{seconds:g} s; one submission is an answer with {N_MOVES} moves (2 kB of JSON) made durable, and the "
        f"next trial; {N_TRIALS} trials each, then the next person comes. The servers, the database (fsync on) and the "
        f"generator share all cores; the generator takes {ours.generator_share:.0%} of one. Everybody stays with one "
        "process. CPU is that of the server processes, without the database.",
        reads=rates(ours),
        target=">= 5x oTree",
    )


def _otree(plan: Plan, n_servers: int) -> tuple[Peer, CrowdTiming | None]:
    try:
        with postgres_place() as url:
            return Peer("oTree", VERSION, None), otree_crowd(plan, sharing=Sharing(n_servers, url))
    except NoPeer as error:
        return Peer("oTree", VERSION, None, f"peer not available: {error}"), None


ROWS = tuple(
    Bench(f"{n_servers} on PostgreSQL", partial(at_saturation, n_servers)) for n_servers in (1, 2)
)  # fmt: skip
