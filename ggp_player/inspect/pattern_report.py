"""What learned patterns say of a position, in the words of the rules."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, takewhile
from random import Random

import numpy as np
from rich.console import Console
from rich.table import Table

from gdl import Function, State, Term
from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning import LearnedEvaluation
from ggp_player.strategies.learning.stored_evaluations import OwnEvaluation
from ggp_player.strategies.patterns.cells import relation_of
from ggp_player.strategies.patterns.supports import MOST_SUPPORTS

SHOWN_PATTERNS = 12
"""The most patterns shown: those of the largest weights."""


@dataclass(frozen=True, slots=True)
class FoundPattern:
    """A pattern in a position: facts that hold, cells that are empty, and the weight for a role.

    ``empty`` has a term for each cell, with ``?`` for what its facts differ in. The weights of all
    patterns add up to the logit of the role's share of the points.
    """

    facts: tuple[str, ...]
    empty: tuple[str, ...]
    weight: float

    def __str__(self) -> str:
        return "; ".join(filter(None, (" ".join(self.facts), _no(self.empty))))


@dataclass(frozen=True, slots=True)
class PatternReport:
    """What patterns say of a position: a value from 0 to 100 for the role, and what it is made of.

    ``source`` says what was learned; ``patterns`` come by weight, the largest first, either way.
    """

    source: str
    value: float
    patterns: tuple[FoundPattern, ...]


def learn_for_report(machine: PropnetStateMachine, seconds: float) -> LearnedEvaluation | None:
    """The stored evaluation of a game, else one learned in so many seconds of CPU time.

    None where there are too few states to find patterns in.
    """
    own = OwnEvaluation(seconds, time.thread_time)
    for _ in own.learn(machine, Random(0)):
        pass
    return own.evaluation


def report_patterns(
    machine: PropnetStateMachine, evaluation: LearnedEvaluation, state: State, role: int
) -> PatternReport:
    """Report what an evaluation says of a state, seen from a role by its index."""
    tables, weights, _ = evaluation.seen_from(role)
    holds = machine.bits(state) > 0
    phase = next((n for n, fluent in enumerate(tables.phases) if holds[fluent]), 0)
    owners = np.repeat(np.arange(len(machine.facts)), np.diff(tables.starts))
    total, found = float(weights[-1, phase]), []
    for table, (first, size) in enumerate(zip(tables.firsts, tables.sizes, strict=True)):
        here = np.flatnonzero(tables.reached == table)
        fluents, offsets = owners[here], tables.offsets[here].astype(int)
        index = min(int(offsets[holds[fluents]].sum()), int(size) - 1)
        weight = float(weights[first + index, phase])
        total += weight
        facts = [machine.facts[fluent] for fluent in fluents]
        held = [str(fact) for fact, fluent in zip(facts, fluents, strict=True) if holds[fluent]]
        empty = _empty_cells(facts, offsets.tolist(), holds[fluents].tolist(), int(size))
        found.append(FoundPattern(tuple(sorted(set(held))), empty, weight))
    found.sort(key=lambda pattern: -abs(pattern.weight))
    return PatternReport(str(evaluation), 100 / (1 + math.exp(-total)), tuple(found))


def print_patterns(report: PatternReport, role: Term) -> None:
    """Print the patterns of the largest weights."""
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    console.print(f"patterns   {report.source}")
    console.print(f"value      {report.value:.0f} of 100 for {role}, without looking ahead")
    shown = Table()
    shown.add_column("weight", justify="right")
    shown.add_column(f"pattern, for {role}")
    for pattern in report.patterns[:SHOWN_PATTERNS]:
        shown.add_row(f"{pattern.weight:+.2f}", str(pattern))
    console.print(shown)


def _no(cells: Sequence[str]) -> str:
    return f"no {', '.join(cells)}" if cells else ""


def _empty_cells(
    facts: Sequence[Term], offsets: Sequence[int], holds: Sequence[bool], size: int
) -> tuple[str, ...]:
    """Name the cells of a table none of whose facts holds."""
    names = []
    for stride, end, supports in _strides(facts, offsets, size):
        members = [n for n, offset in enumerate(offsets) if stride <= offset < end]
        if sum(offsets[n] for n in members if holds[n]) <= supports * stride:
            # The first fact of a cell that has supports looks like one of theirs.
            own = [facts[n] for n in members if not supports or offsets[n] > stride]
            names += [_common(own)] if len(set(map(relation_of, own))) == 1 else []
    return tuple(sorted(names))


def _strides(
    facts: Sequence[Term], offsets: Sequence[int], size: int
) -> list[tuple[int, int, int]]:
    """Split a table's offsets into those of its cells: from one on, below the other.

    The offsets of a cell are multiples of its stride, and its facts are of one relation. The next
    cell's stride comes after them, with room for as many more as the cell has supports, which is
    the third number. Each support has a fact, or several, that counts as the stride.
    """
    relations: defaultdict[int, list[object]] = defaultdict(list)
    for fact, offset in zip(facts, offsets, strict=True):
        relations[offset].append(relation_of(fact))
    rising = sorted(relations)

    def split(place: int, stride: int) -> Iterator[list[tuple[int, int, int]]]:
        if place == len(rising):
            if stride == size:
                yield []
            return
        multiples = takewhile(lambda n: rising[place + n - 1 : place + n] == [n * stride], count(1))
        for digits in reversed(list(multiples)):
            same, *more = (relations[n * stride] for n in range(1, digits + 1))
            for supports in range(MOST_SUPPORTS + 1):
                if _is_cell(same, more, supports):
                    following = stride * (digits + 1 + supports)
                    for rest in split(place + digits, following):
                        yield [(stride, following, supports), *rest]

    return next(split(0, 1), [(offset, offset + 1, 0) for offset in rising])


def _is_cell(same: Sequence[object], more: Sequence[Sequence[object]], supports: int) -> bool:
    """Whether facts of such relations can be those of a cell with so many supports.

    The ``same`` count as the stride, and so do those of supports; ``more`` are for each multiple.
    """
    own = set(chain(*more))
    if not supports:
        return len(own.union(same)) == 1
    return supports < len(same) and len(own) == 1 and all(len(each) == 1 for each in more)


def _common(facts: Sequence[Term]) -> str:
    """What facts of one cell have in common, with ``?`` for the rest."""
    first = facts[0]
    if len(facts) == 1 or not isinstance(first, Function):
        return str(first)
    columns = zip(*(fact.args for fact in facts if isinstance(fact, Function)), strict=True)
    parts = [str(column[0]) if len(set(column)) == 1 else "?" for column in columns]
    return f"({' '.join([str(first.name), *parts])})"
