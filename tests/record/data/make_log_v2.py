"""Makes log-v2.sqlite: the same story as in log-v1.sqlite, in a log of version 0002, which also has a registration.

Run once, with version 0002 of the log.
"""

from datetime import UTC, datetime
from pathlib import Path

from tests.record.data.make_log_v1 import story
from understudy.record import open_log
from understudy.schema import Registration

if __name__ == "__main__":
    with open_log(Path(__file__).parent / "log-v2.sqlite", clock=lambda: 1_700_000_009_000) as log:
        log.register(
            Registration(
                study_name="dials",
                study_digest="0" * 64,
                plan_digest="1" * 64,
                frozen_at=datetime(2023, 11, 14, 22, 0, tzinfo=UTC),
                entered_ms=0,
                n_sessions_before=0,
            )
        )
        log.append(story("kept"))
        log.append(story("gone"))
        log.erase("gone")
