"""The reasoner: a state machine that evaluates the rules themselves, bottom-up.

It is the oracle that faster machines are compared with, and what a player uses until one of them
is ready. The rules are brought into normal form, flattened and compiled once
(:mod:`gdl.datalog.program`), and static relations are evaluated once. All else is evaluated for a
state when it is first asked for, and kept while the state is among those used last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gdl.datalog import (
    AccessPath,
    Context,
    Key,
    Program,
    SymbolTable,
    Table,
    counterpart,
    domains_of,
    flatten_rules,
    goal_value,
    ids_of,
    index_of_role,
    key_of,
    ordered_roles,
)
from gdl.errors import MoveError, RulesetError
from gdl.language import (
    MACHINE_RELATIONS,
    Atom,
    Level,
    RelationKey,
    Rule,
    Ruleset,
    Term,
    Variable,
    as_term,
    check_ruleset,
    parse,
    substitute,
    variables_in,
)
from gdl.reasoner.encoding import Fluents, ReasonerState, SpecializedRelations
from gdl.state_machine import CheckedMoves, State

REMEMBERED_STATES = 256
"""The number of states for which evaluated tables are kept."""

REMEMBERED_MOVES = 65536
"""The number of moves whose encoding is kept."""


def interpret(ruleset: Ruleset) -> ReasonerStateMachine:
    """Return the state machine that evaluates the rules themselves.

    Raises :class:`gdl.RulesetError` if the rules have no roles, leave a variable unbound or let
    negation run in a cycle; :class:`gdl.ResourceLimitError` if they exceed a limit of size;
    TypeError for what is no ruleset.
    """
    check_ruleset(ruleset)
    return ReasonerStateMachine(ruleset)


def ask(ruleset: Ruleset, query: Atom | str) -> list[Atom]:
    """Return the ground atoms that match a query and follow from the rules alone.

    No fact of a state and no move is given: ``true`` and ``does`` hold for nothing. The rules need
    not be a game's. The answers are sorted by their text.
    """
    check_ruleset(ruleset)
    atom = parse(f"(<= (asked) {query})").rules[0].body[0]
    if not isinstance(atom, Atom):
        raise RulesetError(f"expected an atom to ask for, found {query}")
    names = list(dict.fromkeys(variable.name for variable in variables_in(atom)))
    head = Atom(" asked", tuple(map(Variable, names)))  # no rulesheet can use this name
    asked = replace(ruleset, rules=(*ruleset.rules, Rule(head, (atom,))))
    rules = _CompiledRules(asked, (head.relation,))
    answer = rules.rows_of(head.relation)
    rows = answer(rules.context(Level.VIEW), rules.context(Level.TRANSITION))
    decoded = ([rules.symbols.decode(i) for i in ids_of(row)] for row in rows)
    bindings = (dict(zip(names, terms, strict=True)) for terms in decoded)
    answers = [substitute(atom, binding) for binding in bindings]
    return sorted((a for a in answers if isinstance(a, Atom)), key=str)


def evaluate_static(
    ruleset: Ruleset, relations: Iterable[RelationKey]
) -> dict[RelationKey, list[tuple[Term, ...]]]:
    """Return all rows of relations that depend on nothing but the rules, in no particular order.

    No fact of a state and no move is given, as for :func:`ask`. Raises :class:`gdl.RulesetError`
    for rules that cannot be evaluated.
    """
    asked = tuple(relations)
    rules = _CompiledRules(ruleset, asked)
    queries = {relation: rules.rows_of(relation) for relation in asked}
    view, transition = rules.context(Level.VIEW), rules.context(Level.TRANSITION)
    decode = rules.symbols.decode
    return {
        relation: [tuple(map(decode, ids_of(row))) for row in query(view, transition)]
        for relation, query in queries.items()
    }


class _Query:
    """A relation's rows or truth in given contexts: evaluated when first asked for, then kept."""

    __slots__ = ("_function", "_level", "_program", "_slot")

    def __init__(self, program: Program, access: AccessPath, *, called: bool) -> None:
        self._program = program
        self._level = access.level
        self._slot = None if called else access.slot
        self._function: Callable[..., Any] = program.function(access)

    def __call__(self, view: Context, transition: Context) -> Any:  # noqa: ANN401 set, dict or bool
        contexts = self._program.static, view, transition
        if self._slot is not None:
            known = contexts[self._level][self._slot]
            if known is not None:
                return known
        return self._function(*contexts[1 : 1 + self._level])


class _CompiledRules:
    """A program of the rules that the relations ``asked`` for are defined through."""

    def __init__(self, ruleset: Ruleset, asked: Iterable[RelationKey]) -> None:
        flat = flatten_rules(ruleset, asked)
        self.symbols = SymbolTable()
        self.fluents = Fluents(self.symbols, flat.fluents)
        self.moves = SpecializedRelations(self.symbols, flat.moves)
        given = dict.fromkeys(self.fluents.relations, Level.VIEW)
        given |= dict.fromkeys(self.moves.relations, Level.TRANSITION)
        domains = domains_of(flat.rules, flat.column_flows())
        self.program = Program(flat.rules, given, domains, self.symbols)
        self.program.prepare({r: counterpart(r, "init") for r in self.fluents.relations})

    def context(self, level: Level, tables: Sequence[Table] = ()) -> Context:
        """Return a new context with the given tables, or with empty ones."""
        relations = (self.fluents if level is Level.VIEW else self.moves).relations
        given = tables or [frozenset[Key]()] * len(relations)
        return [*given, *[None] * (self.program.sizes[level] - len(relations))]

    def rows_of(self, relation: RelationKey) -> _Query:
        """Return the query for all rows of a relation."""
        every = tuple(range(relation[1]))
        return _Query(self.program, self.program.table(relation, (), every), called=False)

    def rows_by_role(self, relation: RelationKey) -> _Query:
        """Return the query for a relation's rows, indexed by their first column."""
        columns = tuple(range(1, relation[1]))
        return _Query(self.program, self.program.table(relation, (0,), columns), called=False)

    def truth_of(self, relation: RelationKey) -> _Query:
        """Return the query whether a relation without arguments holds."""
        called = self.program.should_call(relation, (), 1.0)
        access = (self.program.call if called else self.program.table)(relation, (), ())
        return _Query(self.program, access, called=called)


class ReasonerStateMachine(CheckedMoves):
    """A state machine that evaluates the rules of its game; see :class:`gdl.StateMachine`."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self._rules = _CompiledRules(ruleset, MACHINE_RELATIONS)
        self._program, self._symbols = self._rules.program, self._rules.symbols
        self._fluents, self._moves = self._rules.fluents, self._rules.moves
        self._prepare_queries()
        self.roles = ordered_roles(ruleset, map(self._symbols.decode, self._role([], [])))
        self._role_ids = [self._symbols.encode(role) for role in self.roles]
        self._role_index = {role.name: i for i, role in enumerate(self.roles)}
        self._view = lru_cache(maxsize=REMEMBERED_STATES)(self._new_view)
        self._row_of_move = lru_cache(maxsize=REMEMBERED_MOVES)(
            lambda move: self._moves.row(ruleset.spell(as_term(move)))
        )

    def _prepare_queries(self) -> None:
        """Compile the queries that the machine answers from."""
        fluents, moves = self._fluents.relations, self._moves.relations
        self._init = [self._rules.rows_of(counterpart(r, "init")) for r in fluents]
        self._next = [self._rules.rows_of(counterpart(r, "next")) for r in fluents]
        self._legal = [self._rules.rows_by_role(counterpart(r, "legal")) for r in moves]
        self._goal = self._rules.rows_by_role(("goal", 2))
        self._sees = self._rules.rows_by_role(("sees", 2))
        self._role = self._rules.rows_of(("role", 1))
        self._terminal = self._rules.truth_of(("terminal", 0))
        self._program.compile()

    # ------------------------------------------------------------------ answers

    def initial_state(self) -> State:
        """Return the state in which a match begins."""
        tables = tuple(frozenset(rows([], [])) for rows in self._init)
        return ReasonerState(self._fluents, tables)

    def state_of(self, facts: Iterable[Term]) -> State:
        """Return the state in which just the given facts are true, of any machine of the game.

        Facts that no rule speaks of are left out.
        """
        rows = map(self._fluents.row, map(self.ruleset.spell, facts))
        tables: list[set[Key]] = [set() for _ in self._fluents.relations]
        for index, columns in filter(None, rows):
            tables[index].add(key_of(list(columns)))
        return ReasonerState(self._fluents, tuple(map(frozenset, tables)))

    def legal_moves(self, state: State, role: Term | str) -> tuple[Term, ...]:
        """Return the role's legal moves, sorted by their text."""
        view, role_id = self._view(state), self._role_ids[self._index_of(role)]
        decode = self._moves.text_and_term
        moves = [
            decode(index, row)
            for index, rows_by_role in enumerate(self._legal)
            for row in rows_by_role(view, []).get(role_id, ())
        ]
        moves.sort()
        return tuple([term for _, term in moves])

    def next_state(self, state: State, joint_move: Sequence[Term | str]) -> State:
        """Return the state after the joint move, which is not checked; ``step`` checks it."""
        view, transition = self._view(state), self._transition(joint_move)
        tables = tuple([frozenset(rows(view, transition)) for rows in self._next])
        return ReasonerState(self._fluents, tables)

    def is_terminal(self, state: State) -> bool:
        """Check whether the match is over."""
        return bool(self._terminal(self._view(state), []))

    def goal(self, state: State, role: Term | str) -> int | None:
        """Return the role's lowest goal value, None where none holds."""
        return min(self.goals(state, role), default=None)

    def goals(self, state: State, role: Term | str) -> tuple[int, ...]:
        """Return every goal value that holds for the role, in rising order.

        Goals that are not integers are ignored.
        """
        found = self._goal(self._view(state), [])
        terms = map(self._symbols.decode, found.get(self._role_ids[self._index_of(role)], ()))
        values = {goal_value(term) for term in terms}
        return tuple(sorted(value for value in values if value is not None))

    def percepts(
        self, state: State, joint_move: Sequence[Term | str], role: Term | str
    ) -> tuple[Term, ...]:
        """Return the role's percepts of the joint move, sorted by their text."""
        view, transition = self._view(state), self._transition(joint_move)
        seen = self._sees(view, transition)
        terms = map(self._symbols.decode, seen.get(self._role_ids[self._index_of(role)], ()))
        return tuple(sorted(terms, key=str))

    # ------------------------------------------------------------------ contexts

    def _new_view(self, state: State) -> Context:
        if not isinstance(state, ReasonerState):
            raise TypeError(f"expected a state of this machine, found {type(state).__name__}")
        return self._rules.context(Level.VIEW, state.tables)

    def _transition(self, joint_move: Sequence[Term | str]) -> Context:
        if len(joint_move) != len(self.roles):
            message = f"expected {len(self.roles)} moves, one per role, found {len(joint_move)}"
            raise MoveError(message)
        tables: list[set[Key]] = [set() for _ in self._moves.relations]
        for role_id, move in zip(self._role_ids, joint_move, strict=True):
            found = self._row_of_move(move)
            if found is not None:
                index, columns = found
                tables[index].add(key_of([role_id, *columns]))
        return self._rules.context(Level.TRANSITION, tables)

    def _index_of(self, role: Term | str) -> int:
        index = self._role_index.get(str(role))
        return index_of_role(self.ruleset, self.roles, role) if index is None else index
