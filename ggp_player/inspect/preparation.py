"""What a search of a position needs: a machine, a role, a strategy.

``notify`` is called with a sentence where a search is not what was asked for: the rules are not
compiled, or another strategy takes the place of one that needs compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import gdl
from gdl import Constant, Ruleset, State, StateMachine
from ggp_player.errors import GgpPlayerError
from ggp_player.strategies import EngineStrategy, Strategy
from ggp_player.strategies.selection import STRATEGIES, create, strategy_from
from ggp_player.strategies.textbook import moves_by_chance
from ggp_player.worker.messages import FALLBACK
from ggp_player.worker.warm_up import COLD, interpreted_notice, is_warm


def machine_for(ruleset: Ruleset, notify: Callable[[str], None]) -> StateMachine:
    """Compile the rules if that is quick, or else interpret them."""
    if is_warm():
        try:
            return gdl.compile(ruleset)
        except gdl.ResourceLimitError as error:
            notify(f"the rules are not compiled: {error}")
    return gdl.interpret(ruleset)


def searching_role(machine: StateMachine, state: State, name: str | None) -> Constant:
    """Return the role of a name, or else the first that has a choice.

    Raises :class:`GgpPlayerError` for a name of no role.
    """
    roles = machine.roles
    if name is None:
        players = [r for r in roles if not moves_by_chance(r)]
        choosing = [r for r in players if len(machine.legal_moves(state, r)) > 1]
        return (*choosing, *players, *roles)[0]
    for role in roles:
        if role.name.lower() == name.lower():
            return role
    raise GgpPlayerError(f"expected one of the roles {', '.join(map(str, roles))}; found {name}")


def strategy_for(
    spec: str,
    machine: StateMachine,
    notify: Callable[[str], None],
    known: Mapping[str, type[Strategy]] = STRATEGIES,
) -> Strategy:
    """Make a strategy that can play on a machine, or its stand-in until kernels are compiled.

    Raises :class:`GgpPlayerError` for one that cannot.
    """
    strategy = strategy_from(spec, known)
    refusal = strategy.refusal(machine)
    if refusal is None:
        return strategy
    if isinstance(strategy, EngineStrategy) and interpreted_notice(machine) == COLD:
        notify(f"{spec} is not compiled yet: {FALLBACK} searches in its place")
        return create(FALLBACK)
    raise GgpPlayerError(refusal)
