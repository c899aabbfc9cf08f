"""Rows in the memory of a device, for kernels that blocks have too: a word of each is a thread's.

The rows of :data:`GROUP` neighbouring threads lie together, row after row, so that what these read
at a time is one piece of memory, at a distance from the first row that code can name as a constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from gdl.engine.kernels.ir_helpers import I8, I64, IrHelpers, Value, integer

WORD = 64
"""How many lanes a word of rows has."""

GROUP = 32
"""How many threads have their rows together: those that a GPU runs in step."""

ROW_BYTES = GROUP * WORD // 8
"""How far a row is from the one before."""


def whole_groups(threads: int) -> int:
    """Return for how many threads there is memory where so many have rows."""
    return -(-threads // GROUP) * GROUP


def in_groups(words: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return words (rows, threads) in the order in which a device has them."""
    rows, threads = words.shape
    whole = np.zeros((rows, whole_groups(threads)), dtype=words.dtype)
    whole[:, :threads] = words
    return np.ascontiguousarray(whole.reshape(rows, -1, GROUP).swapaxes(0, 1))


def evaluator(name: str) -> str:
    """Return the name of an evaluator's function."""
    return f"evaluate.{name}"


class PlaneHelpers(IrHelpers):
    """Rows of one word, each :data:`GROUP` words after the one before.

    Functions of the game are called by their names, and are to be defined elsewhere. A column of
    actions has a row for each of ``most_actions``.
    """

    batch = 8  # memory is far away

    def __init__(self, module: ir.Module, most_actions: int = 0) -> None:
        super().__init__(module, words=1)
        self._most_actions = most_actions

    def column(self, b: Value, actions: Value, column: Value) -> Value:
        """Return the address of the first row of a column of actions."""
        return self.at(b, actions, b.mul(column, integer(self._most_actions)))

    def at(self, b: Value, base: Value, row: Value) -> Value:
        """Return the address of a row."""
        return b.gep(base, [b.mul(row, integer(GROUP))], source_etype=self.row)

    def word_at(self, b: Value, base: Value, row: Value, word: Value) -> Value:
        """Return the address of the word of a row."""
        place = b.add(b.mul(row, integer(GROUP)), word)
        return b.gep(base, [place], source_etype=I64)

    def of_thread(self, b: Value, rows: Value, count: int, thread: Value) -> Value:
        """Return where a thread's word of the first of so many rows is."""
        return b.gep(rows, [thread_offset(b, count, thread)], source_etype=I8)

    def call(
        self,
        b: Value,
        name: str,
        address: Value,
        signature: Value,
        given: Sequence[Value],
    ) -> None:
        """Call a function by its name: one that is here, or an evaluator of the game."""
        del address
        functions = self.module.globals
        name = name if name in functions else evaluator(name)
        b.call(functions.get(name) or ir.Function(self.module, signature, name), given)


def thread_offset(b: Value, count: int, thread: Value) -> Value:
    """Return how many bytes a thread's word of the first of so many rows is from the first's."""
    group, place = b.udiv(thread, integer(GROUP)), b.urem(thread, integer(GROUP))
    return b.add(b.mul(group, integer(count * ROW_BYTES)), b.mul(place, integer(WORD // 8)))


def module_text(module: ir.Module, evaluators: Iterable[str]) -> str:
    """Write a module as a part of another: without its target, and what is declared there."""
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = "internal"
    names = [*map(evaluator, evaluators), "llvm.ctpop.i64"]
    left_out = tuple(f'@"{name}"(' for name in names)
    return "\n".join(
        line
        for line in str(module).splitlines()
        if not line.startswith("target ")
        and not (line.startswith("declare ") and any(name in line for name in left_out))
    )
