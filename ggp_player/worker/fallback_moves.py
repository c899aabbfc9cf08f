"""Moves to play where no worker has told what is legal in a turn.

A guess is legal, or likely to be, even where all workers are stopped or dead. The server keeps what
they have told before: our legal moves of the last turns, and a move that the rules state as always
legal. That is a fact such as ``(legal x noop)``, or a rule whose body holds by facts in every
state, such as ``(<= (legal ?r noop) (role ?r))``. Where there is none, a move that is legal in the
initial state by its facts serves for the first turn. A worker finds them in the text alone, which
takes moments where a rulesheet takes minutes to evaluate.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from gdl.language import (
    Atom,
    Constant,
    Distinct,
    Function,
    Literal,
    RelationKey,
    Rule,
    Ruleset,
    Substitution,
    Term,
    Variable,
    is_ground,
    substitute_term,
)

LAST_RESORT = "noop"
"""The move when nothing is known: the likeliest guess in an unknown game."""

MAX_REMEMBERED_MOVES = 1000
"""The most legal moves of a turn that are remembered."""

MAX_TURNS = 16
"""The most turns that are remembered: two rounds of the largest games."""

MAX_FALLBACK_FACTS = 100_000
"""The most facts that are tried for a ruleset."""


class KnownMoves:
    """What is known of our legal moves of earlier turns."""

    def __init__(self) -> None:
        self.always_legal = ""
        self._made: deque[str] = deque(maxlen=MAX_TURNS)
        self._turns: deque[tuple[int, tuple[str, ...]]] = deque(maxlen=MAX_TURNS)

    def remember(self, turn: int, legal_moves: Sequence[str]) -> None:
        """Note our legal moves of a turn."""
        if legal_moves:
            self._turns.append((turn, tuple(legal_moves[:MAX_REMEMBERED_MOVES])))

    def remember_initial(self, move: str) -> None:
        """Note a move that is legal in the initial state, unless more has been told."""
        if not self._turns:
            self.remember(0, [move])

    def made(self, move: str) -> None:
        """Note a move of ours, which may not be legal again."""
        self._made.append(move)

    def guess(self, turn: int, roles: int) -> tuple[str, str]:
        """Return the likeliest move of a turn in a game of so many roles, and why it may be legal.

        Where roles move in turn, we can do the most like we could a round ago. Of these moves one
        that was there in each such turn comes first, and what we have made comes last.
        """
        if self.always_legal:
            return self.always_legal, "always legal"
        rounds = [moves for at, moves in self._turns if (turn - at) % max(1, roles) == 0]
        if not rounds:
            rounds = [moves for _, moves in self._turns]
        if not rounds:
            return LAST_RESORT, "a guess"
        newest, *older = reversed(rounds)
        order = sorted(
            newest, key=lambda move: (move in self._made, -sum(move in old for old in older))
        )
        is_of_turn = any(at == turn for at, _ in self._turns)
        return order[0], "legal in this turn" if is_of_turn else "legal in an earlier turn"


def move_legal_by_facts(ruleset: Ruleset, role: str, *, at_first: bool = False) -> Term | None:
    """Return a move that is legal for a role in every state, or ``at_first``; None without any."""
    facts = _Facts(ruleset, of_initial_state=at_first)
    names = [name for name in ruleset.roles if name.name.lower() == role.lower()]
    try:
        return next(facts.legal_moves(names[0]), None) if names else None
    except RecursionError:  # terms that are nested beyond any depth
        return None


class _Facts:
    """The facts of a ruleset, in which the bodies of rules are looked up.

    What is ``true`` in the initial state is among them where they are ``of_initial_state``.
    """

    def __init__(self, ruleset: Ruleset, *, of_initial_state: bool) -> None:
        self._rules = [rule for rule in ruleset.rules if rule.head.relation == ("legal", 2)]
        self._facts: dict[RelationKey, list[Atom]] = defaultdict(list)
        for rule in ruleset.rules:
            if not rule.body:
                self._facts[rule.head.relation].append(rule.head)
        if of_initial_state:
            self._facts["true", 1] = self._facts["init", 1]
        self._tried = 0

    def legal_moves(self, role: Constant) -> Iterator[Term]:
        """Yield moves that are legal whatever the state is."""
        for rule in self._rules:
            owner, move = rule.head.args
            bound = _match(owner, role, {})
            if bound is not None:
                for found in self._solutions(_ordered(rule), bound):
                    legal = substitute_term(move, found)
                    if is_ground(legal):
                        yield legal

    def _solutions(self, body: Sequence[Literal], bound: Substitution) -> Iterator[Substitution]:
        """Yield the bindings for which each literal of a body holds by facts."""
        if not body:
            yield bound
            return
        for extended in self._bindings(body[0], bound):
            yield from self._solutions(body[1:], extended)

    def _bindings(self, literal: Literal, bound: Substitution) -> Iterator[Substitution]:
        """Yield the bindings for which a literal holds by facts; none for what is not simple."""
        if isinstance(literal, Distinct):
            left, right = (substitute_term(term, bound) for term in (literal.left, literal.right))
            if left != right and is_ground(left) and is_ground(right):
                yield bound
        elif isinstance(literal, Atom):
            for fact in self._facts.get(literal.relation, ()):
                self._tried += 1
                if self._tried > MAX_FALLBACK_FACTS:
                    return
                extended = _match_all(literal.args, fact.args, bound)
                if extended is not None:
                    yield extended


def _ordered(rule: Rule) -> Sequence[Literal]:
    """Return the body of a rule, inequalities last, when their variables are bound."""
    return sorted(rule.body, key=lambda literal: isinstance(literal, Distinct))


def _match(pattern: Term, term: Term, bound: Substitution) -> Substitution | None:
    """Return the bindings with which a pattern is a term without variables; None without any."""
    if isinstance(pattern, Variable):
        known = bound.get(pattern.name)
        if known is None:
            return {**bound, pattern.name: term}
        return bound if known == term else None
    if isinstance(pattern, Function) and isinstance(term, Function):
        if (pattern.name, len(pattern.args)) != (term.name, len(term.args)):
            return None
        return _match_all(pattern.args, term.args, bound)
    return bound if pattern == term else None


def _match_all(
    patterns: Sequence[Term], terms: Sequence[Term], bound: Substitution
) -> Substitution | None:
    found: Substitution | None = bound
    for pattern, term in zip(patterns, terms, strict=True):
        if found is not None:
            found = _match(pattern, term, found)
    return found
