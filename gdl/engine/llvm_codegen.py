"""Gates as LLVM source: straight-line functions of a few dozen gates each.

LLVM's time grows faster than the length of a function, and short functions run faster too. Values
that several functions need go through the rows of the block; those that one alone needs stay in
registers. Segments with feedback become loops around such functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

GATES_PER_FUNCTION = 50

Gates = NDArray[np.int32]
"""int32 (n, 3): row written, left literal, right literal; see the layout of a block."""


def program_source(
    name: str,
    gates: Gates,
    segments: NDArray[np.int64],
    feedback: NDArray[np.int32],
    words: int,
    kept: Iterable[int] = (),
) -> str:
    """Write LLVM source of ``void name(rows, _)``, which evaluates a gate program in one block.

    ``rows`` points at the block, uint64 (rows, words); the second argument is for interpreters.
    ``segments`` is int64 (k, 4) and ``feedback`` int32 (m, 2), as
    :class:`gdl.circuit.layout.GateProgram` describes them. ``kept`` are rows that others read.
    """
    functions: list[str] = []
    body: list[str] = []
    used_in = _chunks_using(gates, segments, feedback)
    for row in kept:
        used_in.setdefault(row, set()).add(-1)
    label = 0
    for first, last, first_feedback, last_feedback in segments.tolist():
        starts = range(first, last, GATES_PER_FUNCTION)
        for start in starts:
            chunk = gates[start : min(last, start + GATES_PER_FUNCTION)]
            functions.append(_chunk_source(f"{name}.{start}", chunk, start, used_in, words))
        calls = [f"  call void @{name}.{start}(ptr %rows)" for start in starts]
        if first_feedback == last_feedback:
            body += calls
            continue
        label += 1
        loop = feedback[first_feedback:last_feedback]
        functions.append(_feedback_source(f"{name}.loop{label}", loop, words))
        body += [*_zero_rows(loop, words), *_repeated(calls, name, label)]
    main = [f"define void @{name}(ptr %rows, ptr %program) {{", *body, "  ret void", "}"]
    return "\n".join([*functions, *main])


def _repeated(calls: Iterable[str], name: str, label: int) -> list[str]:
    """Write the lines that repeat calls until no feedback row changes."""
    return [
        f"  br label %loop{label}",
        f"loop{label}:",
        *calls,
        f"  %again{label} = call i1 @{name}.loop{label}(ptr %rows)",
        f"  br i1 %again{label}, label %loop{label}, label %done{label}",
        f"done{label}:",
    ]


def sequence_source(name: str, evaluators: Iterable[str]) -> str:
    """Write LLVM source of ``void name(rows, program)``, which calls others of the module."""
    calls = [f"  call void @{other}(ptr %rows, ptr %program)" for other in evaluators]
    return "\n".join(
        [f"define void @{name}(ptr %rows, ptr %program) {{", *calls, "  ret void", "}"]
    )


def vector(words: int) -> str:
    """Return the LLVM type of one row."""
    return f"<{words} x i64>"


def ones(words: int) -> str:
    """Return the LLVM constant of a row in which every lane is true."""
    return f"<{', '.join(['i64 -1'] * words)}>"


def _row_pointer(target: str, row: int, words: int) -> str:
    """Write the LLVM line that points ``target`` at a row."""
    return f"  {target} = getelementptr i8, ptr %rows, i64 {row * words * 8}"


def _chunks_using(
    gates: Gates, segments: NDArray[np.int64], feedback: NDArray[np.int32]
) -> dict[int, set[int]]:
    """Find the functions that read each row, named by their first gates.

    Rows that are read from outside, outputs and feedback, have an entry -1.
    """
    users: dict[int, set[int]] = {}
    for first, last, _, _ in segments.tolist():
        for start in range(first, last, GATES_PER_FUNCTION):
            for _, left, right in gates[start : min(last, start + GATES_PER_FUNCTION)].tolist():
                users.setdefault(left >> 1, set()).add(start)
                users.setdefault(right >> 1, set()).add(start)
    for _, literal in feedback.tolist():
        users.setdefault(literal >> 1, set()).add(-1)
    return users


def _chunk_source(
    name: str, chunk: Gates, start: int, used_in: dict[int, set[int]], words: int
) -> str:
    kind = vector(words)
    lines = [f"define internal void @{name}(ptr %rows) nounwind noinline {{"]
    values: dict[int, str] = {1: ones(words), 0: "zeroinitializer"}
    count = 0

    def value(literal: int) -> Iterator[str]:
        """Yield the lines that bring a literal into ``values``."""
        nonlocal count
        if literal in values:
            return
        positive = literal & ~1
        if positive not in values:
            count += 1
            yield _row_pointer(f"%p{count}", literal >> 1, words)
            yield f"  %r{count} = load {kind}, ptr %p{count}, align {words * 8}"
            values[positive] = f"%r{count}"
        if literal & 1:
            count += 1
            yield f"  %n{count} = xor {kind} {values[positive]}, {ones(words)}"
            values[literal] = f"%n{count}"

    for row, left, right in chunk.tolist():
        lines += [*value(left), *value(right)]
        count += 1
        lines.append(f"  %g{count} = and {kind} {values[left]}, {values[right]}")
        values[2 * row] = f"%g{count}"
        if used_in.get(row) != {start}:
            lines.append(_row_pointer(f"%s{count}", row, words))
            lines.append(f"  store {kind} %g{count}, ptr %s{count}, align {words * 8}")
    return "\n".join([*lines, "  ret void", "}"])


def _zero_rows(feedback: NDArray[np.int32], words: int) -> Iterator[str]:
    for row, _ in feedback.tolist():
        yield _row_pointer(f"%z{row}", row, words)
        yield f"  store {vector(words)} zeroinitializer, ptr %z{row}, align {words * 8}"


def _feedback_source(name: str, feedback: NDArray[np.int32], words: int) -> str:
    """Write the function that copies definitions to the rows read early.

    Its result says whether any of them has changed.
    """
    kind = vector(words)
    lines = [f"define internal i1 @{name}(ptr %rows) nounwind noinline {{"]
    changed = "zeroinitializer"
    for number, (row, literal) in enumerate(feedback.tolist()):
        lines += [
            _row_pointer(f"%p{number}", row, words),
            _row_pointer(f"%q{number}", literal >> 1, words),
            f"  %o{number} = load {kind}, ptr %p{number}, align {words * 8}",
            f"  %v{number} = load {kind}, ptr %q{number}, align {words * 8}",
        ]
        flipped = ones(words) if literal & 1 else "zeroinitializer"
        lines += [
            f"  %w{number} = xor {kind} %v{number}, {flipped}",
            f"  store {kind} %w{number}, ptr %p{number}, align {words * 8}",
            f"  %d{number} = xor {kind} %o{number}, %w{number}",
            f"  %c{number} = or {kind} {changed}, %d{number}",
        ]
        changed = f"%c{number}"
    bits = words * 64
    lines += [
        f"  %flat = bitcast {kind} {changed} to i{bits}",
        f"  %again = icmp ne i{bits} %flat, 0",
        "  ret i1 %again",
        "}",
    ]
    return "\n".join(lines)
