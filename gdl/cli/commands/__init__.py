"""The command lines of ``gdl``: arguments, options and help of each command that is slow to import.

Each command imports what it does, from the module of its name in :mod:`gdl.cli`, when it is called,
so that its help costs no more than to print it. :mod:`gdl.cli.arguments` has what they share.
"""
