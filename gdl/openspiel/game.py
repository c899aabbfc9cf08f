"""The bridge: a game described by rules as ``pyspiel.Game``, registered when this is imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyspiel

from gdl.openspiel.description import Description, Options, describe
from gdl.openspiel.observer import Observer, has_memory_tensor
from gdl.openspiel.position import first_position

NAME = "gdl"

PARAMETERS: Mapping[str, str | bool | int | float] = asdict(Options(file=""))
"""The parameters of the game, and what they are unless given."""

MAX_PLAYERS = 64


def _game_type(game: Description | None) -> pyspiel.GameType:
    """The type of a game, or of all of them."""
    kinds = pyspiel.GameType
    in_turn = game is not None and game.in_turn
    is_perfect = game is not None and not game.hides
    has_chance = game is None or game.chance is not None
    players = (1, MAX_PLAYERS) if game is None else (len(game.players),) * 2
    return kinds(
        short_name=NAME,
        long_name="Game Description Language",
        dynamics=kinds.Dynamics.SEQUENTIAL if in_turn else kinds.Dynamics.SIMULTANEOUS,
        chance_mode=(
            kinds.ChanceMode.EXPLICIT_STOCHASTIC if has_chance else kinds.ChanceMode.DETERMINISTIC
        ),
        information=(
            kinds.Information.PERFECT_INFORMATION
            if is_perfect
            else kinds.Information.IMPERFECT_INFORMATION
        ),
        utility=_utility(game),
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=players[1],
        min_num_players=players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=game is not None and has_memory_tensor(game),
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=dict(PARAMETERS),
        default_loadable=False,
        provides_factored_observation_string=True,
    )


def _utility(game: Description | None) -> pyspiel.GameType.Utility:
    kinds = pyspiel.GameType.Utility
    if game is None or game.utility_sum is None or len(game.players) == 1:
        return kinds.GENERAL_SUM
    return kinds.CONSTANT_SUM if game.utility_sum else kinds.ZERO_SUM


def _game_info(game: Description) -> pyspiel.GameInfo:
    least, most = game.utilities
    return pyspiel.GameInfo(
        num_distinct_actions=len(game.actions),
        max_chance_outcomes=len(game.outcomes),
        num_players=len(game.players),
        min_utility=least,
        max_utility=most,
        utility_sum=None if _utility(game) == _utility(None) else game.utility_sum,
        max_game_length=game.max_length,
    )


class GdlGame(pyspiel.Game):
    """A game of which a rulesheet is all that is known."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given = {**PARAMETERS, **(parameters or {})}
        if not given["file"]:
            raise ValueError("expected the file of a rulesheet: gdl(file=games/nim.kif)")
        self.game = describe(Options(**given))
        super().__init__(_game_type(self.game), _game_info(self.game), dict(parameters or {}))

    def new_initial_state(self) -> GdlState:
        """Return the state in which a match begins."""
        return GdlState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return a bound on the decisions of chance in a match."""
        return 0 if self.game.chance is None else self.game.max_steps

    def make_py_observer(
        self,
        iig_obs_type: pyspiel.IIGObservationType | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> Observer:
        """Return an observer of states."""
        if params:
            raise ValueError(f"observers take no parameters, found {params}")
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        private = wanted.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        recalls = wanted.perfect_recall and self.game.recalls
        return Observer(self.game, recalls=recalls, private=private)


class GdlState(pyspiel.State):
    """A state of a match: OpenSpiel's questions, answered by an :class:`.OpenSpielPosition`."""

    def __init__(self, game: GdlGame) -> None:
        super().__init__(game)
        self.position = first_position(game.game)

    def current_player(self) -> int:
        """Return the number of the player who decides, or what stands for others."""
        return self.position.player

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of a chance node with their probabilities."""
        return self.position.outcomes()

    def _apply_action(self, action: int) -> None:
        self.position = self.position.after_action(action)

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self.position = self.position.after_actions(actions)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.position.game
        moves = game.outcomes if player == pyspiel.PlayerId.CHANCE else game.actions
        return str(moves[action])

    def is_terminal(self) -> bool:
        """Return True if the match is over."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """Return the utilities of the players."""
        return self.position.returns()

    def __str__(self) -> str:
        return str(self.position)


if NAME not in pyspiel.registered_names():
    pyspiel.register_game(_game_type(None), GdlGame)
