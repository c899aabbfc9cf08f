"""What each role of a match is told: in its player's dialect, and in the words that players know.

A dialect tells of a step either the joint move or what the role may know of it: the move made for
it and its percepts. Where a game has no percepts, players of such a dialect get :data:`DID_RULE`
with the rules, and see all moves. Dialect F tells percepts in games that have some, and the joint
move in others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl import Constant, Function, Ruleset, Term
from gdl.language import Scrambler
from ggp_player.protocol.dialects import SYNTAXES
from ggp_player.protocol.dialects.dresden import DID_RULE
from ggp_player.protocol.dialects.syntax import Dialect, Syntax
from ggp_player.protocol.messages import Abort, Observation, Play, Start, Stop
from ggp_player.protocol.prefix import spaced


@dataclass(frozen=True, slots=True)
class LastStep:
    """How many steps were made, and the last: ``percepts`` has an entry for each role.

    ``joint_move`` is empty before the first step, ``percepts`` where nobody has to be told any.
    """

    turn: int = 0
    joint_move: tuple[Term, ...] = ()
    percepts: tuple[tuple[Term, ...], ...] = ()


def abort_text(dialect: Dialect, match_id: str) -> str:
    """Write an ABORT of a match of which no more is known; STOP in a dialect without it."""
    syntax = SYNTAXES[dialect]
    ends = Abort(match_id) if Abort in syntax.messages else Stop(match_id)
    return syntax.format_request(ends)


class SeatMessages:
    """Writes the requests of one match; all lists are in role order.

    ``dialects`` has all roles: None for one that nobody has to tell anything, whose texts are
    empty.
    """

    def __init__(
        self,
        match_id: str,
        ruleset: Ruleset,
        dialects: Mapping[Constant, Dialect | None],
        scrambler: Scrambler | None,
    ) -> None:
        self._match_id = match_id
        self._ruleset = ruleset
        self._roles = tuple(dialects)
        self._syntaxes = [SYNTAXES[one] if one else None for one in dialects.values()]
        self._scrambler = scrambler
        self._has_percepts = ruleset.has_percepts

    @property
    def needs_percepts(self) -> bool:
        """Whether the percepts of the rules are told to anybody."""
        return any(
            self._has_percepts and syntax is not None and self._tells_percepts(syntax)
            for syntax in self._syntaxes
        )

    def starts(self, start_clock: int, play_clock: int) -> list[str]:
        """Write every role's START."""
        rules, roles = self._ruleset, self._scrambled(self._roles)
        text = spaced(str(self._scrambler.scramble_ruleset(rules) if self._scrambler else rules))
        return [
            syntax.format_request(
                Start(self._match_id, str(role), self._rules(text, syntax), start_clock, play_clock)
            )
            if syntax
            else ""
            for role, syntax in zip(roles, self._syntaxes, strict=True)
        ]

    def plays(self, last: LastStep) -> list[str]:
        """Write every role's PLAY after a step."""
        return [self._told(Play, role, last) for role in range(len(self._roles))]

    def stops(self, last: LastStep) -> list[str]:
        """Write every role's STOP after a step."""
        return [self._told(Stop, role, last) for role in range(len(self._roles))]

    def aborts(self, last: LastStep) -> list[str]:
        """Write every role's ABORT, or a STOP in a dialect without it."""
        request = Abort(self._match_id)
        return [
            syntax.format_request(request) if syntax and Abort in syntax.messages else stop
            for syntax, stop in zip(self._syntaxes, self.stops(last), strict=True)
        ]

    def move(self, role: int, reply: str) -> Term:
        """Read a role's move, in the words of the rules. Raises :class:`gdl.GdlSyntaxError`."""
        move = (self._syntaxes[role] or SYNTAXES[Dialect.GGP_BASE]).parse_move(reply)
        if self._scrambler:
            move = self._scrambler.unscramble(move)
        return self._ruleset.spell(move)

    def _rules(self, text: str, syntax: Syntax) -> str:
        is_blind = syntax.has_percepts and not self._has_percepts
        return f"{text} {DID_RULE}" if is_blind else text

    def _told(self, kind: type[Play | Stop], role: int, last: LastStep) -> str:
        syntax = self._syntaxes[role]
        if syntax is None:
            return ""
        turn = last.turn if syntax.has_turns else None
        moves = self._scrambled(last.joint_move)
        if not self._tells_percepts(syntax):
            return syntax.format_request(kind(self._match_id, moves, turn=turn))
        seen = Observation(moves[role], self._percepts(role, last)) if moves else None
        return syntax.format_request(kind(self._match_id, turn=turn, observation=seen))

    def _tells_percepts(self, syntax: Syntax) -> bool:
        return syntax.has_percepts or (syntax.follows_rules and self._has_percepts)

    def _percepts(self, role: int, last: LastStep) -> tuple[Term, ...]:
        """Return what a role sees, in the words that players know, sorted by text."""
        if self._has_percepts:
            seen = self._scrambled(last.percepts[role])
        else:
            pairs = zip(self._roles, last.joint_move, strict=True)
            # The word `did` stays, as the rule that has it is added to the scrambled rules.
            seen = tuple(Function("did", self._scrambled(pair)) for pair in pairs)
        return tuple(sorted(seen, key=str))

    def _scrambled(self, terms: Sequence[Term]) -> tuple[Term, ...]:
        """Return the terms in the words that the players know: scrambled, if the match is."""
        return tuple(map(self._scrambler.scramble, terms)) if self._scrambler else tuple(terms)
