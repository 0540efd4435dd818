"""Version 0004: a chain of digests over commits, and what several processes on one database share."""

import sqlalchemy as sa
from alembic import op

from understudy.record.chain import seal_all

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables, and seal the events that are there."""
    op.create_table(
        "batches",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("last_position", sa.BigInteger, nullable=False),
        sa.Column("n_events", sa.Integer, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "erased_events",
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("digest", sa.Text, nullable=False),
    )
    op.create_table(
        "losses",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("found_ms", sa.BigInteger, nullable=False),
        sa.Column("told", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "people",
        sa.Column("study_name", sa.Text, primary_key=True),
        sa.Column("participant_id", sa.Text, primary_key=True),
        sa.Column("fields", sa.Text, nullable=False),
    )
    op.create_table(
        "agreements",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    seal_all(op.get_bind())
