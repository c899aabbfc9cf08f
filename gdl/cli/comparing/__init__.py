"""The commands that compare: games with each other, and engines of others with ours.

``diff`` compares two rulesheets; ``serve_oracle`` answers the requests of another program. The work
is done by :mod:`gdl.oracle`.
"""
