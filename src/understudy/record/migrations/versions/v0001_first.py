"""Version 0001: sessions, events, tombstones."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the three tables."""
    op.create_table(
        "sessions",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("study_name", sa.Text, nullable=False),
        sa.Column("study_digest", sa.Text, nullable=False),
        sa.Column("participant_id", sa.Text, nullable=False),
        sa.Column("participant_kind", sa.Text, nullable=False),
        sa.Column("assignment", sa.Text, nullable=False),
        sa.Column("started_ms", sa.BigInteger, nullable=False),
        sa.Column("last_event_ms", sa.BigInteger, nullable=False),
        sa.Column("outcome", sa.Text),
        sa.Column("excluded_by", sa.Text),
        sa.UniqueConstraint("session_id", name="uq_sessions_session_id"),
        sa.UniqueConstraint("study_name", "participant_id", name="uq_sessions_participant"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "events",
        sa.Column("position", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("session_number", sa.Integer, nullable=False),
        sa.Column("stream", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["session_number"], ["sessions.number"], name="fk_events_session"),
        sa.UniqueConstraint("session_number", "stream", "seq", name="uq_events_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_session_position", "events", ["session_number", "position"])
    op.create_table(
        "tombstones",
        sa.Column("session_id", sa.Text, primary_key=True),
        sa.Column("study_name", sa.Text, nullable=False),
        sa.Column("condition", sa.Text, nullable=False),
        sa.Column("participant_kind", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text),
        sa.Column("is_excluded", sa.Boolean, nullable=False),
        sa.Column("erased_ms", sa.BigInteger, nullable=False),
    )
