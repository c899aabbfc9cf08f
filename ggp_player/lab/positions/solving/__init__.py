"""Solvers: the exact value of every legal move of a position.

:class:`.MoveSolver` is what they have in common. :class:`.ProofSolver` solves any game of two
rivals that move in turn, by the proof search of the player; :class:`.ConnectFourSolver` knows
connect four, :class:`.HexSolver` hex and :class:`.ReversiSolver` reversi; they solve earlier
positions of these.
"""
