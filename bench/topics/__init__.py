"""Topics: one file each, with the rows it can measure in `ROWS`."""

from measured import Bench
from topics import (
    bootstrap,
    command_line,
    decode,
    event_log,
    events,
    explainers,
    large_studies,
    maps,
    mixed_models,
    page,
    pictures,
    power,
    probe,
    probe_picture,
    rehearsal,
    scenes,
    shared_database,
    slopes,
    submissions,
)

TOPICS: dict[str, tuple[Bench, ...]] = {
    "command_line": command_line.ROWS,
    "bootstrap": bootstrap.ROWS,
    "mixed_models": mixed_models.ROWS,
    "slopes": slopes.ROWS,
    "rehearsal": rehearsal.ROWS,
    "event_log": event_log.ROWS,
    "power": power.ROWS,
    "submissions": submissions.ROWS,
    "shared_database": shared_database.ROWS,
    "events": events.ROWS,
    "page": page.ROWS,
    "large_studies": large_studies.ROWS,
    "decode": decode.ROWS,
    "probe": probe.ROWS,
    "probe_picture": probe_picture.ROWS,
    "explainers": explainers.ROWS,
    "maps": maps.ROWS,
    "pictures": pictures.ROWS,
    "scenes": scenes.ROWS,
}

__all__ = ["TOPICS"]
