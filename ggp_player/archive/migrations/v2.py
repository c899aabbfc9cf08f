"""Seats have outcomes, and lists of matches indexes."""

from alembic import op

revision = "archive_2"
down_revision = "archive_1"

_OUTCOMES = """
UPDATE seats SET outcome = CASE
    WHEN EXISTS (SELECT 1 FROM seats o WHERE o.match = seats.match AND o.goal IS NULL) THEN ''
    WHEN goal > (SELECT max(o.goal) FROM seats o
                 WHERE o.match = seats.match AND o.place <> seats.place) THEN 'win'
    WHEN goal < (SELECT max(o.goal) FROM seats o
                 WHERE o.match = seats.match AND o.place <> seats.place) THEN 'loss'
    WHEN 1 < (SELECT count(*) FROM seats o WHERE o.match = seats.match) THEN 'draw'
    WHEN goal = 100 THEN 'win' WHEN goal = 0 THEN 'loss' ELSE 'draw' END
"""


def upgrade() -> None:
    """Find the outcomes from the goal values."""
    op.execute("ALTER TABLE seats ADD COLUMN outcome TEXT NOT NULL DEFAULT ''")
    op.execute(_OUTCOMES)
    op.create_index("matches_by_game", "matches", ["game", "start_time", "number"])
    op.create_index("matches_by_status", "matches", ["status", "start_time", "number"])
    op.create_index("matches_by_rules", "matches", ["rules_hash"])
    op.create_index("seats_by_player", "seats", ["player", "match", "role", "goal", "outcome"])
    op.create_index("seats_by_role", "seats", ["role", "match", "player", "goal", "outcome"])
    op.create_index("seats_by_outcome", "seats", ["outcome", "match"])
    op.create_index("seats_by_goal", "seats", ["goal", "match"])
