"""Our games pass OpenSpiel's own tests, and are copied, serialised and replayed without a loss."""

from __future__ import annotations

import pickle
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel")

import pyspiel
from absl import flags

import gdl
from gdl.openspiel import register
from tests.support.compiled_games import NAMES
from tests.support.paths import GAMES
from tests.support.spiel_games import ours, written

SOME = ["kuhnPoker", "goofspiel", "phantomTicTacToe", "ticTacToe", "diceRace", "lightsOut"]
"""In turn and at once, with chance, with hidden information, and for one player."""

THOROUGH = [pytest.param(name, marks=pytest.mark.thorough) for name in SOME[3:]]

OTHERS = [name for name in NAMES if name not in SOME]

COIN = """
(role you) (role random) (init start) (side heads) (side tails)
(<= (legal you (call ?s)) (side ?s) (true start)) (<= (legal you wait) (not (true start)))
(<= (legal random (toss ?s)) (side ?s) (true start)) (<= (legal random wait) (not (true start)))
(<= (next won) (does you (call ?s)) (does random (toss ?s)))
(<= (next lost) (does you (call ?s)) (does random (toss ?o)) (distinct ?s ?o))
(<= terminal (not (true start)))
(<= (goal you 80) (true won)) (<= (goal you 30) (true lost)) (goal random 0)
"""
"""The player and chance choose at the same time."""


def played(game: Any, seed: int) -> list[Any]:
    """A state at each decision of a random match, with the last one."""
    random, state, found = Random(seed), game.new_initial_state(), []
    while True:
        found.append(state.clone())
        if state.is_terminal():
            return found
        if state.is_simultaneous_node():
            players = range(game.num_players())
            state.apply_actions([random.choice(state.legal_actions(p)) for p in players])
        else:
            state.apply_action(random.choice(state.legal_actions()))


def seen(state: Any) -> list[Any]:
    """Everything that can be asked of a state."""
    players = range(state.get_game().num_players())
    return [
        str(state),
        state.current_player(),
        state.is_terminal(),
        state.returns(),
        [state.information_state_string(player) for player in players],
        [state.observation_tensor(player) for player in players],
        [] if state.is_terminal() else [state.legal_actions(player) for player in players],
    ]


@pytest.mark.parametrize("name", [*SOME[:3], *THOROUGH])
def test_random_simulations_pass(name: str) -> None:
    pyspiel.random_sim_test(ours(name), num_sims=2, serialize=True, verbose=False)


def test_random_simulations_pass_in_turn() -> None:
    game = ours("goofspiel", turn_based=True)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", OTHERS)
def test_random_simulations_pass_for_all_our_games(name: str) -> None:
    game = ours(name, max_steps=60)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("name", [*SOME[:3], *THOROUGH])
def test_copies_and_what_was_serialised_are_the_same(name: str) -> None:
    game = ours(name, max_steps=20)
    for state in played(game, seed=4):
        assert seen(state.clone()) == seen(state)
        text = pyspiel.serialize_game_and_state(game, state)
        again, restored = pyspiel.deserialize_game_and_state(text)
        assert str(again) == str(game)
        assert seen(restored) == seen(state)
        assert seen(pickle.loads(pickle.dumps(state))) == seen(state)


@pytest.mark.parametrize("name", ["ticTacToe", "kuhnPoker", "goofspiel"])
def test_playthroughs_can_be_replayed(name: str, tmp_path: Path) -> None:
    flags.FLAGS.mark_as_parsed()  # as a program of OpenSpiel's does; its generator has flags
    from open_spiel.python.algorithms import generate_playthrough  # which imports much of SciPy

    game = str(ours(name))
    lines = generate_playthrough.playthrough_lines(game, seed=3)
    path = tmp_path / "playthrough.txt"
    path.write_text("\n".join(lines) + "\n")
    written_down, replayed = generate_playthrough.replay(str(path))
    assert replayed.splitlines() == written_down.splitlines()
    assert any(line.startswith("action") for line in lines)


def test_a_copy_does_not_change_with_its_original() -> None:
    state = ours("ticTacToe").new_initial_state()
    copy = state.clone()
    state.apply_action(state.legal_actions()[0])
    assert str(copy) != str(state)


# ---------------------------------------------------------------------- the game as a whole


def test_types_say_what_a_game_is() -> None:
    kinds = pyspiel.GameType
    board, poker, bids = (ours(name) for name in ("ticTacToe", "kuhnPoker", "goofspiel"))
    assert board.get_type().dynamics == kinds.Dynamics.SEQUENTIAL
    assert board.get_type().information == kinds.Information.PERFECT_INFORMATION
    assert board.get_type().chance_mode == kinds.ChanceMode.DETERMINISTIC
    assert board.get_type().utility == kinds.Utility.ZERO_SUM
    assert (board.max_game_length(), board.num_distinct_actions()) == (9, 10)
    assert poker.get_type().information == kinds.Information.IMPERFECT_INFORMATION
    assert poker.get_type().chance_mode == kinds.ChanceMode.EXPLICIT_STOCHASTIC
    assert (poker.num_players(), poker.max_chance_outcomes()) == (2, 7)
    assert bids.get_type().dynamics == kinds.Dynamics.SIMULTANEOUS
    in_turn = ours("goofspiel", turn_based=True)
    assert in_turn.get_type().dynamics == kinds.Dynamics.SEQUENTIAL
    assert in_turn.get_type().information == kinds.Information.IMPERFECT_INFORMATION
    assert ours("ropeTeam").get_type().utility == kinds.Utility.GENERAL_SUM


def test_goals_are_scaled_to_utilities(tmp_path: Path) -> None:
    game = written(COIN, tmp_path, scale=5)
    assert (game.min_utility(), game.max_utility()) == (-2, 3)
    ends = {tuple(played(game, seed)[-1].returns()) for seed in range(20)}
    assert ends == {(3,), (-2,)}


def test_chance_decides_after_the_players_who_do_not_see_it(tmp_path: Path) -> None:
    state = written(COIN, tmp_path).new_initial_state()
    assert state.current_player() == 0
    state.apply_action(state.string_to_action("(call tails)"))
    assert state.current_player() == pyspiel.PlayerId.CHANCE
    assert [probability for _, probability in state.chance_outcomes()] == [0.5, 0.5]
    state.apply_action(state.string_to_action("(toss heads)"))
    assert state.is_terminal()


def test_a_match_that_is_too_long_is_a_draw() -> None:
    game = ours("ticTacToe", max_steps=3)
    end = played(game, seed=1)[-1]
    assert (end.is_terminal(), end.returns(), game.max_game_length()) == (True, [0, 0], 3)


def test_the_file_must_be_given_and_be_there(capfd: pytest.CaptureFixture[str]) -> None:
    register()
    with pytest.raises(ValueError, match="expected the file"):
        pyspiel.load_game("gdl")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.kif"):
        pyspiel.load_game("gdl(file=nowhere.kif)")


def test_rules_that_cannot_be_read_are_explained(tmp_path: Path) -> None:
    with pytest.raises(gdl.GdlSyntaxError, match="never closed"):
        written("(role a", tmp_path)
    with pytest.raises(gdl.RulesetError, match="nobody plays but chance"):
        written("(role random) (init a) (legal random a) (<= terminal (true b))", tmp_path)


def test_it_loads_by_its_name() -> None:
    register()
    game = pyspiel.load_game(f"gdl(file={GAMES / 'nim.kif'})")
    assert "file=" in str(game)
    assert game.new_initial_state().legal_actions()
