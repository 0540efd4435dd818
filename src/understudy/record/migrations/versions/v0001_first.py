"""Version 0001: sessions, events, tombstones."""

import sqlalchemy as sa
from alembic import op

from understudy.record.tables import counts, key_texts, large_counts, optional_texts, row_number, texts

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the three tables."""
    op.create_table(
        "sessions",
        row_number(),
        *texts("session_id", "study_name", "study_digest", "participant_id", "participant_kind", "assignment"),
        *large_counts("started_ms", "last_event_ms"),
        *optional_texts("outcome", "excluded_by"),
        sa.UniqueConstraint("session_id", name="uq_sessions_session_id"),
        sa.UniqueConstraint("study_name", "participant_id", name="uq_sessions_participant"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "events",
        sa.Column("position", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        *counts("session_number"),
        *texts("stream"),
        *counts("seq"),
        *texts("body"),
        sa.ForeignKeyConstraint(["session_number"], ["sessions.number"], name="fk_events_session"),
        sa.UniqueConstraint("session_number", "stream", "seq", name="uq_events_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_session_position", "events", ["session_number", "position"])
    op.create_table(
        "tombstones",
        *key_texts("session_id"),
        *texts("study_name", "condition", "participant_kind"),
        *optional_texts("outcome"),
        sa.Column("is_excluded", sa.Boolean, nullable=False),
        *large_counts("erased_ms"),
    )
