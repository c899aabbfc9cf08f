"""The commands of ``gdl``, one a module."""
