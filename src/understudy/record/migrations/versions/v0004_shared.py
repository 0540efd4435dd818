"""Version 0004: a chain of digests over commits, and what several processes on one database share."""

import sqlalchemy as sa
from alembic import op

from understudy.record.chain import seal_all
from understudy.record.tables import counts, key_texts, large_counts, row_number, texts

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables, and seal the events that are there."""
    chained = [*large_counts("last_position"), *counts("n_events"), *texts("digest")]
    op.create_table("batches", row_number(), *chained, sqlite_autoincrement=True)
    position = sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False)
    op.create_table("erased_events", position, *texts("digest"))
    op.create_table("losses", row_number(), *large_counts("found_ms"), *texts("told"), sqlite_autoincrement=True)
    op.create_table("people", *key_texts("study_name", "participant_id"), *texts("fields"))
    op.create_table("agreements", *key_texts("name"), *texts("value"))
    seal_all(op.get_bind())
