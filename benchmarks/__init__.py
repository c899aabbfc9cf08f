"""Benchmarks that need packages of others, which the project does without otherwise.

They are no part of what is installed, nor of the sdist; each folder has a page that says what to
install, and the command that makes the tables of a page in ``docs/``.
"""
