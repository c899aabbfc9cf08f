"""What players observe and know is no more and no less than they may."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel")

import pyspiel
from open_spiel.python import observation

from tests.support.spiel_games import ours


def test_both_cards_are_hidden_from_the_other() -> None:
    state = ours("kuhnPoker").new_initial_state()
    other = state.clone()
    state.apply_action(state.string_to_action("(deal jack queen)"))
    other.apply_action(other.string_to_action("(deal jack king)"))
    for what in ("information_state_string", "observation_string"):
        assert getattr(state, what)(0) == getattr(other, what)(0)
        assert getattr(state, what)(1) != getattr(other, what)(1)
    for what in ("information_state_tensor", "observation_tensor"):
        assert getattr(state, what)(0) == getattr(other, what)(0)
        assert getattr(state, what)(1) != getattr(other, what)(1)


def test_an_observation_forgets_and_an_information_state_does_not() -> None:
    state = ours("kuhnPoker").new_initial_state()
    state.apply_action(state.string_to_action("(deal jack queen)"))
    state.apply_action(state.string_to_action("check"))
    assert state.information_state_string(1) == (
        "p1 noop | (yourCard queen); noop | (acted first check)"
    )
    assert state.observation_string(1) == "p1 noop | (acted first check)"


def test_facts_are_planes_where_nothing_is_hidden() -> None:
    state = ours("ticTacToe").new_initial_state()
    made = observation.make_observation(state.get_game())
    made.set_from(state, player=0)
    assert made.dict["facts"].sum() == 1
    state.apply_action(state.string_to_action("(put b2)"))
    made.set_from(state, player=1)
    assert made.dict["facts"].sum() == 2
    assert made.dict["player"].tolist() == [0, 1]
    assert made.string_from(state, player=1) == "p1 (marked b2 cross) (turn nought)"
    assert np.array_equal(made.tensor, np.array(state.observation_tensor(1), np.float32))


def test_all_moves_are_remembered_unless_they_shall_be_forgotten() -> None:
    texts = []
    for recall in (True, False):
        state = ours("ticTacToe", perfect_recall=recall).new_initial_state()
        for text in ("(put a1)", "(put a2)", "(put a3)"):
            state.apply_action(state.string_to_action(text))
        texts.append(state.information_state_string(1))
    assert texts[0] == "p1 (put a1) noop; noop (put a2); (put a3) noop"
    assert "marked" in texts[1]


def test_a_choice_that_is_not_made_public_yet_is_its_owners_alone() -> None:
    state = ours("goofspiel", turn_based=True).new_initial_state()
    other = state.clone()
    state.apply_action(state.string_to_action("(show 1)"))
    other.apply_action(other.string_to_action("(show 2)"))
    assert state.information_state_string(0) != other.information_state_string(0)
    assert state.information_state_string(1) == other.information_state_string(1)
    assert state.observation_tensor(0) != other.observation_tensor(0)
    assert state.observation_tensor(1) == other.observation_tensor(1)


def test_the_public_sees_nothing_of_percepts() -> None:
    game = ours("kuhnPoker")
    public = pyspiel.IIGObservationType(
        public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE
    )
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    assert observation.make_observation(game, public).string_from(state, 0) == ""
    with pytest.raises(ValueError, match="no parameters"):
        game.make_py_observer(public, {"a": 1})
