"""Words as LLVM values: the text of functions in which each thread works on the lanes of one word.

A *word* is an integer of 32 or 64 bits, one lane a bit, and lives in a register. Text is written
rather than built of llvmlite's objects: a game has tens of thousands of gates.
"""

from __future__ import annotations

from collections.abc import Sequence

ZERO, ONES = "0", "-1"
"""The words in which no lane, or every lane, is set."""


class WordEmitter:
    """Writes the body of one LLVM function, block by block.

    Values are the names of LLVM values, or constants as LLVM writes them; what constants decide
    is not written. ``pointer`` is the type of the addresses of arrays.
    """

    def __init__(self, bits: int, pointer: str) -> None:
        self.bits, self.word, self.pointer = bits, f"i{bits}", pointer
        self.lines: list[str] = []
        self.block = "entry"
        self._count = 0
        self._negated: dict[str, str] = {}

    # ------------------------------------------------------------------ lines and blocks

    def name(self, kind: str = "v") -> str:
        """Return a new name of a value."""
        self._count += 1
        return f"%{kind}{self._count}"

    def label(self, kind: str) -> str:
        """Return a new name of a block."""
        return self.name(kind)[1:]

    def write(self, line: str) -> None:
        """Write an instruction that has no value."""
        self.lines.append(f"  {line}")

    def value(self, instruction: str) -> str:
        """Write an instruction, and return its value."""
        name = self.name()
        self.lines.append(f"  {name} = {instruction}")
        return name

    def begin(self, label: str) -> None:
        """Begin a block; that before must have ended."""
        self.lines.append(f"{label}:")
        self.block = label
        self._negated = {}  # a value of one block may not be known in the next

    def jump(self, label: str) -> None:
        """End the block with a jump."""
        self.write(f"br label %{label}")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        """End the block with a branch."""
        self.write(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def phi(
        self, name: str, kind: str, *sources: tuple[str, str], place: int | None = None
    ) -> None:
        """Write a value that depends on the block that comes before: values and labels.

        ``place`` is the line where the block begins, for a loop: what comes from its end is known
        only when the rest of it is written.
        """
        pairs = ", ".join(f"[ {value}, %{label} ]" for value, label in sources)
        line = len(self.lines) if place is None else place
        self.lines.insert(line, f"  {name} = phi {kind} {pairs}")

    # ------------------------------------------------------------------ words

    def and_(self, left: str, right: str) -> str:
        """Return the conjunction of two words."""
        if ZERO in (left, right):
            return ZERO
        if left in (ONES, right):
            return right
        return left if right == ONES else self.value(f"and {self.word} {left}, {right}")

    def or_(self, left: str, right: str) -> str:
        """Return the disjunction of two words."""
        if ONES in (left, right):
            return ONES
        if left in (ZERO, right):
            return right
        return left if right == ZERO else self.value(f"or {self.word} {left}, {right}")

    def xor(self, left: str, right: str) -> str:
        """Return the word of the lanes in which two differ."""
        if left == ZERO:
            return right
        if right == ZERO:
            return left
        if left == ONES:
            return self.not_(right)
        return self.not_(left) if right == ONES else self.value(f"xor {self.word} {left}, {right}")

    def not_(self, value: str) -> str:
        """Return the other lanes."""
        if value in (ZERO, ONES):
            return ONES if value == ZERO else ZERO
        if value not in self._negated:
            self._negated[value] = self.value(f"xor {self.word} {value}, -1")
        return self._negated[value]

    def choose(self, lanes: str, then: str, otherwise: str) -> str:
        """Return one word in some lanes, another in the rest."""
        return self.or_(self.and_(lanes, then), self.and_(self.not_(lanes), otherwise))

    def any(self, value: str) -> str:
        """Return whether some lane is set, as an i1."""
        return self.value(f"icmp ne {self.word} {value}, 0")

    def population(self, value: str) -> str:
        """Return how many lanes are set, as an i64."""
        count = self.value(f"call {self.word} @llvm.ctpop.{self.word}({self.word} {value})")
        return count if self.bits == 64 else self.value(f"zext {self.word} {count} to i64")

    def word_of(self, number: str) -> str:
        """Return the lowest bits of an i64."""
        return number if self.bits == 64 else self.value(f"trunc i64 {number} to {self.word}")

    def rotate(self, value: str, bits: int) -> str:
        """Rotate to the left."""
        kind = self.word
        arguments = f"{kind} {value}, {kind} {value}, {kind} {bits}"
        return self.value(f"call {kind} @llvm.fshl.{kind}({arguments})")

    def load(self, address: str, pointer: str = "") -> str:
        """Load a word; the address has another type than others where ``pointer`` is given."""
        return self.value(f"load {self.word}, {pointer or self.pointer} {address}")

    def store(self, value: str, address: str) -> None:
        """Store a word."""
        self.write(f"store {self.word} {value}, {self.pointer} {address}")


class ThreadEmitter(WordEmitter):
    """Writes what one thread does with its words of some arrays of planes: words (planes, threads).

    ``%threads`` is how many threads there are, and ``%thread`` which one this is, i64.
    """

    def at(self, array: str, index: int | str) -> str:
        """Return the address of this thread's word in a plane of an array."""
        offset = "%thread"
        if index != 0:
            before = self.value(f"mul i64 %threads, {index}")
            offset = self.value(f"add i64 {before}, %thread")
        return self.value(f"getelementptr {self.word}, {self.pointer} %{array}, i64 {offset}")

    def read(self, array: str, first: int, count: int) -> list[str]:
        """Load this thread's words of some planes."""
        return [self.load(self.at(array, index)) for index in range(first, first + count)]

    def keep(self, values: Sequence[str], array: str, first: int = 0) -> None:
        """Store words into this thread's places in some planes."""
        for index, value in enumerate(values, first):
            self.store(value, self.at(array, index))
