"""Names of players belong to the tokens that registered them."""

from alembic import op
from sqlalchemy import BigInteger, Column, String

revision = "manager_2"
down_revision = "manager_1"


def upgrade() -> None:
    """Have the names of registered players belong to the tokens that registered them."""
    op.create_table(
        "names",
        Column("name", String(80), primary_key=True),
        Column("owner", String(80), nullable=False),
        Column("since", BigInteger, nullable=False),
        if_not_exists=True,
    )
    op.execute(
        "INSERT INTO names SELECT name, owner, added FROM players"
        " WHERE owner <> '' AND name NOT IN (SELECT name FROM names)"
    )
