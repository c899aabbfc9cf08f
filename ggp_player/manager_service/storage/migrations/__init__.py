"""Alembic's scripts that bring a manager's database of an earlier version to the next, one each."""
