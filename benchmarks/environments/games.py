"""The games that are compared: what they are called in each library."""

from __future__ import annotations

from dataclasses import dataclass

from gdl.game_library import find_own_game

SMALL_BOARD, LARGE_BOARD = 6, 11
"""The sizes of hex: that of our rulesheet, and that of the others' default."""


@dataclass(frozen=True, slots=True)
class Game:
    """One game; a name is empty where a library does not have it.

    ``own`` is the name of our rulesheet, ``size`` of its board where it is another than there.
    ``pgx_envs`` is how many environments Pgx has at most, as chess takes it megabytes for each.
    """

    title: str
    own: str
    pgx: str = ""
    pettingzoo: str = ""
    openspiel: str = ""
    size: int = 0
    pgx_envs: int = 2**20

    @property
    def rules(self) -> str:
        """The text of the rules."""
        file = find_own_game(self.own)
        assert file is not None
        text = file.read_text(encoding="utf-8")
        return hex_of(text, self.size) if self.size else text


GAMES = (
    Game("tic-tac-toe", "ticTacToe", "tic_tac_toe", "tictactoe_v3", "tic_tac_toe"),
    Game("connect four", "connectFour", "connect_four", "connect_four_v3", "connect_four"),
    Game("Othello (`reversi`)", "reversi", "othello", "", "othello"),
    Game("hex, 11 x 11", "hex", "hex", "", "hex(board_size=11)", size=LARGE_BOARD),
    Game("hex, 6 x 6", "hex", "", "", "hex(board_size=6)"),
    Game("breakthrough", "breakthrough", "", "", "breakthrough"),
    Game("amazons", "amazons", "", "", "amazons"),
    Game("chess", "chess", "chess", "chess_v6", "chess", pgx_envs=512),
)
"""In the order of the table."""


def hex_of(text: str, size: int) -> str:
    """Return the rules of hex on a board of another size. Raises ValueError if they differ."""
    small, numbers = range(1, SMALL_BOARD + 1), range(1, size + 1)
    changes = {
        " ".join(f"(number {n})" for n in small): " ".join(f"(number {n})" for n in numbers),
        _follow(SMALL_BOARD): _follow(size),
        f"(farEdge red ?x {SMALL_BOARD})": f"(farEdge red ?x {size})",
        f"(farEdge blue {SMALL_BOARD} ?y)": f"(farEdge blue {size} ?y)",
    }
    for old, new in changes.items():
        if text.count(old) != 1:
            raise ValueError(f"the rules of hex should have {old!r} once")
        text = text.replace(old, new)
    return text


def _follow(size: int) -> str:
    return " ".join(f"(after {n} {n + 1})" for n in range(1, size))
