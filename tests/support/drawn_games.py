"""Our games with their layouts, and states of them to draw."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from random import Random

from gdl.analysis.boards import BoardLayout, function_of
from gdl.analysis.move_names import MoveNames
from gdl.drawing import layout_of, move_names_of
from gdl.playouts import play_out
from gdl.state_machine import State
from tests.support.compiled_games import NAMES, reasoner_of, rules_of
from tests.support.paths import GAMES


@cache
def layout_of_game(name: str) -> BoardLayout:
    """Return the layout of a game of ours, with its layout file where it has one."""
    return layout_of(rules_of(name))


@cache
def names_of_game(name: str) -> MoveNames:
    """Return the names of the moves of a game of ours."""
    return move_names_of(rules_of(name))


def states_of(name: str, steps: int = 12, seed: int = 1) -> list[State]:
    """Return the states of a random match."""
    return [step.state for step in play_out(reasoner_of(name), Random(seed), steps)]


def steps_of(name: str, steps: int = 12, seed: int = 1) -> Iterator[tuple[State, State]]:
    """Yield the states of a random match in pairs, each with the next."""
    return pairwise(states_of(name, steps, seed))


def move_table() -> str:
    """The table of ``docs/boards.md``: what a move of each kind is called in each of our games."""
    lines = ["| game | moves in the rules, and their names |", "|---|---|"]
    for name in NAMES:
        machine, names = reasoner_of(name), names_of_game(name)
        found: dict[tuple[str, int], str] = {}
        for number in range(3):
            for step in play_out(machine, Random(number), 80):
                for move in sorted({move for legal in step.options for move in legal}, key=str):
                    said = "*waits*" if names.waits(move) else names.name(move)
                    if said != str(move):
                        found[function_of(move)] = f"`{move}` {said}"
        kinds = ", ".join(found[function] for function in sorted(found))
        lines.append(f"| {name} | {kinds or 'as they are'} |")
    return "\n".join(lines)


def table() -> str:
    """The table of ``docs/boards.md``: how the boards of each of our games were found."""
    lines = ["| game | boards | beside them | layout file |", "|---|---|---|---|"]
    for name in NAMES:
        layout = layout_of_game(name)
        boards = "<br>".join(
            f"{board.shape.value}, {len(board.places)} places: {board.found_by}"
            for board in layout.boards
        )
        beside = [*layout.turn, *(score for score, _ in layout.scores)]
        beside += layout.counters
        file = "yes" if (GAMES / f"{name}.board.toml").exists() else ""
        lines.append(f"| {name} | {boards or 'table'} | {', '.join(beside)} | {file} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(), move_table(), sep="\n\n")
