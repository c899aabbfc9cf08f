"""Attacks and faults beside a match, over a real server process, and what they cost it.

``python -m tests.attack`` runs them one after the other and prints a table. :mod:`.attacks` has
what strangers do, :mod:`.faults` what happens to the processes; each is in a registry, which says
whether it is known to cost nothing. :mod:`.scenario` plays matches beside some of them, and
:mod:`.bystander` is the game manager of these matches. Everything is on this machine's loopback.
"""
