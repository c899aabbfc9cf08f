"""The first tables: no program makes them any more."""

revision = "archive_1"
down_revision = None
