"""Topics: one file each, with the rows it can measure in `ROWS`."""

from measured import Bench
from topics import bootstrap, decode, event_log, mixed_models, power, rehearsal

TOPICS: dict[str, tuple[Bench, ...]] = {
    "bootstrap": bootstrap.ROWS,
    "mixed_models": mixed_models.ROWS,
    "rehearsal": rehearsal.ROWS,
    "event_log": event_log.ROWS,
    "power": power.ROWS,
    "decode": decode.ROWS,
}

__all__ = ["TOPICS"]
