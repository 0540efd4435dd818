"""Version 0005: the ledger of payments."""

from alembic import op

from understudy.record.tables import journal

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the table of payment steps."""
    op.create_table("pay_entries", *journal("pay_entries", "study_name", "session_hash"), sqlite_autoincrement=True)
