"""The types and small building blocks that the kernels are emitted with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeAlias

from llvmlite import ir

I1, I8, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))
POINTER = ir.PointerType()

Value: TypeAlias = Any
"""An LLVM value; llvmlite has no types for mypy."""


class FunctionPointer(ir.PointerType):  # type: ignore[misc] # llvmlite has no types
    """The type of the address of a function, printed as any pointer is."""

    def __init__(self, signature: ir.FunctionType) -> None:
        super().__init__()
        self.pointee = signature  # what llvmlite's call looks for


class IrHelpers:
    """The types and small building blocks of one block width.

    ``batch`` is how many rows are read, where rows are copied, before the first is written.
    ``known`` are fields of the record of a game, by name, whose values are known beforehand. With
    ``moves_in_place`` the game has a function ``move``, which writes the next state over the old.
    """

    batch = 1
    moves_in_place = False
    known: Mapping[str, int] = MappingProxyType({})

    def __init__(self, module: ir.Module, words: int) -> None:
        self.module = module
        self.words = words
        self.row = ir.VectorType(I64, words)
        self.flat = ir.IntType(64 * words)
        self.zero = ir.Constant(self.row, [0] * words)
        self.ones = ir.Constant(self.row, [-1] * words)

    def function(self, name: str, result: ir.Type, arguments: Sequence[ir.Type]) -> Value:
        """Start a function; return it with a builder at its entry."""
        function = ir.Function(self.module, ir.FunctionType(result, arguments), name)
        return function, ir.IRBuilder(function.append_basic_block("entry"))

    def at(self, b: Value, base: Value, row: Value) -> Value:
        """Return the address of a row."""
        return b.gep(base, [row], source_etype=self.row)

    def word_at(self, b: Value, base: Value, row: Value, word: Value) -> Value:
        """Return the address of a word of a row."""
        place = b.add(b.mul(row, integer(self.words)), word)
        return b.gep(base, [place], source_etype=I64)

    def load_word(self, b: Value, base: Value, row: Value, word: Value) -> Value:
        """Return a word of a row."""
        return b.load(self.word_at(b, base, row, word), typ=I64)

    def column(self, b: Value, actions: Value, column: Value) -> Value:
        """Return the address of a column of actions."""
        return b.gep(actions, [column], source_etype=I64)

    def call(
        self,
        b: Value,
        name: str,
        address: Value,
        signature: Value,
        given: Sequence[Value],
    ) -> None:
        """Call a function of a game, by its address; others may know it by its name."""
        b.call(b.inttoptr(address, FunctionPointer(signature)), given)

    def load(self, b: Value, base: Value, row: Value) -> Value:
        """Return a row."""
        return b.load(self.at(b, base, row), typ=self.row, align=8 * self.words)

    def store(self, b: Value, value: Value, base: Value, row: Value) -> None:
        """Store a row."""
        b.store(value, self.at(b, base, row), align=8 * self.words)

    def any(self, b: Value, row: Value) -> Value:
        """Check whether a row is true in any lane."""
        return b.icmp_unsigned("!=", b.bitcast(row, self.flat), ir.Constant(self.flat, 0))

    def variable(self, b: Value, value: Value) -> Value:
        """Return the address of a new local row with a first value."""
        return local(b, self.row, value)

    def counter(self, b: Value, value: int) -> Value:
        """Return the address of a new local integer with a first value."""
        return local(b, I64, integer(value))

    def get(self, b: Value, address: Value) -> Value:
        """Return the value of a local row."""
        return b.load(address, typ=self.row)


def local(b: Value, kind: ir.Type, value: Value = None) -> Value:
    """Return the address of a new local value, with a first one if it is given."""
    with b.goto_entry_block():
        address = b.alloca(kind)
    address.type = POINTER  # not the typed pointer that llvmlite makes and LLVM no longer reads
    if value is not None:
        b.store(value, address)
    return address


def local_words(b: Value, count: int) -> Value:
    """Return the address of some new local integers, which begins a line of the cache."""
    address = local(b, ir.ArrayType(I64, count))
    address.align = 64
    return address


def integer(value: int) -> Value:
    """Return the LLVM constant of an integer."""
    return ir.Constant(I64, value)


def get_integer(b: Value, base: Value, index: Value, kind: Value = I64) -> Value:
    """Return an element of an array of integers."""
    return b.load(b.gep(base, [index], source_etype=kind), typ=kind)


@contextmanager
def loop(b: Value, start: Value, stop: Value) -> Iterator[Value]:
    """Emit what the ``with`` block emits for every index from start to stop, exclusive."""
    function = b.function
    head, body, done = (function.append_basic_block(n) for n in ("head", "body", "done"))
    before = b.block
    b.branch(head)
    b.position_at_end(head)
    index = b.phi(I64)
    index.add_incoming(start, before)
    b.cbranch(b.icmp_signed("<", index, stop), body, done)
    b.position_at_end(body)
    yield index
    index.add_incoming(b.add(index, integer(1)), b.block)
    b.branch(head)
    b.position_at_end(done)


@contextmanager
def repeat(b: Value) -> Iterator[list[Value]]:
    """Emit a loop that goes on while the condition that the block appends is true."""
    body, done = (b.function.append_basic_block(n) for n in ("again", "enough"))
    b.branch(body)
    b.position_at_end(body)
    condition: list[Value] = []
    yield condition
    b.cbranch(condition[0], body, done)
    b.position_at_end(done)


@contextmanager
def each_bit(b: Value, bits: Value) -> Iterator[Value]:
    """Emit what the ``with`` block emits for the number of each bit of a word that is set."""
    remaining = local(b, I64, bits)
    with b.if_then(b.icmp_signed("!=", bits, integer(0))), repeat(b) as again:
        yield b.cttz(b.load(remaining, typ=I64), ir.Constant(I1, 1))
        left = b.load(remaining, typ=I64)
        rest = b.and_(left, b.sub(left, integer(1)))
        b.store(rest, remaining)
        again.append(b.icmp_signed("!=", rest, integer(0)))


def batches(b: Value, count: Value, size: int) -> Iterator[list[Value]]:
    """Emit, for the numbers below a count, what is done with a batch of them, and with the rest.

    What is done is emitted twice: for batches of ``size``, and for those that are left over.
    """
    whole = b.sub(count, b.urem(count, integer(size))) if size > 1 else integer(0)
    if size > 1:
        yield from whole_batches(b, integer(0), whole, size)
    with loop(b, whole, count) as number:
        yield [number]


def whole_batches(b: Value, first: Value, last: Value, size: int) -> Iterator[list[Value]]:
    """Emit, for numbers from the first up to the last, exclusive, what is done with a batch."""
    with loop(b, integer(0), b.udiv(b.sub(last, first), integer(size))) as batch:
        begin = b.add(first, b.mul(batch, integer(size)))
        yield [b.add(begin, integer(place)) for place in range(size)]


class Record:
    """Emits the reading of a record's fields by name; those that are ``known`` are not read."""

    def __init__(
        self,
        b: Value,
        address: Value,
        fields: tuple[str, ...],
        known: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._b, self._address, self._fields, self._known = b, address, fields, known

    def number(self, field: str) -> Value:
        """Return a number."""
        if field in self._known:
            return integer(self._known[field])
        return get_integer(self._b, self._address, integer(self._fields.index(field)))

    def address(self, field: str) -> Value:
        """Return an address."""
        return self._b.inttoptr(self.number(field), POINTER)

    def flag(self, field: str) -> Value:
        """Check whether a number is not 0."""
        return self._b.icmp_signed("!=", self.number(field), integer(0))
