"""Rows as planes, for kernels that blocks have too: a row is one word of each thread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import I64, IrHelpers, Value, integer


class PlaneHelpers(IrHelpers):
    """Rows of one word, each so many words after the one before.

    Functions of the game are called by their names, and are to be defined elsewhere. A column of
    actions has a row for each of ``most_actions``.
    """

    batch = 8  # memory is far away

    def __init__(self, module: ir.Module, threads: int, most_actions: int = 0) -> None:
        super().__init__(module, words=1)
        self._threads, self._most_actions = threads, most_actions

    def column(self, b: Value, actions: Value, column: Value) -> Value:
        """Return the address of the first row of a column of actions."""
        return self.at(b, actions, b.mul(column, integer(self._most_actions)))

    def at(self, b: Value, base: Value, row: Value) -> Value:
        """Return the address of a row."""
        return b.gep(base, [b.mul(row, integer(self._threads))], source_etype=self.row)

    def word_at(self, b: Value, base: Value, row: Value, word: Value) -> Value:
        """Return the address of the word of a row."""
        place = b.add(b.mul(row, integer(self._threads)), word)
        return b.gep(base, [place], source_etype=I64)

    def call(
        self,
        b: Value,
        name: str,
        address: Value,
        signature: Value,
        given: Sequence[Value],
    ) -> None:
        """Call a function of the game by its name."""
        del address
        found = self.module.globals.get(name) or ir.Function(self.module, signature, name)
        b.call(found, given)


def module_text(module: ir.Module, defined: Iterable[str] = ()) -> str:
    """Write a module as a part of another: without its target, and what is defined elsewhere."""
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = "internal"
    left_out = tuple(f'@"{name}"(' for name in defined)
    return "\n".join(
        line
        for line in str(module).splitlines()
        if not line.startswith("target ")
        and not (line.startswith("declare ") and any(name in line for name in left_out))
    )
