"""What many matches and many viewers do to a player server: ``python -m tests.load --help``."""
