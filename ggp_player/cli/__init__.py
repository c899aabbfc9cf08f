"""The commands of ``ggp-player``, one a module.

``ggp_player.__main__`` lists them. In come the arguments of the command line, out go texts on the
standard output; the work is done by the packages below. ``options`` has what several commands
share: start reading there.
"""
