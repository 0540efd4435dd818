"""Submissions: an answer and 2 kB of moves made durable, and the next trial, over kept-alive HTTP, beside oTree."""

from crowds import N_TRIALS, SEED, CrowdTiming, Plan, cores, otree_crowd, our_crowd
from load.walks import N_MOVES
from measured import Bench, Peer, Row, Timing
from otree_peer import VERSION, NoPeer

N_CROWD, PAUSE_S = 300, 5.0


def at_saturation(is_quick: bool) -> Row:
    """Measure how many submissions fifty people get through who never pause."""
    seconds = 3.0 if is_quick else 10.0
    ours = our_crowd(Plan(at_once=50, seconds=seconds, n_people=5000))
    peer, theirs = _beside(Plan(at_once=50, seconds=seconds, n_people=120))
    return Row(
        what="Submissions at saturation, 50 people who never pause",
        n=ours.n,
        seed=SEED,
        ours=Timing(1 / ours.per_s, 1 / ours.per_s, 1, "wall"),
        peer=peer if theirs is None else peer._replace(seconds=1 / theirs.per_s, note=rates(theirs)),
        method=_method(ours, seconds),
        reads=rates(ours),
        target=">= 500/s and >= 10x oTree",
    )


def with_pauses(is_quick: bool) -> Row:
    """Measure how long 300 people wait who send a page every five seconds."""
    seconds = 6.0 if is_quick else 20.0
    plan = Plan(at_once=N_CROWD, seconds=seconds, n_people=2 * N_CROWD, pause_s=PAUSE_S)
    ours = our_crowd(plan)
    peer, theirs = _beside(plan)
    return Row(
        what=f"Wait for the next trial, {N_CROWD} people at one page per {PAUSE_S:g} s",
        n=ours.n,
        seed=SEED,
        ours=Timing(ours.p99_ms / 1000, ours.p99_ms / 1000, 1, "wall"),
        peer=peer if theirs is None else peer._replace(seconds=theirs.p99_ms / 1000, note=_waits(theirs)),
        method="The time is the 99th percentile. Pauses are exponential. "
        f"All {N_CROWD} arrive at once and wait {ours.arrival_p50_ms / 1000:.2f} s for their first trial in the "
        f"median{'' if theirs is None else f', with oTree {theirs.arrival_p50_ms / 1000:.2f} s'}. "
        + _method(ours, seconds),
        reads=_waits(ours),
        target="p99 < 50 ms",
    )


def _beside(plan: Plan) -> tuple[Peer, CrowdTiming | None]:
    try:
        return Peer("oTree", VERSION, None), otree_crowd(plan)
    except NoPeer as error:
        return Peer("oTree", VERSION, None, f"peer not available: {error}"), None


def rates(met: CrowdTiming) -> str:
    """Say how many submissions a crowd got through."""
    return f"{met.per_s:,.0f} submissions/s, {met.cpu_ms:.2f} ms CPU each, p50 {met.p50_ms:.0f} ms, p99 {met.p99_ms:.0f} ms"


def _waits(met: CrowdTiming) -> str:
    return (
        f"p50 {met.p50_ms:.1f} ms, p99 {met.p99_ms:.1f} ms, worst {met.worst_ms:.1f} ms over {met.n:,} submissions "
        f"({met.per_s:.0f}/s)"
    )


def _method(ours: CrowdTiming, seconds: float) -> str:
    return (
        f"{seconds:g} s; one submission is an answer with {N_MOVES} moves (2 kB of JSON) made durable, and the next "
        f"trial; {N_TRIALS} trials each, then the next person comes. One server process, SQLite at full durability; "
        f"{cores()}, which costs it {ours.generator_share:.0%} of its core. Ours started in {ours.start_s:.2f} s and held "
        f"{ours.memory_mib:.0f} MiB at the end."
    )


ROWS = (Bench("at saturation", at_saturation), Bench("with pauses", with_pauses))
