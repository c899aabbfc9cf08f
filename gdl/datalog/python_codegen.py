"""Code generation: one Python function for each table, index or call that the plans need.

Why Python text: a join plan becomes nested loops over sets and dictionaries of ids, without the
cost of interpreting a plan step by step, and is ready in milliseconds. Machine code would take
seconds to compile and spend its time in the same hash tables.

No text of a rulesheet enters the source: variables are numbered, constants are ids, and tables
and functions are known by number. What a function needs is passed in *contexts*, lists with one
slot per table: ``S`` holds what is static, ``V`` what depends on the state, ``D`` what depends on
the joint move as well. A slot is None until it is first asked for.

A row is a *key*: the bare id for one column, otherwise a tuple of ids. A table is a set of rows;
an index is a dictionary from the bound columns' key to the free columns' keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from gdl.datalog.join_plan import Columns, Exists, Filter, Loop, Step, is_bound
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

if TYPE_CHECKING:
    from gdl.datalog.program import Program

MAX_LOOPS = 12
"""CPython nests at most 20 blocks; what lies deeper is outlined into a function of its own."""

CONTEXTS = ("S", "V", "D")
CONTEXTS_BELOW = ((), ("V",), ("V", "D"))
"""The contexts that a function of each level is called with; S is global."""


def parameters(level: Level, *more: str) -> str:
    """Write the parameters of a function of a level, which are also the arguments of its calls."""
    return ", ".join([*CONTEXTS_BELOW[level], *more])


@dataclass(frozen=True, slots=True)
class AccessPath:
    """An access path to a relation: values for the ``bound`` columns give the ``free`` ones.

    ``name`` is the name of the generated function, ``slot`` the index of the table, the index or
    the memo in the context of ``level``.
    """

    relation: RelationKey
    bound: Columns
    free: Columns
    level: Level
    name: str
    slot: int

    @property
    def slot_text(self) -> str:
        """The slot as an expression, to read or to assign to."""
        return f"{CONTEXTS[self.level]}[{self.slot}]"

    @property
    def local(self) -> str:
        """The local variable that the table is fetched into."""
        return f"_{self.name}"

    def call(self, *arguments: str) -> str:
        """Write the call of the access path's function."""
        return f"{self.name}({parameters(self.level, *arguments)})"

    def fetch(self) -> list[str]:
        """Write the lines that fetch the table into its local variable."""
        return [
            f"{self.local} = {self.slot_text}",
            f"if {self.local} is None: {self.local} = {self.call()}",
        ]


@dataclass(frozen=True, slots=True)
class FixpointTable:
    """A table of the component under evaluation: local variables until the fixpoint is reached."""

    name: str
    indexes: dict[tuple[Columns, Columns], str]
    complement: str | None = None
    """The table that atoms negated within the component are looked up in."""

    def index(self, bound: Columns, free: Columns) -> str:
        """Return the name of an index, which is maintained from now on."""
        return self.indexes.setdefault((bound, free), f"{self.name}_{len(self.indexes)}")

    def locals(self) -> Iterable[str]:
        """Yield the names of the local variables."""
        return filter(None, (self.name, self.complement, *self.indexes.values()))


Emit: TypeAlias = "Callable[[FunctionWriter, str], None]"
"""Writes what happens with each solution, given the expression of the head's row."""


class FunctionWriter:
    """Writes the body of one generated function."""

    def __init__(
        self,
        program: Program,
        level: Level,
        fixpoint: Mapping[RelationKey, FixpointTable] | None = None,
    ) -> None:
        self.program = program
        self.level = level
        self.fixpoint = fixpoint or {}
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
        """Write one line at the current indentation."""
        self.lines.append("    " * self.indent + text)

    def rule(
        self,
        rule: Rule,
        steps: Sequence[Step],
        emit: Emit,
        given: Sequence[tuple[Term, str]] = (),
    ) -> None:
        """Write a rule's steps; ``emit`` writes what happens with each row of its head.

        ``given`` pairs terms of the rule with the local variables that hold their values.
        """
        self._locals = {}
        if not self.fixpoint:
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
        self.steps(steps, rule.head.args, emit)
        if tests:
            self.indent -= 1

    def steps(self, steps: Sequence[Step], head: Sequence[Term], emit: Emit) -> None:
        """Write the steps, nested, and inside the last one what ``emit`` writes."""
        for index, step in enumerate(steps):
            if isinstance(step, Loop) and step.free:
                if self._depth >= MAX_LOOPS:
                    row = self._temporary()
                    self.line(f"for {row} in {self._outline(steps[index:], head)}:")
                    self.indent += 1
                    emit(self, row)
                    self.indent -= 1
                    return
                self._open_loop(step)
                self.steps(steps[index + 1 :], head, emit)
                self._close_loop()
                return
            self._check(step, "continue")
        emit(self, key_text([self.value(term) for term in head]))

    def _check(self, step: Step, fail: str) -> None:
        if isinstance(step, Exists):
            self._exists(step.steps, fail)
        else:
            literal = step.literal if isinstance(step, Filter) else step.atom
            self.line(f"if not {self._condition(literal, step.times)}: {fail}")

    def _exists(self, steps: Sequence[Step], fail: str) -> None:
        """Write loops that end at the first solution: for .. else .. break at every level."""
        for index, step in enumerate(steps):
            if isinstance(step, Loop) and step.free:
                if self._depth >= MAX_LOOPS:
                    self.line(f"if not {self._outline(steps[index:], ())}: {fail}")
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

    def _outline(self, steps: Sequence[Step], head: Sequence[Term]) -> str:
        """Outline the steps into a function of their own; return the expression that calls it.

        The function returns the set of the head's rows.
        """
        writer = FunctionWriter(self.program, self.level, self.fixpoint)
        writer._locals = dict(self._locals)
        writer._count = self._count
        writer.line("out = set()")
        writer.line("for _ in ONCE:")
        writer.indent += 1
        writer.steps(steps, head, lambda w, row: w.line(f"out.add({row})"))
        writer.indent -= 1
        writer.line("return out")
        tables = [local for table in self.fixpoint.values() for local in table.locals()]
        arguments = dict.fromkeys([*self._locals.values(), *tables])
        signature = parameters(self.level, *arguments)
        name = self.program.helper(signature, [*writer.prologue, *writer.lines])
        return f"{name}({signature})"

    # ------------------------------------------------------------------ expressions

    def value(self, term: Term) -> str:
        """Write the expression for the id of a term, which is interned if it is new."""
        if isinstance(term, Constant):
            return str(self.program.symbols.constant(term.name))
        if isinstance(term, Variable):
            return self._locals[term.name]
        parts = key_text([self.value(argument) for argument in term.args])
        return f"{self._function(term)}_make({parts})"

    def _lookup(self, term: Term) -> str:
        """Write the expression for the id of a term, None for a term that was never interned."""
        if not isinstance(term, Function):
            return self.value(term)
        parts = key_text([self._lookup(argument) for argument in term.args])
        return f"{self._function(term)}_id({parts})"

    def _condition(self, literal: Literal, times: float) -> str:
        if isinstance(literal, Distinct):
            return f"({self.value(literal.left)} != {self.value(literal.right)})"
        if isinstance(literal, Not):
            if isinstance(literal.literal, Atom) and literal.literal.relation in self.fixpoint:
                complement = self.fixpoint[literal.literal.relation].complement
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
        """Write the condition that some row matches the atom's bound arguments."""
        bound = tuple(i for i, term in enumerate(atom.args) if is_bound(term, self._locals))
        if self.program.should_call(atom.relation, bound, times):
            made = [self.value(atom.args[i]) for i in bound]
            return self.program.call(atom.relation, bound, ()).call(*made)
        values = [self._lookup(atom.args[i]) for i in bound]
        if atom.relation in self.fixpoint:
            known = self.fixpoint[atom.relation]
            table = known.name if len(bound) in (0, len(atom.args)) else known.index(bound, ())
        else:
            table = self._fetch(self.program.table(atom.relation, bound, ()))
        return f"({key_text(values)} in {table})" if bound else f"(len({table}) > 0)"

    def _rows(self, step: Loop) -> tuple[str, Columns]:
        """Write the expression that a loop iterates over; return also the columns of its items."""
        relation, bound, free = step.atom.relation, step.bound, step.free
        values = [self._lookup(step.atom.args[i]) for i in bound]
        if relation in self.fixpoint:
            if bound:
                index = self.fixpoint[relation].index(bound, free)
                return f"{index}.get({key_text(values)}, NONE)", free
            return f"tuple({self.fixpoint[relation].name})", tuple(range(relation[1]))
        if self.program.is_joint_move(relation):
            every = tuple(range(relation[1]))
            return self._fetch(self.program.table(relation, (), every)), every
        if self.program.should_call(relation, bound, step.times):
            made = [self.value(step.atom.args[i]) for i in bound]
            return self.program.call(relation, bound, free).call(*made), free
        table = self._fetch(self.program.table(relation, bound, free))
        return (f"{table}.get({key_text(values)}, NONE)" if bound else table), free

    def _fetch(self, access: AccessPath) -> str:
        if access.local in self._fetched:
            return access.local
        self._fetched.add(access.local)
        if self.fixpoint:
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
        """Return the prefix of a function's names."""
        return f"f{self.program.symbols.function(term.name, len(term.args)).number}"

    def _bind(self, variable: str) -> str:
        local = self._locals[variable] = self._temporary()
        return local

    def _temporary(self) -> str:
        self._count += 1
        return f"v{self._count}"


def key_text(parts: Sequence[str]) -> str:
    """Write several values as one key: an expression, or the target of an assignment."""
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
