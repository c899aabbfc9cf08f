"""What players of each dialect are told, byte for byte, in games with percepts and without."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

import gdl
from ggp_player.errors import MatchError
from ggp_player.manager.players import RemotePlayer
from ggp_player.match_rules import LocalRules
from ggp_player.match_runner.game_manager import GameManager, MatchSetup, MatchStep
from ggp_player.protocol import Abort, Dialect, Observation, Play, Start, Stop, parse_request
from ggp_player.protocol.match_record import MatchRecord
from ggp_player.protocol.seat_messages import abort_text

OPEN = """
(role red) (role blue) (init (step 0)) (succ 0 1) (succ 1 2)
(legal red (mark 1)) (legal red (mark 2)) (legal blue noop)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 2)))
(goal red 100) (goal blue 0)
"""

HIDDEN = OPEN + "(<= (sees blue (hit ?n)) (does red (mark ?n))) (<= (sees red done) (role red))"

DID = "( <= ( SEES ?P ( DID ?P2 ?M ) ) ( ROLE ?P ) ( DOES ?P2 ?M ) )"


@dataclass(frozen=True, slots=True)
class Recorded(RemotePlayer):
    """A player server that answers from a list and keeps what it gets."""

    answers: tuple[str, ...] = ()
    received: list[str] = field(default_factory=list)

    async def send(self, text: str, on_sent: Callable[[], None] = lambda: None) -> str:
        self.received.append(text)
        on_sent()
        return self.answers[len(self.received) - 1]


def recorded(dialect: str, *answers: str) -> Recorded:
    return Recorded("127.0.0.1", 1, dialect=Dialect(dialect), answers=("ready", *answers, "done"))


async def play(rules: str, *players: Recorded, scramble: bool = False) -> MatchRecord:
    setup = MatchSetup(gdl.parse(rules), "m.1", 10, 3, seed=1, scramble=scramble)
    return await GameManager(setup, LocalRules(gdl.interpret(setup.ruleset)), players).run()


TOLD = {
    "A": (
        "( PLAY m.1 NIL )",
        "( PLAY m.1 (( mark 2 ) noop ) )",
        "( STOP m.1 (( mark 1 ) noop ) )",
    ),
    "B": ("(PLAY m.1 NIL)", "(PLAY m.1 ((MARK 2) NOOP))", "(STOP m.1 ((MARK 1) NOOP))"),
    "D": ("(play m.1 nil)", "(play m.1 ((mark 2) noop))", "(stop m.1 ((mark 1) noop))"),
    "E": ('play("m.1",nil)', 'play("m.1",{mark(2),noop})', 'stop("m.1",{mark(1),noop})'),
}
"""What players are told in dialects with joint moves, whether roles see anything or not."""

SEEN = {
    "C": (
        "(PLAY m.1 0 NIL NIL)",
        "(PLAY m.1 1 NOOP ((HIT 2) ))",
        "(STOP m.1 2 NOOP ((HIT 1) ))",
    ),
    "C'": ("(PLAY m.1 NIL)", "(PLAY m.1 ((HIT 2) ))", "(STOP m.1 ((HIT 1) ))"),
}

DONE = {
    "C": (
        "(PLAY m.1 0 NIL NIL)",
        "(PLAY m.1 1 NOOP ((DID BLUE NOOP) (DID RED (MARK 2)) ))",
        "(STOP m.1 2 NOOP ((DID BLUE NOOP) (DID RED (MARK 1)) ))",
    ),
    "C'": (
        "(PLAY m.1 NIL)",
        "(PLAY m.1 ((DID BLUE NOOP) (DID RED (MARK 2)) ))",
        "(STOP m.1 ((DID BLUE NOOP) (DID RED (MARK 1)) ))",
    ),
}


@pytest.mark.parametrize(
    ("rules", "dialect", "told"),
    [
        *((rules, *one) for rules in (OPEN, HIDDEN) for one in TOLD.items()),
        *((OPEN, *one) for one in DONE.items()),
        *((HIDDEN, *one) for one in SEEN.items()),
    ],
)
async def test_steps_are_told_in_the_dialect_of_the_player(
    rules: str, dialect: str, told: tuple[str, ...]
) -> None:
    red, blue = recorded("A", "(mark 2)", "(mark 1)"), recorded(dialect, "noop", "noop")
    record = await play(rules, red, blue)
    assert record.errors == (("", ""),) * 3
    assert tuple(blue.received[1:]) == told
    assert tuple(red.received[1:]) == TOLD["A"]


@pytest.mark.parametrize("dialect", ["A", "B", "C", "C'", "D", "E"])
async def test_moves_are_read_in_the_dialect_of_the_player(dialect: str) -> None:
    moves = ("mark(2)", "mark(1)") if dialect == "E" else ("(MARK 2)", "( mark 1 )")
    record = await play(HIDDEN, recorded(dialect, *moves), recorded("A", "noop", "noop"))
    assert record.errors == (("", ""),) * 3
    assert record.moves == (("(mark 2)", "noop"), ("(mark 1)", "noop"))


@pytest.mark.parametrize("dialect", ["C", "C'"])
async def test_a_move_that_was_replaced_is_the_one_that_its_player_is_told(dialect: str) -> None:
    red = recorded(dialect, "(mark 3)", "(mark 3)")
    record = await play(OPEN, red, recorded("A", "noop", "noop"))
    assert record.errors[1] == ("IL (mark 3)", "")
    assert f"(DID RED {record.moves[0][0].upper()})" in red.received[2]
    assert dialect == "C'" or red.received[2].startswith(
        f"(PLAY m.1 1 {record.moves[0][0].upper()} ("
    )


@pytest.mark.parametrize(
    ("rules", "dialect", "is_added"),
    [
        (OPEN, "C", True),
        (OPEN, "C'", True),
        (OPEN, "B", False),
        (HIDDEN, "C", False),
        (HIDDEN, "C'", False),
    ],
)
async def test_rules_without_percepts_get_some_for_players_that_are_told_nothing_else(
    rules: str, dialect: str, is_added: bool
) -> None:
    blue = recorded(dialect, "noop", "noop")
    await play(rules, recorded("A", "(mark 1)", "(mark 1)"), blue)
    start = blue.received[0]
    assert start.startswith("(START m.1 BLUE (( ROLE RED ) ( ROLE BLUE ) ( INIT ( STEP 0 ) )")
    assert start.endswith(f"{DID}) 10 3)") is is_added
    assert start.count(" ( SEES ") == (1 if is_added else 2 * (rules == HIDDEN))


async def test_the_rules_are_in_infix_where_all_is() -> None:
    blue = recorded("E", "noop", "noop")
    await play(OPEN, recorded("A", "(mark 1)", "(mark 1)"), blue)
    assert blue.received[0].startswith('start("m.1",blue,{role(red),role(blue),init(step(0)),')
    assert blue.received[0].endswith("goal(red,100),goal(blue,0)},10,3)")


@pytest.mark.parametrize("rules", [OPEN, HIDDEN])
@pytest.mark.parametrize("dialect", ["C", "C'"])
async def test_what_roles_see_is_scrambled_as_their_moves_are(rules: str, dialect: str) -> None:
    red, blue = recorded("A", "x", "x"), recorded(dialect, "x", "x")
    await play(rules, red, blue, scramble=True)
    text = " ".join(blue.received).lower()
    assert not any(word in text.split() for word in ("red", "blue", "mark", "hit", "noop", "step"))
    start, play_again = parse_request(blue.received[0]), parse_request(blue.received[2])
    moves = parse_request(red.received[2])
    assert isinstance(start, Start)
    assert isinstance(play_again, Play)
    assert isinstance(moves, Play)
    sent = gdl.interpret(gdl.parse(start.rules))
    joint_move = tuple(gdl.parse_term(str(move).upper()) for move in moves.moves)
    joint_move = tuple(map(sent.ruleset.spell, joint_move))
    seen = play_again.observation or Observation(percepts=play_again.moves)
    role = gdl.parse_term(start.role)
    assert set(seen.percepts) == set(sent.percepts(sent.initial_state(), joint_move, role))
    assert dialect == "C'" or seen.move == joint_move[1]


@pytest.mark.parametrize(
    ("dialect", "last"),
    [
        ("A", "( ABORT m.1 )"),
        ("B", "(STOP m.1 ((MARK 1) NOOP))"),
        ("C", "(STOP m.1 1 NOOP ((HIT 1) ))"),
        ("C'", "(STOP m.1 ((HIT 1) ))"),
        ("E", 'abort("m.1")'),
    ],
)
async def test_players_of_a_dialect_without_abort_are_stopped(dialect: str, last: str) -> None:
    def break_off(step: MatchStep) -> None:
        if step.number:
            raise MatchError("enough")

    red, blue = recorded("A", "(mark 1)"), recorded(dialect, "noop")
    setup = MatchSetup(gdl.parse(HIDDEN), "m.1", 10, 3)
    manager = GameManager(setup, LocalRules(gdl.interpret(setup.ruleset)), [red, blue], break_off)
    with pytest.raises(MatchError, match="enough"):
        await manager.run()
    assert blue.received[-1] == last


@pytest.mark.parametrize("dialect", [one for one in Dialect if one != "F"])
def test_a_match_of_which_nothing_is_known_can_be_ended_in_every_dialect(dialect: Dialect) -> None:
    request = parse_request(abort_text(dialect, "m1"))
    assert isinstance(request, Stop if dialect in ("B", "C", "C'") else Abort)
    assert isinstance(request, Stop | Abort)
    assert request.match_id == "m1"
