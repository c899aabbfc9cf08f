"""Grounding by gringo: from flattened rules to rules without variables.

The rules are written as an answer set program that over-approximates a match: every initial or
next fact may be true, every legal move may be made. gringo instantiates what can follow from
that and evaluates away what is static. It runs in a process of its own, which is stopped when it
exceeds its budget of time, memory or rules: a rulesheet of a few lines can have more instances
than there is memory.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.datalog import SymbolTable, expand_all, key_of
from gdl.errors import GroundingLimitError
from gdl.grounding import observed_gringo
from gdl.grounding.ground_rows import GroundRows, Row
from gdl.grounding.observed_gringo import BUFFERS, END, UNAVAILABLE
from gdl.language import (
    Atom,
    Constant,
    Distinct,
    Literal,
    Not,
    RelationKey,
    Rule,
    Term,
    Variable,
)
from gdl.system import child_environment, was_ended_by_cpu_time

StatedRows: TypeAlias = Mapping[RelationKey, Collection[Row]]
"""Rows of relations, by the ids of their terms."""

_WORKER = """
import ctypes, sys
from gdl.system import end_after_cpu_seconds, end_with_parent, limit_helper
end_with_parent(int(sys.argv[4]))
memory, seconds = int(sys.argv[1]), int(sys.argv[2])
end_after_cpu_seconds(seconds)
limit_helper(memory, seconds + 1)
options = [b"--mode=gringo", b"-Wnone", b"-"]
application = (ctypes.c_void_p * 8)()  # a clingo_application without functions of its own
clingo = ctypes.CDLL(sys.argv[3])
unsynchronize = getattr(clingo, "_ZNSt8ios_base15sync_with_stdioEb", None)
if unsynchronize:  # std::ios_base::sync_with_stdio; otherwise C++ writes through C, slowly
    unsynchronize(False)
sys.exit(clingo.clingo_main(application, (ctypes.c_char_p * 3)(*options), ctypes.c_size_t(3), None))
"""
"""Calls clingo's library directly: to import its Python package takes longer than most games."""

_CHUNK = 2**20

_GATHERING_SECONDS = 0.002
"""gringo writes 4 kB at a time; so that we need not wake up for each, many gather."""


@dataclass(frozen=True, slots=True)
class GroundingBudget:
    """What grounding may take at most.

    ``rules`` are ground rules, ``cpu_seconds`` CPU time and ``memory`` bytes of the address space
    of the grounding process. ``seconds`` is wall-clock time: whether it is exceeded depends on the
    load, so that by default it is a last resort.
    """

    rules: int = 8_000_000
    cpu_seconds: int = 60
    seconds: float = 300.0
    memory: int = 4 * 2**30


@dataclass(frozen=True, slots=True)
class GroundProgram:
    """Rules without variables over atoms numbered from 1.

    ``heads``
        int32, the atom that each rule defines.
    ``starts``
        int64, one more than rules: where each body begins in ``literals``.
    ``literals``
        int32, atoms, negative where negated.
    ``rows``
        For each relation that is kept, its rows with their atoms; atom 0 always holds.
    """

    heads: NDArray[np.int32]
    starts: NDArray[np.int64]
    literals: NDArray[np.int32]
    rows: Mapping[RelationKey, GroundRows]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrounderInput:
    """What is to be ground.

    ``flows`` are pairs of relations: whatever row the first has, the second may have too. The
    rows of the ``shown`` relations are kept. What is ``stated`` holds, as if it were among the
    ``rules``. Where many ground rules are expected, ``is_large``, these are handed on as arrays,
    which takes less for each and a tenth of a second in all.
    """

    rules: Sequence[Rule]
    flows: Iterable[tuple[RelationKey, RelationKey]] = ()
    shown: Iterable[RelationKey] = ()
    stated: StatedRows = field(default_factory=dict)
    is_large: bool = False


def ground(given: GrounderInput, symbols: SymbolTable, budget: GroundingBudget) -> GroundProgram:
    """Instantiate flattened rules.

    Raises :class:`GroundingLimitError` where the budget is exceeded.
    """
    writer = _ProgramWriter(symbols)
    for rule in given.rules:
        if not rule.body:  # Of these there can be hundreds of thousands.
            writer.fact(rule.head)
            continue
        for simple in reversed(list(expand_all(rule))):  # circuits depend on gringo's order
            writer.rule(simple)
    for relation, rows in given.stated.items():
        writer.rows(relation, rows)
    for origin, target in given.flows:
        writer.choice(origin, target)
    for relation in given.shown:
        writer.show(relation)
    text = "\n".join(writer.lines)
    can_be_observed = given.is_large and not any(True for _ in symbols.functions())
    if can_be_observed and (observed := _run([observed_gringo.__file__], text, budget)):
        return _read_observed(observed, writer, budget)
    return _read(_run_gringo(text, budget), writer)


class _ProgramWriter:
    """Writes rules for gringo: relations become r0, r1 ..., constants their ids."""

    def __init__(self, symbols: SymbolTable) -> None:
        self.lines: list[str] = ["#show."]
        self.symbols = symbols
        self.names: dict[RelationKey, str] = {}
        # Kept as text: of facts there can be hundreds of thousands.
        self.id_of_constant = cache(lambda name: str(symbols.constant(name)))
        self.shown: dict[int, RelationKey] = {}

    def fact(self, atom: Atom) -> None:
        """Write that an atom without variables holds."""
        known = self.id_of_constant
        numbers = [known(term.name) for term in atom.args if isinstance(term, Constant)]
        if numbers and len(numbers) == len(atom.args):
            self.lines.append(f"{self._name(atom.relation)}({','.join(numbers)}).")
        else:
            self.lines.append(f"{self._atom(atom, {})}.")

    def rows(self, relation: RelationKey, rows: Iterable[Row]) -> None:
        """Write that rows of a relation hold. Of these there can be hundreds of thousands too."""
        name = self._name(relation)
        if not relation[1]:
            self.lines += [f"{name}." for _ in rows]
            return
        text_of = cache(lambda term_id: self._term(self.symbols.decode(term_id), {}))
        self.lines += [f"{name}({','.join(map(text_of, row))})." for row in rows]

    def rule(self, rule: Rule) -> None:
        """Write a rule without disjunctions."""
        variables: dict[str, str] = {}
        head = self._atom(rule.head, variables)
        body = ", ".join(self._literal(literal, variables) for literal in rule.body)
        self.lines.append(f"{head} :- {body}." if body else f"{head}.")

    def choice(self, origin: RelationKey, target: RelationKey) -> None:
        """Write that rows of one relation may be rows of the other."""
        columns = tuple(Variable(str(i)) for i in range(origin[1]))
        variables: dict[str, str] = {}
        head = self._atom(Atom(target[0], columns), variables)
        self.lines.append(f"{{{head}}} :- {self._atom(Atom(origin[0], columns), variables)}.")

    def show(self, relation: RelationKey) -> None:
        """Have gringo print a relation's rows, even if no rule mentions it."""
        name = self._name(relation)
        self.shown[int(name.removeprefix("r"))] = relation
        self.lines += [f"#show {name}/{relation[1]}.", f"#defined {name}/{relation[1]}."]

    def _name(self, relation: RelationKey) -> str:
        return self.names.setdefault(relation, f"r{len(self.names)}")

    def _atom(self, atom: Atom, variables: dict[str, str]) -> str:
        name = self._name(atom.relation)
        if not atom.args:
            return name
        return f"{name}({','.join(self._term(term, variables) for term in atom.args)})"

    def _term(self, term: Term, variables: dict[str, str]) -> str:
        if isinstance(term, Constant):
            return self.id_of_constant(term.name)
        if isinstance(term, Variable):
            return variables.setdefault(term.name, f"X{len(variables)}")
        number = self.symbols.function(term.name, len(term.args)).number
        return f"f{number}({','.join(self._term(arg, variables) for arg in term.args)})"

    def _literal(self, literal: Literal, variables: dict[str, str]) -> str:
        if isinstance(literal, Atom):
            return self._atom(literal, variables)
        if isinstance(literal, Distinct):
            left, right = self._term(literal.left, variables), self._term(literal.right, variables)
            return f"{left}!={right}"
        assert isinstance(literal, Not)
        if isinstance(literal.literal, Distinct):
            return self._literal(literal.literal, variables).replace("!=", "=")
        assert isinstance(literal.literal, Atom)
        return f"not {self._atom(literal.literal, variables)}"


def _run_gringo(text: str, budget: GroundingBudget) -> bytes:
    """Run gringo on a program and return its output, as text."""
    return _run(["-c", _WORKER], text, budget, max_lines=budget.rules)


def _run(
    program: Sequence[str], text: str, budget: GroundingBudget, max_lines: float = inf
) -> bytes:
    """Have a Python program ground a text; return its output, empty where it cannot run here.

    Raises GroundingLimitError where the budget is exceeded, or ``max_lines``, and then ends it.
    """
    limits = [str(budget.memory), str(budget.cpu_seconds)]
    given = [*limits, _clingo_library(), str(os.getpid()), str(budget.rules)]
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as errors:
        source.write(text.encode())
        source.seek(0)
        with subprocess.Popen(
            # Without the site module: the worker needs little more than the standard library.
            [sys.executable, "-S", *program, *given],
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=errors,
            pipesize=_CHUNK,
            env=_buffering_environment(),
        ) as process:
            try:
                output = _collect(process, budget.seconds, max_lines)
            except BaseException:
                process.kill()
                raise
        if output.endswith(END) or process.returncode == UNAVAILABLE:
            return output
        if was_ended_by_cpu_time(process.returncode):
            seconds = budget.cpu_seconds
            raise GroundingLimitError(f"grounding takes over {seconds} seconds of CPU time")
        errors.seek(0)
        reason = errors.read(2000).decode(errors="replace").strip()
        raise GroundingLimitError(f"grounding failed, likely for want of memory: {reason}")


def _buffering_environment() -> dict[str, str]:
    """The environment for the worker, in which its output is buffered.

    ``PYTHONUNBUFFERED`` would hold for all of C's output in the process, so that gringo made a
    system call for every number that it writes: it then takes two to four times as long.
    """
    environment = child_environment()
    environment.pop("PYTHONUNBUFFERED", None)
    return environment


@cache
def _clingo_library() -> str:
    """The path of clingo's extension module, which exports the functions of its C interface."""
    spec = find_spec("clingo")
    folders = spec.submodule_search_locations if spec else None
    for folder in folders or ():
        for path in sorted(Path(folder).glob("_clingo*")):
            return str(path)
    raise ImportError("clingo has no extension module: expected a file clingo/_clingo*")


def _collect(process: subprocess.Popen[bytes], seconds: float, max_lines: float) -> bytes:
    """Read the output of a process; raise where it takes too long or has too many lines."""
    assert process.stdout is not None
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        process.kill()

    # Not by waiting for the pipe with a limit, which Windows cannot do.
    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        chunks: list[bytes] = []
        lines = 0
        while chunk := os.read(process.stdout.fileno(), _CHUNK):
            chunks.append(chunk)
            lines += chunk.count(b"\n")
            if lines > max_lines:
                raise GroundingLimitError(f"grounding makes over {max_lines} rules")
            time.sleep(_GATHERING_SECONDS)
    finally:
        timer.cancel()
    if is_late.is_set():
        raise GroundingLimitError(f"grounding takes over {seconds:g} seconds")
    return b"".join(chunks)


def _read(output: bytes, writer: _ProgramWriter) -> GroundProgram:
    """Read gringo's intermediate format: rules as ``1 kind n heads.. 0 n literals..``."""
    begin_rules = output.index(b"\n") + 1
    end_rules = (output.find(b"\n4 ") + 1) or (output.rfind(b"\n0\n") + 1)
    rows = _read_rows(output[end_rules:], writer)
    numbers, first = _tokens(output[begin_rules:end_rules])
    begin = first[numbers[first] == 1]
    heads = np.where(numbers[begin + 1] == 0, numbers[begin + 3], -numbers[begin + 3])
    lengths = numbers[begin + 5].astype(np.int64)
    return _program(heads, lengths, _bodies(numbers, begin, lengths), rows)


def _read_observed(output: bytes, writer: _ProgramWriter, budget: GroundingBudget) -> GroundProgram:
    """Read what :mod:`.observed_gringo` writes."""
    counts = np.frombuffer(output, dtype=np.int64, count=len(BUFFERS))
    if counts[0] > budget.rules:
        raise GroundingLimitError(f"grounding makes over {budget.rules} rules")
    ends = counts.nbytes // 4 + np.cumsum(counts)
    numbers = np.frombuffer(output, dtype=np.int32, count=ends[-1])
    _, heads, lengths, literals, shown, arguments = np.split(numbers, [*(ends - counts)])
    of, atoms = shown.reshape(-1, 2).T
    widths = np.array([arity for _, arity in writer.names], dtype=np.int64)[of]
    rows = _rows(of, atoms, arguments, np.cumsum(widths) - widths, writer)
    return _program(heads, lengths.astype(np.int64), literals, rows)


def _rows(
    of: NDArray[np.int32],
    atoms: NDArray[np.int32],
    numbers: NDArray[np.int32],
    begins: NDArray[np.int64],
    writer: _ProgramWriter,
) -> dict[RelationKey, GroundRows]:
    """Divide rows by relation: the relation and the atom of each, and where its arguments begin."""
    found = {}
    for number, relation in writer.shown.items():
        own = np.flatnonzero(of == number)
        arguments = numbers[begins[own][:, None] + np.arange(relation[1])]
        found[relation] = GroundRows(arguments, atoms[own])
    return found


def _program(
    heads: NDArray[np.int32],
    lengths: NDArray[np.int64],
    literals: NDArray[np.int32],
    rows: Mapping[RelationKey, GroundRows],
) -> GroundProgram:
    """Make a program of rules, one body after the other; the heads of choices are negative.

    Facts that no rule mentions are left out: gringo has evaluated them away. So are negations of
    atoms that no rule defines, which hold.
    """
    last = max(np.abs(each).max(initial=0) for each in (heads, literals))
    can_hold = np.zeros(last + 1, dtype=np.bool_)
    can_hold[np.abs(heads)] = True
    matters = np.zeros(last + 1, dtype=np.bool_)
    matters[np.abs(literals[np.repeat(heads > 0, lengths)])] = True
    for own in rows.values():
        matters[own.atoms] = True
    kept = (heads > 0) & ((lengths > 0) | matters[np.abs(heads)])
    says_more = (literals > 0) | can_hold[np.abs(literals)]
    says_more &= np.repeat(kept, lengths)
    starts = np.concatenate([[0], np.cumsum(says_more)])
    ends = np.concatenate([[0], np.cumsum(lengths)])[1:]
    found = np.concatenate([[0], starts[ends[kept]]])
    return GroundProgram(heads[kept], found, literals[says_more], rows)


def _bodies(
    numbers: NDArray[np.int32], begin: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Concatenate the literals of all rules, one body after the other."""
    before = np.cumsum(lengths) - lengths
    indices = np.repeat(begin + 6 - before, lengths) + np.arange(lengths.sum())
    literals: NDArray[np.int32] = numbers[indices]
    return literals


def _tokens(text: bytes) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Parse all numbers of a text, and find which of them is the first of each line.

    Each number is followed by one blank or by the end of its line.
    """
    numbers = np.fromstring(text, dtype=np.int32, sep=" ")
    characters = np.frombuffer(text, dtype=np.uint8)
    separators = characters[characters <= ord(" ")]
    starts = np.flatnonzero(separators == ord("\n")) + 1
    first = np.concatenate([np.zeros(1, dtype=np.int64), starts])
    return numbers, first[first < len(numbers)]


def _read_rows(text: bytes, writer: _ProgramWriter) -> dict[RelationKey, GroundRows]:
    """Read the lines for shown rows: ``4 length name(arguments) 1 atom``, or 0 where they hold."""
    numbers, first = _tokens(_interned(text, writer.symbols).translate(_BLANKS, b"r)"))
    begin, end = first[:-1], first[1:]  # the last line ends the program
    return _rows(numbers[begin + 2], numbers[end - 1], numbers, begin + 3, writer)


_BLANKS = bytes.maketrans(b"(,", b"  ")
"""Divides the numbers in names with arguments, of which nothing else is left."""

_PARTS = re.compile(rb"f[0-9]+\(|\)|[^f)]+")
"""What begins a function, what ends it, and all else."""


def _interned(text: bytes, symbols: SymbolTable) -> bytes:
    """Replace functions of ids, such as ``f0(1,f1(2))``, by the ids of these terms."""
    if b"f" not in text:
        return text
    tables = list(symbols.functions())

    @cache
    def term_id(function: bytes, ids: bytes) -> bytes:
        return b"%d" % tables[int(function[1:-1])].make(key_of(list(map(int, ids.split(b",")))))

    parts: list[bytes] = []
    outer: list[tuple[list[bytes], bytes]] = []
    for part in _PARTS.findall(text):
        if part == b")" and outer:
            ids = b"".join(parts)
            parts, function = outer.pop()
            parts.append(term_id(function, ids))
        elif part.startswith(b"f"):
            outer.append((parts, part))
            parts = []
        else:
            parts.append(part)
    return b"".join(parts)
