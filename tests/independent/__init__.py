"""Our games once more, in plain Python, as a second route to everything that is counted."""

from __future__ import annotations

from typing import Any

from tests.independent.boards import Breakthrough, Hex, Nim, Reversi
from tests.independent.chance import (
    CodeBreaker,
    CountThenLine,
    DiceRace,
    FourCups,
    KuhnPoker,
    PhantomTicTacToe,
    Pig,
)
from tests.independent.chess import Chess
from tests.independent.game import Game
from tests.independent.lines import ConnectFour, TicTacToe, Trefoil
from tests.independent.marks import Bridges, DotsAndBoxes, NineBoards, Pentago, Quarto
from tests.independent.pieces import Amazons, Draughts, Kalah, StarHalma, WolfAndSheep
from tests.independent.planning import BlocksWorld, KeyMaze, Warehouse
from tests.independent.puzzles import (
    EightPuzzle,
    EightQueens,
    KnightsTour,
    LightsOut,
    TowersOfHanoi,
)
from tests.independent.rounds import Goofspiel, HandDuel, LoneNumber, SealedBids, ThreeHills
from tests.independent.search import Pancakes, PegSolitaire, SudokuSmall
from tests.independent.simultaneous import Fishery, Tron
from tests.independent.together import BiddingTicTacToe, PowderKegs, RopeTeam, TownChase, TwinBoards

GAMES: dict[str, Game[Any]] = {
    "amazons": Amazons(),
    "biddingTicTacToe": BiddingTicTacToe(),
    "blocksWorld": BlocksWorld(),
    "breakthrough": Breakthrough(),
    "bridges": Bridges(),
    "chess": Chess(),
    "codeBreaker": CodeBreaker(),
    "connectFour": ConnectFour(),
    "countThenLine": CountThenLine(),
    "diceRace": DiceRace(),
    "dotsAndBoxes": DotsAndBoxes(),
    "draughts": Draughts(),
    "eightPuzzle": EightPuzzle(),
    "eightQueens": EightQueens(),
    "fishery": Fishery(),
    "fourCups": FourCups(),
    "goofspiel": Goofspiel(),
    "handDuel": HandDuel(),
    "hex": Hex(),
    "kalah": Kalah(),
    "keyMaze": KeyMaze(),
    "knightsTour": KnightsTour(),
    "kuhnPoker": KuhnPoker(),
    "lightsOut": LightsOut(),
    "loneNumber": LoneNumber(),
    "nim": Nim(),
    "nineBoards": NineBoards(),
    "pancakes": Pancakes(),
    "pegSolitaire": PegSolitaire(),
    "pentago": Pentago(),
    "phantomTicTacToe": PhantomTicTacToe(),
    "pig": Pig(),
    "powderKegs": PowderKegs(),
    "quarto": Quarto(),
    "reversi": Reversi(),
    "ropeTeam": RopeTeam(),
    "sealedBids": SealedBids(),
    "starHalma": StarHalma(),
    "sudokuSmall": SudokuSmall(),
    "threeHills": ThreeHills(),
    "ticTacToe": TicTacToe(),
    "towersOfHanoi": TowersOfHanoi(),
    "townChase": TownChase(),
    "trefoil": Trefoil(),
    "tron": Tron(),
    "twinBoards": TwinBoards(),
    "warehouse": Warehouse(),
    "wolfAndSheep": WolfAndSheep(),
}
"""The rulesheet's name without its ending, and the game."""
