"""Who decides in a state, and what players remember of a step."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

from gdl.openspiel.description import Description, Options, describe
from gdl.openspiel.position import CHANCE, SIMULTANEOUS, TERMINAL, OpenSpielPosition, first_position
from tests.support.paths import GAMES

PAUSE = """
(role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal a left) (true (at 0))) (<= (legal a right) (true (at 0)))
(<= (legal a noop) (not (true (at 0))))
(<= (legal b noop) (not (true (at 2)))) (<= (legal b jump) (true (at 2)))
(<= (legal b leap) (true (at 2)))
(<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
(<= terminal (true (at 3))) (goal a 60) (goal b 40)
"""
"""First ``a`` decides, then nobody does, then ``b``."""


def game_of(name: str, turn_based: bool = False) -> Description:
    return describe(Options(str(GAMES / f"{name}.kif"), turn_based=turn_based))


def after(position: OpenSpielPosition, *moves: str) -> OpenSpielPosition:
    """The position after actions by their texts."""
    for text in moves:
        legal = position.legal_actions(position.player)
        number = position.game.action_numbers[text]
        assert number in legal
        position = position.after_action(number)
    return position


def test_steps_without_a_decision_are_made_at_once(tmp_path: Path) -> None:
    path = tmp_path / "pause.kif"
    path.write_text(PAUSE)
    position = first_position(describe(Options(str(path))))
    assert position.player == 0
    position = after(position, "left")
    assert (position.step, position.player) == (2, 1)
    position = after(position, "jump")
    assert (position.player, position.returns()) == (TERMINAL, [0.2, -0.2])


def test_the_last_move_on_a_full_board_is_a_decision() -> None:
    position = first_position(game_of("ticTacToe"))
    for text in ("a1", "a2", "a3", "b1", "b3", "b2", "c1", "c3"):
        position = after(position, f"(put {text})")
    assert position.player == 0
    assert len(position.legal_actions(0)) == 1


def test_players_decide_together() -> None:
    position = first_position(game_of("goofspiel"))
    assert position.player == SIMULTANEOUS
    numbers = position.game.action_numbers
    second = position.after_actions([numbers["(show 1)"], numbers["(show 5)"]])
    assert numbers["(show 1)"] not in second.legal_actions(0)
    assert numbers["(show 5)"] not in second.legal_actions(1)
    assert second.memories[0] == (("(show 1)", ("(show 1)", "(show 5)")),)


def test_players_may_be_made_to_decide_in_turn_and_do_not_see_it() -> None:
    position = first_position(game_of("goofspiel", turn_based=True))
    first = after(position, "(show 2)")
    assert (position.player, first.player, first.step) == (0, 1, 0)
    assert (first.own_choice(0), first.own_choice(1)) == ("(show 2)", "")
    assert str(first) != str(position)
    assert after(first, "(show 3)").step == 1


def test_chance_deals_and_each_player_remembers_its_card() -> None:
    position = first_position(game_of("kuhnPoker"))
    assert position.player == CHANCE
    assert [probability for _, probability in position.outcomes()] == [1 / 6] * 6
    dealt = position.after_action(0)
    assert dealt.memories[0] == (("noop", ("(yourCard jack)",)),)
    assert dealt.memories[1] == (("noop", ("(yourCard king)",)),)


def test_copies_are_the_same_object() -> None:
    position = first_position(game_of("nim"))
    assert deepcopy(position) is position
