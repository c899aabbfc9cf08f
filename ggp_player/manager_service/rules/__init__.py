"""Rulesheets of strangers, evaluated in processes of their own.

``rules_process`` is such a process, and ``rules_pool`` has those of all games, with a state machine
that asks one of them.
"""
