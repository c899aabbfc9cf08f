"""Matches have sizes, by which the archive is kept within its limit."""

from alembic import op

revision = "archive_3"
down_revision = "archive_2"

_SIZES = """
UPDATE matches SET size =
    coalesce((SELECT length(text) FROM rules WHERE hash = rules_hash), 0)
    + coalesce((SELECT sum(length(joint_move) + length(errors) + length(seconds))
                FROM steps WHERE match = number), 0)
    + coalesce((SELECT sum(length(move) + length(note) + length(line) + length(search))
                FROM choices WHERE match = number), 0)
    + coalesce((SELECT sum(length(text)) FROM problems WHERE match = number), 0)
    + coalesce((SELECT length(data) FROM documents WHERE match = number), 0)
"""


def upgrade() -> None:
    """Measure the matches that there are."""
    op.execute("ALTER TABLE matches ADD COLUMN size INTEGER NOT NULL DEFAULT 0")
    op.execute(_SIZES)
    op.create_index("matches_by_size", "matches", ["size"])
    op.create_index("matches_by_manager", "matches", ["manager", "number"])
