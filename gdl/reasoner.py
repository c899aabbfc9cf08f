"""The reasoner: a state machine that evaluates the rules themselves, bottom-up.

It is the oracle that faster machines are compared with, and what a player reasons with until
one of them is ready. The rules are rewritten to a normal form, flattened, and compiled once to
join plans (:mod:`gdl.program`); static relations are evaluated once; what a state asks for is
evaluated when it is first asked for, and remembered while the state is among the latest used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from gdl.dependencies import Level, components, dependency_graph, reachable
from gdl.domains import Flow, FunctionKey, Position, domains_of
from gdl.errors import MoveError, ResourceLimitError, RulesetError
from gdl.flattening import Flattening
from gdl.program import Context, Program
from gdl.rewrite import normal_form
from gdl.ruleset import RelationKey, Rule, Ruleset
from gdl.state_machine import State
from gdl.terms import Constant, Function, Term
from gdl.vocabulary import Key, Vocabulary, ids_of, key_of

REMEMBERED_STATES = 256
"""How many states keep what has been evaluated for them."""

REMEMBERED_MOVES = 65536
"""How many moves are remembered in the form that rules match."""

_ASKED = (("role", 1), ("init", 1), ("legal", 2), ("next", 1), ("goal", 2), ("terminal", 0), ("sees", 2))


def interpret(ruleset: Ruleset) -> ReasonerStateMachine:
    """Return the state machine that reasons over the rules themselves.

    Raises :class:`gdl.RulesetError` where the rules have no roles, leave a variable unbound or
    negate in a circle; :class:`gdl.ResourceLimitError` where they grow beyond the bounds.
    """
    return ReasonerStateMachine(ruleset)


class ReasonerState:
    """A state: one table of rows for each kind of fluent."""

    __slots__ = ("_fluents", "_hash", "tables")

    def __init__(self, fluents: _Fluents, tables: tuple[frozenset[Key], ...]) -> None:
        self.tables = tables
        self._fluents = fluents
        self._hash = hash(tables)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ReasonerState):
            return NotImplemented
        return self.tables == other.tables and self._fluents is other._fluents

    def __iter__(self) -> Iterator[Term]:
        return self._fluents.terms(self.tables)

    def __len__(self) -> int:
        return sum(map(len, self.tables))

    def __repr__(self) -> str:
        return f"<state {' '.join(sorted(map(str, self)))}>"


class _Variants:
    """The relations that a core relation is flattened into, and their rows as terms."""

    def __init__(
        self,
        program_vocabulary: Vocabulary,
        variants: Sequence[tuple[RelationKey, FunctionKey | None]],
    ) -> None:
        self.relations = [relation for relation, _ in variants]
        self._functions = [function for _, function in variants]
        self._index = {function: i for i, function in enumerate(self._functions)}
        self._vocabulary = program_vocabulary
        self._terms: list[dict[Key, tuple[str, Term]]] = [{} for _ in variants]

    def named(self, variant: int, row: Key) -> tuple[str, Term]:
        """Return the term of a row, after its text."""
        known = self._terms[variant].get(row)
        if known is None:
            function = self._functions[variant]
            terms = tuple(map(self._vocabulary.decode, ids_of(row)))
            term = terms[0] if function is None else Function(function[0], terms)
            known = self._terms[variant][row] = str(term), term
        return known

    def row(self, term: Term) -> tuple[int, tuple[int, ...]] | None:
        """Return the variant and the columns of a term, None for an unknown function."""
        if isinstance(term, Function):
            variant = self._index.get((term.name, len(term.args)))
            if variant is None:
                return None
            return variant, tuple(map(self._vocabulary.encode, term.args))
        return self._index[None], (self._vocabulary.encode(term),)


class _Fluents(_Variants):
    """The kinds of fluents, in the order of a state's tables."""

    def terms(self, tables: tuple[frozenset[Key], ...]) -> Iterator[Term]:
        """Yield the facts of a state."""
        for variant, table in enumerate(tables):
            for row in table:
                yield self.named(variant, row)[1]


class ReasonerStateMachine:
    """A game, answered for by evaluating its rules; see :class:`gdl.StateMachine`."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        rules = normal_form(ruleset.rules, ruleset.source)
        graph = dependency_graph(rules)
        wanted = reachable(graph, _ASKED)
        order = {r: i for i, c in enumerate(components(graph)) for r in c}
        rules = [rule for rule in rules if rule.head.relation in wanted]
        rules.sort(key=lambda rule: order[rule.head.relation])
        flattening = Flattening(domains_of(rules))
        self._vocabulary = Vocabulary()
        self._fluents = _Fluents(self._vocabulary, list(flattening.variants(("true", 1))))
        self._moves = _Variants(self._vocabulary, list(flattening.variants(("does", 2))))
        self._program = _program(
            flattening.rules(rules), self._fluents, self._moves, self._vocabulary
        )
        self._link()
        self.roles = self._find_roles()
        self._role_ids = [self._vocabulary.encode(role) for role in self.roles]
        self._role_index = {role: i for i, role in enumerate(self.roles)}
        self._view = lru_cache(maxsize=REMEMBERED_STATES)(self._new_view)
        self._row_of_move = lru_cache(maxsize=REMEMBERED_MOVES)(
            lambda move: self._moves.row(ruleset.spell(move))
        )

    def _link(self) -> None:
        """Ask the program for the accesses that the machine's answers need."""
        program = self._program
        every = [tuple(range(relation[1])) for relation in self._fluents.relations]
        following = [_renamed(r, "true", "next") for r in self._fluents.relations]
        initial = [_renamed(r, "true", "init") for r in self._fluents.relations]
        legal = [_renamed(r, "does", "legal") for r in self._moves.relations]
        self._init_access = [program.table(r, (), e) for r, e in zip(initial, every, strict=True)]
        self._next_access = [program.table(r, (), e) for r, e in zip(following, every, strict=True)]
        self._legal_access = [program.table(r, (0,), tuple(range(1, r[1]))) for r in legal]
        self._goal_access = program.table(("goal", 2), (0,), (1,))
        self._sees_access = program.table(("sees", 2), (0,), (1,))
        self._role_access = program.table(("role", 1), (), (0,))
        self._is_called = program.calls(("terminal", 0), (), 1.0)
        self._terminal_access = (program.call if self._is_called else program.table)(
            ("terminal", 0), (), ()
        )
        program.compile()
        self._functions = {
            access.name: program.function(access)
            for access in [
                *self._init_access,
                *self._next_access,
                *self._legal_access,
                self._goal_access,
                self._sees_access,
                self._role_access,
                self._terminal_access,
            ]
        }

    def _find_roles(self) -> tuple[Constant, ...]:
        stated = [role.name for role in self.ruleset.roles]
        derived = [self._vocabulary.decode(r) for r in self._get(self._role_access, [], [])]
        names = {role.name: role for role in derived if isinstance(role, Constant)}
        ordered = dict.fromkeys([*stated, *sorted(names)])
        if not ordered:
            raise RulesetError(f"{self.ruleset.source.name}: the rules name no role")
        return tuple(names[name] for name in ordered)

    # ------------------------------------------------------------------ answers

    def initial_state(self) -> State:
        """Return the state in which a match begins."""
        tables = tuple(frozenset(self._get(a, [], [])) for a in self._init_access)
        return ReasonerState(self._fluents, tables)

    def legal_moves(self, state: State, role: Term) -> tuple[Term, ...]:
        """Return the role's legal moves, sorted by their text."""
        view, role_id = self._view(state), self._role_ids[self._index_of(role)]
        named = self._moves.named
        moves = [
            named(variant, row)
            for variant, access in enumerate(self._legal_access)
            for row in self._get(access, view, []).get(role_id, ())
        ]
        moves.sort()
        return tuple([term for _, term in moves])

    def next_state(self, state: State, joint_move: Sequence[Term]) -> State:
        """Return the state after the joint move, which is not checked for legality."""
        view, transition = self._view(state), self._transition(joint_move)
        tables = tuple([frozenset(self._get(a, view, transition)) for a in self._next_access])
        return ReasonerState(self._fluents, tables)

    def is_terminal(self, state: State) -> bool:
        """Tell whether the match is over."""
        return bool(self._get(self._terminal_access, self._view(state), []))

    def goal(self, state: State, role: Term) -> int | None:
        """Return the role's lowest goal value, None where none holds."""
        return min(self.goals(state, role), default=None)

    def goals(self, state: State, role: Term) -> tuple[int, ...]:
        """Return every goal value that holds for the role, in rising order.

        A goal that is no integer has no value.
        """
        found = self._get(self._goal_access, self._view(state), [])
        terms = map(self._vocabulary.decode, found.get(self._role_ids[self._index_of(role)], ()))
        names = [str(term) for term in terms]
        return tuple(sorted({int(name) for name in names if name.isascii() and name.isdigit()}))

    def percepts(self, state: State, joint_move: Sequence[Term], role: Term) -> tuple[Term, ...]:
        """Return what the role sees of the joint move, sorted by its text."""
        view, transition = self._view(state), self._transition(joint_move)
        seen = self._get(self._sees_access, view, transition)
        terms = map(self._vocabulary.decode, seen.get(self._role_ids[self._index_of(role)], ()))
        return tuple(sorted(terms, key=str))

    def generated_source(self) -> str:
        """Return the Python that the rules were compiled to, for the curious."""
        return self._program.source()

    # ------------------------------------------------------------------ contexts

    def _get(self, access: Any, view: Context, transition: Context) -> Any:
        """Return the table of an access, evaluated if this is the first time."""
        context = (self._program.static, view, transition)[access.level]
        table = context[access.slot] if not (access is self._terminal_access) else None
        if table is None:
            table = self._functions[access.name](*(view, transition)[: access.level])
        return table

    def _new_view(self, state: State) -> Context:
        if not isinstance(state, ReasonerState):
            raise TypeError(f"expected a state of this machine, found {type(state).__name__}")
        tables = state.tables
        return [*tables, *[None] * (self._program.sizes[Level.VIEW] - len(tables))]

    def _transition(self, joint_move: Sequence[Term]) -> Context:
        if len(joint_move) != len(self.roles):
            message = f"expected {len(self.roles)} moves, one per role, found {len(joint_move)}"
            raise MoveError(message)
        tables: list[set[Key]] = [set() for _ in self._moves.relations]
        for role_id, move in zip(self._role_ids, joint_move, strict=True):
            found = self._row_of_move(move)
            if found is not None:
                variant, columns = found
                tables[variant].add(key_of([role_id, *columns]))
        return [*tables, *[None] * (self._program.sizes[Level.TRANSITION] - len(tables))]

    def _index_of(self, role: Term) -> int:
        index = self._role_index.get(role)  # type: ignore[call-overload]  # any term may be asked
        if index is None:
            index = self._role_index.get(self.ruleset.spell(role))  # type: ignore[call-overload]
        if index is None:
            names = ", ".join(map(str, self.roles))
            raise MoveError(f"no role is called {role}; the roles are {names}")
        return int(index)


def _renamed(relation: RelationKey, old: str, new: str) -> RelationKey:
    return new + relation[0].removeprefix(old), relation[1]


def _program(
    rules: Sequence[Rule], fluents: _Variants, moves: _Variants, vocabulary: Vocabulary
) -> Program:
    flows: list[Flow] = []
    for name in ("init", "next"):
        flows += _flows(fluents.relations, "true", name)
    flows += _flows(moves.relations, "does", "legal")
    given = dict.fromkeys(fluents.relations, Level.VIEW)
    given |= dict.fromkeys(moves.relations, Level.TRANSITION)
    program = Program(rules, given, domains_of(rules, flows), vocabulary)
    try:
        program.prepare({r: _renamed(r, "true", "init") for r in fluents.relations})
    except RecursionError:
        raise ResourceLimitError("the rules are chained too deeply") from None
    return program


def _flows(relations: Sequence[RelationKey], target: str, origin: str) -> Iterator[Flow]:
    for relation in relations:
        source = _renamed(relation, target, origin)
        for column in range(relation[1]):
            yield Position(True, *source, column), Position(True, *relation, column)
