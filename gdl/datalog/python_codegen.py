"""Generated Python: one function for each table, index or call that the plans ask for.

Nothing of a rulesheet's text enters the source: variables are numbered, constants are ids, and
tables and functions are known by number. What a function needs is passed in *contexts*, lists
with one slot per table: ``S`` holds what is static, ``V`` what depends on the state, ``D`` what
depends on the joint move as well. A slot is None until it is first asked for.

A row is a *key*: the bare id for one column, otherwise a tuple of ids. A table is a set of rows;
an index is a dictionary from the bound columns' key to the free columns' keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from gdl.datalog.cardinality import CardinalityEstimator
from gdl.datalog.join_plan import Columns, Exists, Loop, Step, Test, is_bound
from gdl.datalog.symbol_table import SymbolTable
from gdl.language import (
    And,
    Atom,
    Constant,
    Distinct,
    Function,
    Level,
    Literal,
    Not,
    Or,
    RelationKey,
    Rule,
    Term,
    Variable,
)

MAX_LOOPS = 12
"""Python nests at most twenty loops in a function; deeper bodies continue in another one."""

CONTEXTS = ("S", "V", "D")
CONTEXTS_BELOW = ((), ("V",), ("V", "D"))
"""The contexts that a function of each level is called with; S is global."""


def parameters(level: Level, *more: str) -> str:
    """Return the parameter list of a function of a level, or the arguments to call it with."""
    return ", ".join([*CONTEXTS_BELOW[level], *more])


@dataclass(frozen=True, slots=True)
class Access:
    """A way into a relation: which columns are given, which are asked for.

    ``name`` is the number that the generated function carries; ``slot`` the place of the table,
    index or memo in the context of ``level``.
    """

    relation: RelationKey
    bound: Columns
    free: Columns
    level: Level
    name: str
    slot: int

    @property
    def place(self) -> str:
        """The slot, as an expression to read from or to assign to."""
        return f"{CONTEXTS[self.level]}[{self.slot}]"

    @property
    def local(self) -> str:
        """The local variable that holds the table once it is fetched."""
        return f"_{self.name}"

    def call(self, *arguments: str) -> str:
        """Return the expression that calls the access's function."""
        return f"{self.name}({parameters(self.level, *arguments)})"

    def fetch(self) -> list[str]:
        """Return the lines that bring the table into its local variable."""
        return [
            f"{self.local} = {self.place}",
            f"if {self.local} is None: {self.local} = {self.call()}",
        ]


class Library(Protocol):
    """Where generated code gets its accesses from."""

    vocabulary: SymbolTable
    statistics: CardinalityEstimator

    def table(self, relation: RelationKey, bound: Columns, free: Columns) -> Access:
        """Return the access to a table or an index."""
        ...

    def call(self, relation: RelationKey, bound: Columns, free: Columns) -> Access:
        """Return the access through a function that is called for each key."""
        ...

    def calls(self, relation: RelationKey, bound: Columns, times: float) -> bool:
        """Tell whether the relation is better called than evaluated whole."""
        ...

    def is_joint_move(self, relation: RelationKey) -> bool:
        """Tell whether the relation holds the joint move: a row per role, not worth an index."""
        ...

    def helper(self, parameters: str, lines: list[str]) -> str:
        """Add a helper function and return its name."""
        ...


@dataclass(frozen=True, slots=True)
class Growing:
    """A table of the component under evaluation, known by local names while it grows."""

    table: str
    indexes: dict[tuple[Columns, Columns], str]
    complement: str | None = None
    """The set that atoms negated within the component are looked up in."""

    def index(self, bound: Columns, free: Columns) -> str:
        """Return the name of an index, which is kept from now on."""
        return self.indexes.setdefault((bound, free), f"{self.table}_{len(self.indexes)}")

    def locals(self) -> Iterable[str]:
        """Return the names of the local variables."""
        return filter(None, (self.table, self.complement, *self.indexes.values()))


Success: TypeAlias = "Callable[[FunctionWriter, str], None]"
"""What to write for a solution, given the expression of the head's row."""


class FunctionWriter:
    """Writes the body of one generated function."""

    def __init__(
        self, library: Library, level: Level, growing: Mapping[RelationKey, Growing] | None = None
    ) -> None:
        self.library = library
        self.level = level
        self.growing = growing or {}
        self.lines: list[str] = []
        self.prologue: list[str] = []
        self.indent = 1
        self._locals: dict[str, str] = {}
        self._count = 0
        self._depth = 0
        self._fetched: set[str] = set()
        self._hoist = (0, 1)

    # ------------------------------------------------------------------ lines

    def line(self, text: str) -> None:
        """Write one line at the present indentation."""
        self.lines.append("    " * self.indent + text)

    def rule(
        self,
        rule: Rule,
        steps: Sequence[Step],
        success: Success,
        given: Sequence[tuple[Term, str]] = (),
    ) -> None:
        """Write a rule's steps; ``success`` writes what happens with each row of its head.

        ``given`` are terms of the rule with the local variables that hold their values.
        """
        self._locals = {}
        if not self.growing:
            self._fetched.clear()
        fresh = {term.name for term, _ in given if isinstance(term, Variable)}
        tests = len(fresh) < len(given) or not (
            steps and isinstance(steps[0], Loop) and steps[0].free
        )
        if tests:  # `continue` leaves the rule
            self.line("for _ in ONCE:")
            self.indent += 1
        for term, local in given:
            self._match(term, local)
        self.steps(steps, rule.head.args, success)
        if tests:
            self.indent -= 1

    def steps(self, steps: Sequence[Step], head: Sequence[Term], success: Success) -> None:
        """Write steps and, inside them, what ``success`` writes."""
        for index, step in enumerate(steps):
            if isinstance(step, Loop) and step.free:
                if self._depth >= MAX_LOOPS:
                    row = self._temporary()
                    self.line(f"for {row} in {self._elsewhere(steps[index:], head)}:")
                    self.indent += 1
                    success(self, row)
                    self.indent -= 1
                    return
                self._open_loop(step)
                self.steps(steps[index + 1 :], head, success)
                self._close_loop()
                return
            self._check(step, "continue")
        success(self, key_text([self.value(term) for term in head]))

    def _check(self, step: Step, fail: str) -> None:
        if isinstance(step, Exists):
            self._exists(step.steps, fail)
        else:
            literal = step.literal if isinstance(step, Test) else step.atom
            self.line(f"if not {self._condition(literal, step.times)}: {fail}")

    def _exists(self, steps: Sequence[Step], fail: str) -> None:
        """Write loops that end at the first solution: for .. else .. break at every level."""
        for index, step in enumerate(steps):
            if isinstance(step, Loop) and step.free:
                if self._depth >= MAX_LOOPS:
                    self.line(f"if not {self._elsewhere(steps[index:], ())}: {fail}")
                    return
                known = dict(self._locals)
                self._open_loop(step)
                self._exists(steps[index + 1 :], "continue")
                self.line("break")
                self._close_loop()
                self.line(f"else: {fail}")
                self._locals = known
                return
            self._check(step, fail)

    def _open_loop(self, step: Loop) -> None:
        source, columns = self._rows(step)
        if self._depth == 0:
            self._hoist = (len(self.lines), self.indent)
        targets: list[str] = []
        matches: list[tuple[Term, str]] = []
        for column in columns:
            term = step.atom.args[column]
            if isinstance(term, Variable) and term.name not in self._locals:
                targets.append(self._bind(term.name))
            else:
                targets.append(self._temporary())
                matches.append((term, targets[-1]))
        self.line(f"for {key_text(targets)} in {source}:")
        self.indent += 1
        self._depth += 1
        for term, local in matches:
            self._match(term, local)

    def _close_loop(self) -> None:
        self.indent -= 1
        self._depth -= 1

    def _match(self, term: Term, local: str) -> None:
        if isinstance(term, Variable) and term.name not in self._locals:
            self._locals[term.name] = local
        elif is_bound(term, self._locals):
            self.line(f"if {local} != {self.value(term)}: continue")
        else:
            assert isinstance(term, Function)
            table = self._function(term)
            parts = [self._temporary() for _ in term.args]
            key = self._temporary()
            self.line(f"{key} = {table}_arguments({local})")
            self.line(f"if {key} is None: continue")
            self.line(f"{key_text(parts)} = {key}")
            for argument, part in zip(term.args, parts, strict=True):
                self._match(argument, part)

    # ------------------------------------------------------------------ long bodies

    def _elsewhere(self, steps: Sequence[Step], head: Sequence[Term]) -> str:
        """Write the steps into a function of their own; return the expression that calls it.

        It returns the set of the head's rows.
        """
        writer = FunctionWriter(self.library, self.level, self.growing)
        writer._locals = dict(self._locals)
        writer._count = self._count
        writer.line("out = set()")
        writer.line("for _ in ONCE:")
        writer.indent += 1
        writer.steps(steps, head, lambda w, row: w.line(f"out.add({row})"))
        writer.indent -= 1
        writer.line("return out")
        growing = [local for g in self.growing.values() for local in g.locals()]
        arguments = dict.fromkeys([*self._locals.values(), *growing])
        signature = parameters(self.level, *arguments)
        name = self.library.helper(signature, [*writer.prologue, *writer.lines])
        return f"{name}({signature})"

    # ------------------------------------------------------------------ expressions

    def value(self, term: Term) -> str:
        """Return the expression for the id of a term, which is made if it is new."""
        if isinstance(term, Constant):
            return str(self.library.vocabulary.constant(term.name))
        if isinstance(term, Variable):
            return self._locals[term.name]
        parts = key_text([self.value(argument) for argument in term.args])
        return f"{self._function(term)}_make({parts})"

    def _lookup(self, term: Term) -> str:
        """Return the expression for the id of a term, None where it was never made."""
        if not isinstance(term, Function):
            return self.value(term)
        parts = key_text([self._lookup(argument) for argument in term.args])
        return f"{self._function(term)}_id({parts})"

    def _condition(self, literal: Literal, times: float) -> str:
        if isinstance(literal, Distinct):
            return f"({self.value(literal.left)} != {self.value(literal.right)})"
        if isinstance(literal, Not):
            if isinstance(literal.literal, Atom) and literal.literal.relation in self.growing:
                complement = self.growing[literal.literal.relation].complement
                key = key_text([self._lookup(term) for term in literal.literal.args])
                return f"({key} not in {complement})"
            return f"(not {self._condition(literal.literal, times)})"
        if isinstance(literal, Or | And):
            if not literal.literals:
                return str(isinstance(literal, And))
            word = " or " if isinstance(literal, Or) else " and "
            return f"({word.join(self._condition(part, times) for part in literal.literals)})"
        return self._holds(literal, times)

    def _holds(self, atom: Atom, times: float) -> str:
        """Return the condition that some row matches the atom's bound arguments."""
        bound = tuple(i for i, term in enumerate(atom.args) if is_bound(term, self._locals))
        if self.library.calls(atom.relation, bound, times):
            made = [self.value(atom.args[i]) for i in bound]
            return self.library.call(atom.relation, bound, ()).call(*made)
        values = [self._lookup(atom.args[i]) for i in bound]
        if atom.relation in self.growing:
            return self._in_growing(atom.relation, bound, values)
        table = self._fetch(self.library.table(atom.relation, bound, ()))
        if not bound:
            return f"(len({table}) > 0)"
        return f"({key_text(values)} in {table})"

    def _in_growing(self, relation: RelationKey, bound: Columns, values: list[str]) -> str:
        growing = self.growing[relation]
        if len(bound) == relation[1]:
            return f"({key_text(values)} in {growing.table})"
        if not bound:
            return f"(len({growing.table}) > 0)"
        return f"({key_text(values)} in {growing.index(bound, ())})"

    def _rows(self, step: Loop) -> tuple[str, Columns]:
        """Return the expression that a loop runs over, and the columns of what it yields."""
        relation, bound, free = step.atom.relation, step.bound, step.free
        values = [self._lookup(step.atom.args[i]) for i in bound]
        if relation in self.growing:
            if bound:
                index = self.growing[relation].index(bound, free)
                return f"{index}.get({key_text(values)}, NONE)", free
            return f"tuple({self.growing[relation].table})", tuple(range(relation[1]))
        if self.library.is_joint_move(relation):
            every = tuple(range(relation[1]))
            return self._fetch(self.library.table(relation, (), every)), every
        if self.library.calls(relation, bound, step.times):
            made = [self.value(step.atom.args[i]) for i in bound]
            return self.library.call(relation, bound, free).call(*made), free
        table = self._fetch(self.library.table(relation, bound, free))
        return (f"{table}.get({key_text(values)}, NONE)" if bound else table), free

    def _fetch(self, access: Access) -> str:
        if access.local in self._fetched:
            return access.local
        self._fetched.add(access.local)
        if self.growing:
            self.prologue += ["    " + line for line in access.fetch()]
        elif self._depth == 0:
            for line in access.fetch():
                self.line(line)
        else:
            at, indent = self._hoist
            lines = ["    " * indent + line for line in access.fetch()]
            self.lines[at:at] = lines
            self._hoist = (at + len(lines), indent)
        return access.local

    def _function(self, term: Function) -> str:
        return function_name(self.library.vocabulary, term)

    def _bind(self, variable: str) -> str:
        local = self._locals[variable] = self._temporary()
        return local

    def _temporary(self) -> str:
        self._count += 1
        return f"v{self._count}"


def function_name(vocabulary: SymbolTable, term: Function) -> str:
    """Return the name under which generated code knows a function's table."""
    return f"f{vocabulary.function(term.name, len(term.args)).number}"


def key_text(parts: Sequence[str]) -> str:
    """Return the expression, or the target, for several values as one key."""
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
