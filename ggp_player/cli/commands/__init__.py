"""The command lines of ``ggp-player``: arguments, options and help of each command.

Each command imports what it does, from the module of its name in :mod:`ggp_player.cli`, when it is
called, so that its help costs no more than to print it. ``arguments`` has what commands share.
"""
