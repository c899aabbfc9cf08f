"""Events for tests: a match of three steps, as a player or the game manager tells it."""

from __future__ import annotations

from collections.abc import Callable

from ggp_player.events import (
    BestMove,
    BranchThought,
    EventBus,
    GameDescribed,
    MatchPublisher,
    MatchStarted,
    MoveThought,
    SearchView,
    StateReached,
)

RULES = "(role xena) (role Oscar) (init (control xena))"

JOINT_MOVES = (("(claim 3)", "noop"), ("noop", "(claim 1)"), ("(claim 2)", "noop"))

THOUGHT = SearchView(
    move="(claim 3)",
    value=75.5,
    note="12 playouts, 5 nodes",
    strategy="mcts",
    moves=(
        MoveThought(move="(claim 3)", value=75.5, visits=9, line=JOINT_MOVES[:2]),
        MoveThought(move="(claim 1)", value=10.0, visits=3, low=0, high=50),
    ),
    move_count=3,
    tree=(
        BranchThought(
            moves=JOINT_MOVES[0],
            value=75.5,
            visits=9,
            children=(BranchThought(moves=JOINT_MOVES[1], value=75.5, visits=4),),
        ),
    ),
    playouts=12,
    nodes=5,
)


def started(match_id: str = "m.1", role: str = "xena", rules: str = RULES) -> MatchStarted:
    """The beginning of a match, as our player tells it."""
    return MatchStarted(
        match_id=match_id,
        rules=rules,
        start_clock=10,
        play_clock=5,
        role=role,
        player="ggp-player",
        strategy="mcts",
        manager="127.0.0.1",
    )


def new_publisher(
    bus: EventBus, clock: Callable[[], int] = lambda: 1000, key: str = "k"
) -> MatchPublisher:
    """A publisher whose time stands still."""
    publisher = MatchPublisher(bus, clock)
    publisher.match = key
    return publisher


def play_turn(events: MatchPublisher, turn: int) -> None:
    """Tell a turn: what is asked, the state, what the search thinks, and our move."""
    joint_move = JOINT_MOVES[turn - 1] if turn else ()
    events.turn_asked(turn, joint_move, 5.0, 4.5)
    roles, state = ("xena", "Oscar"), "( (control xena) (free 1) )"
    reached = StateReached(turn=turn, roles=roles, state=state)
    events.tell(reached)
    events.thoughts(turn, THOUGHT)
    move = "(claim 3)" if turn == 0 else "noop"
    events.move_chosen(turn, BestMove(move, 75.5, source=""), 1.5, 0.5)


def play_match(events: MatchPublisher, match_id: str = "m.1") -> None:
    """Tell a whole match."""
    events.started(started(match_id))
    events.tell(GameDescribed(text="two rivals"))
    events.tell(GameDescribed(text="two rivals, moves in turn"))
    for turn in range(3):
        play_turn(events, turn)
    events.ended("completed", JOINT_MOVES[-1], {"xena": 100, "Oscar": 0})
