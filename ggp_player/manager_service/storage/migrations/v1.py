"""The first tables: no program makes them any more."""

revision = "manager_1"
down_revision = None
