"""Solvers: the exact value of every legal move of a position.

:class:`.MoveSolver` is what they have in common. :class:`.ProofSolver` solves any game of two
rivals that move in turn, by the proof search of the player; :class:`.ConnectFourSolver` knows
connect four, :class:`.HexSolver` hex and :class:`.ReversiSolver` reversi; they solve earlier
positions of these.
"""

from ggp_player.lab.positions.solving.connect_four import ConnectFourSolver
from ggp_player.lab.positions.solving.hex import HexSolver
from ggp_player.lab.positions.solving.move_solver import (
    MoveSolution,
    MoveSolver,
    textbook_values,
)
from ggp_player.lab.positions.solving.proof_solver import ProofSolver
from ggp_player.lab.positions.solving.reversi import ReversiSolver

__all__ = [
    "ConnectFourSolver",
    "HexSolver",
    "MoveSolution",
    "MoveSolver",
    "ProofSolver",
    "ReversiSolver",
    "textbook_values",
]
