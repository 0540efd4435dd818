"""Version 0002: registrations of frozen studies."""

from alembic import op

from understudy.record.tables import row_number, texts

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table of registrations."""
    op.create_table("registrations", row_number(), *texts("study_name", "body"), sqlite_autoincrement=True)
