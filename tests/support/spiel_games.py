"""Our games beside OpenSpiel's own, and what can be counted in either."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspiel

from gdl.openspiel import load_game
from tests.support.paths import GAMES
from tests.support.small_games import changed

ROCK_PAPER_SCISSORS = """
(role left) (role right) (init start)
(hand rock) (hand paper) (hand scissors)
(beats rock scissors) (beats scissors paper) (beats paper rock)
(opponent left right) (opponent right left)
(<= (legal ?r ?h) (role ?r) (hand ?h))
(<= (next (showed ?r ?h)) (does ?r ?h))
(<= (wins ?r) (opponent ?r ?o) (true (showed ?r ?a)) (true (showed ?o ?b)) (beats ?a ?b))
(<= won (wins ?r))
(<= terminal (true (showed left ?h)))
(<= (goal ?r 100) (wins ?r))
(<= (goal ?r 0) (opponent ?r ?o) (wins ?o))
(<= (goal ?r 50) (role ?r) (not won))
"""


def small_hex() -> str:
    """Hex on 3 x 3 cells."""
    return changed(
        "hex",
        ("(number 4) (number 5) (number 6)", ""),
        ("(after 3 4) (after 4 5) (after 5 6)", ""),
        ("(farEdge red ?x 6)", "(farEdge red ?x 3)"),
        ("(farEdge blue 6 ?y)", "(farEdge blue 3 ?y)"),
    )


def small_breakthrough() -> str:
    """Breakthrough on 3 x 3 squares, with a rank of pawns each."""
    return changed(
        "breakthrough",
        ("(number 4) (number 5) (number 6) (number 7) (number 8)", ""),
        ("(after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8)", ""),
        ("(home white 2) (home black 7) (home black 8)", "(home black 3)"),
        ("(farRank white 8)", "(farRank white 3)"),
    )


def small_connect_four() -> str:
    """Connect four on four columns of three places."""
    return changed(
        "connectFour",
        ("(column 5) (column 6) (column 7)", ""),
        ("(level 4) (level 5) (level 6)", ""),
        ("(after 4 5) (after 5 6) (after 6 7)", "(after 4 5)"),
        ("(after 1 2) (after 2 3) (after 3 4)", "(after 1 2) (after 2 3) (after 3 4)"),
    )


def small_goofspiel(cards: int) -> str:
    """Goofspiel with fewer cards."""
    return changed(
        "goofspiel",
        (
            "(card 1) (card 2) (card 3) (card 4) (card 5)",
            " ".join(f"(card {number})" for number in range(1, cards + 1)),
        ),
        ("(init (prize 5))", f"(init (prize {cards}))"),
    )


def kuhn_in_two_deals() -> str:
    """Kuhn poker in which chance deals one card after the other, as OpenSpiel does."""
    return changed(
        "kuhnPoker",
        ("(base (to deal))", "(base (to deal)) (base (to dealAgain))"),
        (
            "(<= (input random (deal ?one ?two))\n  (card ?one)\n  (card ?two)\n"
            "  (distinct ?one ?two))",
            "(<= (input random (deal ?card))\n  (card ?card))",
        ),
        (
            "(<= (legal random (deal ?one ?two))\n  (true (to deal))\n  (card ?one)\n"
            "  (card ?two)\n  (distinct ?one ?two))\n"
            "(<= (legal random noop)\n  (not (true (to deal))))",
            "(<= dealing (true (to deal)))\n(<= dealing (true (to dealAgain)))\n"
            "(<= (legal random (deal ?card))\n  dealing\n  (card ?card)\n"
            "  (not (true (holds first ?card))))\n"
            "(<= (legal random noop)\n  (not dealing))",
        ),
        (
            "(does random (deal ?card ?other)))\n(<= (next (holds second ?card))\n"
            "  (does random (deal ?other ?card)))",
            "(does random (deal ?card))\n  (true (to deal)))\n(<= (next (holds second ?card))\n"
            "  (does random (deal ?card))\n  (true (to dealAgain)))",
        ),
        (
            "(<= (next (to (act first)))\n  (true (to deal)))",
            "(<= (next (to dealAgain))\n  (true (to deal)))\n"
            "(<= (next (to (act first)))\n  (true (to dealAgain)))",
        ),
        (
            "(does random (deal ?card ?other)))\n(<= (sees second (yourCard ?card))\n"
            "  (does random (deal ?other ?card)))",
            "(does random (deal ?card))\n  (true (to deal)))\n(<= (sees second (yourCard ?card))\n"
            "  (does random (deal ?card))\n  (true (to dealAgain)))",
        ),
    )


def ours(name: str, **options: Any) -> Any:
    """One of our games, as a game of OpenSpiel."""
    return load_game(GAMES / f"{name}.kif", **options)


def written(text: str, folder: Path, **options: Any) -> Any:
    """The game of a rulesheet, as a game of OpenSpiel."""
    path = folder / "game.kif"
    path.write_text(text)
    return load_game(path, **options)


# ---------------------------------------------------------------------- counting


def kind_of(state: Any) -> str:
    """What kind of node a state is; the utilities if it is the last one."""
    if state.is_terminal():
        return f"end {[round(value, 6) + 0.0 for value in state.returns()]}"
    if state.is_chance_node():
        return f"chance {sorted(round(p, 6) for _, p in state.chance_outcomes())}"
    if state.is_simultaneous_node():
        return "simultaneous"
    return f"player {state.current_player()}"


def text_of(state: Any) -> str:
    """What a state is, without the way to it: its text, which may leave out whose turn it is."""
    return f"{state.current_player()} {state}"


def children(state: Any) -> list[Any]:
    """The states after each action, or after each joint action."""
    if state.is_terminal():
        return []
    if not state.is_simultaneous_node():
        return [state.child(action) for action in state.legal_actions()]
    found = []
    options = [state.legal_actions(player) for player in range(state.num_players())]
    for actions in itertools.product(*options):
        after = state.clone()
        after.apply_actions(list(actions))
        found.append(after)
    return found


@dataclass(frozen=True)
class Survey:
    """What can be counted in a game, to a depth.

    ``states`` is the number of different states. ``histories`` counts all histories by the kind of
    their last node. ``value`` is the first player's by minimax, where all is seen.
    """

    states: int
    histories: Counter[str]
    value: float


def survey(game: Any, depth: int = -1) -> Survey:
    """Count states and histories, to a depth if it is not negative.

    What is below equal states is counted once and multiplied: this is for games of two players in
    turn, or at the same time, in which the text of a state is all that matters for its future.
    """
    limit = game.max_game_length() + game.max_chance_nodes_in_history() if depth < 0 else depth
    known: dict[tuple[str, int], tuple[Counter[str], float]] = {}

    def below(state: Any, left: int) -> tuple[Counter[str], float]:
        key = text_of(state), left if depth >= 0 else 0
        if key not in known:
            counts = Counter([kind_of(state)])
            values = []
            for after in children(state) if left else ():
                histories, value = below(after, left - 1)
                counts += histories
                values.append(value)
            best = max if state.current_player() == 0 else min
            ends = not values and state.is_terminal()
            known[key] = counts, state.returns()[0] if ends else best(values, default=0.0)
        return known[key]

    histories, value = below(game.new_initial_state(), limit)
    return Survey(len({text for text, _ in known}), histories, value)


def nodes(game: Any) -> Counter[str]:
    """Count all histories by the kind of their last node, one by one."""
    counts: Counter[str] = Counter()
    open_nodes = [game.new_initial_state()]
    while open_nodes:
        state = open_nodes.pop()
        counts[kind_of(state)] += 1
        open_nodes += children(state)
    return counts


def theirs(name: str, *, turn_based: bool = False) -> Any:
    """A game of OpenSpiel's own."""
    game = pyspiel.load_game(name)
    return pyspiel.convert_to_turn_based(game) if turn_based else game
