"""Games for people: a match in progress, to be played and taken back move by move.

>>> import gdl
>>> game = gdl.Game("connectFour")
>>> game.turn, game.legal["red"][:3]
((red,), ((drop 1), (drop 2), (drop 3)))
>>> game.play("drop 4").play("drop 4").undo().moves
((drop 4), noop)
>>> game.over, game.goals
(False, {'red': 50, 'yellow': 50})
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from gdl.errors import MoveError
from gdl.language import Constant, Ruleset, Term, as_term, load, moves_by_chance
from gdl.reasoner import interpret
from gdl.state_machine import RuledMachine, State, legal_moves_text


class Game:
    """A match of a game: its states so far, and what may be played now.

    ``rules`` are a ruleset, a file, the name of one of our games, or a state machine that knows its
    rules. The role ``random`` moves by itself, by a generator that begins with ``seed``.
    """

    def __init__(self, rules: Ruleset | RuledMachine | str | Path, seed: int = 0) -> None:
        if isinstance(rules, str | Path):
            rules = load(rules)
        self.machine: RuledMachine = interpret(rules) if isinstance(rules, Ruleset) else rules
        self._random = Random(seed)
        self._states: list[State] = [self.machine.initial_state()]
        self._made: list[tuple[Term, ...]] = []

    # ------------------------------------------------------------------ what is the case

    @property
    def roles(self) -> tuple[Constant, ...]:
        """The roles in the order of joint moves."""
        return self.machine.roles

    @property
    def state(self) -> State:
        """The state that the match is in."""
        return self._states[-1]

    @property
    def history(self) -> tuple[tuple[Term, ...], ...]:
        """The joint moves made so far."""
        return tuple(self._made)

    @property
    def moves(self) -> tuple[Term, ...] | None:
        """The joint move made last, None at the start."""
        return self._made[-1] if self._made else None

    @property
    def legal(self) -> dict[str, tuple[Term, ...]]:
        """The legal moves of each role, by its name; none once the match is over."""
        return {
            role.name: () if self.over else self.machine.legal_moves(self.state, role)
            for role in self.roles
        }

    @property
    def turn(self) -> tuple[Constant, ...]:
        """The roles that have a choice; those of chance are not among them."""
        return tuple(
            role
            for role in self.roles
            if len(self.legal[role.name]) > 1 and not moves_by_chance(role)
        )

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.machine.is_terminal(self.state)

    @property
    def goals(self) -> dict[str, int | None]:
        """The goal value of each role, by its name; None where the rules give none."""
        return {role.name: self.machine.goal(self.state, role) for role in self.roles}

    # ------------------------------------------------------------------ what can be done

    def play(self, *moves: Term | str) -> Game:
        """Make a joint move and return the game.

        Give a move for each role that has a choice, in the order of the roles, or one for each
        role; moves by chance may be left out. Raises :class:`gdl.MoveError`, which says what would
        be legal, and :class:`gdl.GdlSyntaxError` for text that is no move.
        """
        joint_move = self._joint_move([as_term(move) for move in moves])
        self._states.append(self.machine.step(self.state, joint_move))
        self._made.append(tuple(map(self.machine.ruleset.spell, joint_move)))
        return self

    def undo(self, steps: int = 1) -> Game:
        """Take back the last joint moves and return the game.

        Raises :class:`gdl.MoveError` where fewer have been made.
        """
        if not 0 <= steps <= len(self._made):
            raise MoveError(f"cannot take back {steps} of {len(self._made)} joint moves")
        first = len(self._made) - steps
        del self._made[first:]
        del self._states[first + 1 :]
        return self

    def render(self) -> Any:  # noqa: ANN401
        """Draw the state as a :class:`gdl.drawing.Rendering`; what has just changed is marked."""
        before = self._states[-2] if self._made else None
        return self.machine.render(self.state, before)

    # ------------------------------------------------------------------ how it is shown

    def __str__(self) -> str:
        return str(self.render())

    def __repr__(self) -> str:
        step = f"step {len(self._made)}"
        if self.over:
            return f"<game {self.machine.ruleset.game}, over after {step}: {self.goals}>"
        waiting = ", ".join(map(str, self.turn)) or "nobody"
        return f"<game {self.machine.ruleset.game}, {step}: {waiting} to choose>"

    def _repr_svg_(self) -> str:
        """The state as a picture, for a notebook."""
        return str(self.render().svg)

    # ------------------------------------------------------------------ joint moves

    def _joint_move(self, given: Sequence[Term]) -> list[Term]:
        """Complete the moves that are given by those that are forced, or are made by chance."""
        if self.over:
            raise MoveError("the match is over: no move is legal")
        if len(given) == len(self.roles):
            return list(given)
        players = [role for role in self.roles if not moves_by_chance(role)]
        asked = players if len(given) == len(players) else list(self.turn)
        if len(given) != len(asked):
            raise MoveError(self._expected(len(given)))
        chosen = dict(zip(asked, given, strict=True))
        legal = self.legal
        return [
            chosen[role] if role in chosen else self._random.choice(legal[role.name])
            for role in self.roles
        ]

    def _expected(self, found: int) -> str:
        legal, turn = self.legal, self.turn
        choices = "; ".join(f"{role}: {legal_moves_text(legal[role.name])}" for role in turn)
        return (
            f"expected {len(turn)} moves, one for each role with a choice, found {found}. {choices}"
        )
