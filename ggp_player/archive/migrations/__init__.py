"""Alembic's scripts that bring an archive of an earlier version to the next, one each."""
