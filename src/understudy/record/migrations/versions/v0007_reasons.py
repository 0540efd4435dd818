"""Version 0007: why researchers did something, such as learning the names of conditions in a running study."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column of reasons."""
    op.add_column("desk_actions", sa.Column("reason", sa.Text))
