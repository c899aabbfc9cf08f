"""From rows to bytes and back on a device: the bodies of kernels that are written lane by lane."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from gdl.engine.device_kernels.targets import KernelTarget

WORD = 64
"""How many lanes a word of rows has."""

MOST_BYTES = 8
"""How many bytes of a lane a thread writes at once, at most."""


def deliver_body(target: KernelTarget, threads: int, count: int) -> list[str]:
    """Write the delivery of ``count`` rows: each thread has a word of some neighbouring rows.

    There is a thread for each word and so many rows as :func:`bytes_at_once` says.
    """
    pointer, unit = target.pointer, bytes_at_once(count)
    lines = [
        *_divided(count // unit),
        f"  %mask_at = getelementptr i64, {pointer} %lanes, i64 %block",
        f"  %mask = load i64, {pointer} %mask_at",
        f"  %place = mul i64 %piece, {unit}",
    ]
    for part in range(unit):
        lines += [
            f"  %entry{part} = add i64 %place, {part}",
            f"  %row_at{part} = getelementptr i64, {pointer} %index, i64 %entry{part}",
            f"  %row{part} = load i64, {pointer} %row_at{part}",
            f"  %first{part} = mul i64 %row{part}, {threads}",
            f"  %at{part} = add i64 %first{part}, %block",
            f"  %from{part} = getelementptr i64, {pointer} %rows, i64 %at{part}",
            f"  %bits{part} = load i64, {pointer} %from{part}",
            f"  %word{part} = and i64 %bits{part}, %mask",
        ]
    lines += [
        f"  %line = mul i64 %block, {WORD * count}",
        "  %begin = add i64 %line, %place",
        f"  %base = getelementptr i8, {pointer} %out, i64 %begin",
    ]
    for lane in range(WORD):
        lines += _packed_store(lane, unit, count, pointer)
    return [*lines, "  ret void"]


def bytes_at_once(count: int) -> int:
    """Return how many bytes of a line of ``count`` a thread can write at once."""
    return gcd(count, MOST_BYTES)


def _packed_store(lane: int, unit: int, count: int, pointer: str) -> list[str]:
    """Write the bytes of a lane, one for each of some words, by one instruction."""
    kind, lines, packed = f"i{8 * unit}", [], "0"
    for part in range(unit):
        name = f"{lane}.{part}"
        lines += [
            f"  %shifted{name} = lshr i64 %word{part}, {lane}",
            f"  %low{name} = and i64 %shifted{name}, 1",
            f"  %byte{name} = shl i64 %low{name}, {8 * part}",
            f"  %packed{name} = or i64 %byte{name}, {packed}",
        ]
        packed = f"%packed{name}"
    value = packed
    if unit < MOST_BYTES:
        lines.append(f"  %narrow{lane} = trunc i64 {packed} to {kind}")
        value = f"%narrow{lane}"
    return [
        *lines,
        f"  %to{lane} = getelementptr i8, {pointer} %base, i64 {lane * count}",
        f"  store {kind} {value}, {pointer} %to{lane}, align {unit}",
    ]


def last_body(target: KernelTarget, threads: int) -> list[str]:
    """Write the delivery of the first rows in few lanes: each thread has a word of one row."""
    pointer = target.pointer
    return [
        "  %count32 = trunc i64 %count to i32",
        *_divided("%count32"),
        f"  %mask_at = getelementptr i64, {pointer} %lanes, i64 %block",
        f"  %mask = load i64, {pointer} %mask_at",
        "  %some = icmp ne i64 %mask, 0",
        "  br i1 %some, label %read, label %done",
        "read:",
        f"  %first = mul i64 %piece, {threads}",
        "  %at = add i64 %first, %block",
        f"  %from = getelementptr i64, {pointer} %rows, i64 %at",
        f"  %word = load i64, {pointer} %from",
        f"  %lane0 = mul i64 %block, {WORD}",
        "  br label %next",
        "next:",
        "  %left = phi i64 [ %mask, %read ], [ %rest, %next ]",
        "  %lane = call i64 @llvm.cttz.i64(i64 %left, i1 true)",
        "  %shifted = lshr i64 %word, %lane",
        "  %low = and i64 %shifted, 1",
        "  %byte = trunc i64 %low to i8",
        "  %line = add i64 %lane0, %lane",
        "  %begin = mul i64 %line, %count",
        "  %place = add i64 %begin, %piece",
        f"  %to = getelementptr i8, {pointer} %out, i64 %place",
        f"  store i8 %byte, {pointer} %to",
        "  %below = sub i64 %left, 1",
        "  %rest = and i64 %left, %below",
        "  %more = icmp ne i64 %rest, 0",
        "  br i1 %more, label %next, label %done",
        "done:",
        "  ret void",
    ]


def place_body(target: KernelTarget, threads: int, actions: Sequence[int], bits: int) -> list[str]:
    """Write the marking of actions in rows: each thread has one column of a lane.

    ``actions`` is how many each column has; another number is marked nowhere.
    """
    pointer, most = target.pointer, max(actions, default=0)
    lines = [
        *_divided(len(actions)),
        f"  %from = getelementptr i{bits}, {pointer} %actions, i64 %thread",
        f"  %given_action = load i{bits}, {pointer} %from",
    ]
    if bits < WORD:
        lines.append(f"  %action = sext i{bits} %given_action to i64")
    else:
        lines.append("  %action = add i64 %given_action, 0")
    limit = str(actions[0]) if actions else "0"
    for column, count in enumerate(actions[1:], 1):
        lines += [
            f"  %is{column} = icmp eq i64 %piece, {column}",
            f"  %limit{column} = select i1 %is{column}, i64 {count}, i64 {limit}",
        ]
        limit = f"%limit{column}"
    return [
        *lines,
        f"  %known = icmp ult i64 %action, {limit}",
        "  br i1 %known, label %mark, label %done",
        "mark:",
        f"  %before = mul i64 %piece, {most}",
        "  %row = add i64 %before, %action",
        f"  %first = mul i64 %row, {threads}",
        f"  %word = lshr i64 %block, {WORD.bit_length() - 1}",
        "  %at = add i64 %first, %word",
        f"  %to = getelementptr i64, {pointer} %given, i64 %at",
        f"  %lane = and i64 %block, {WORD - 1}",
        "  %bit = shl i64 1, %lane",
        f"  %old = atomicrmw or {pointer} %to, i64 %bit monotonic",
        "  br label %done",
        "done:",
        "  ret void",
    ]


def _divided(count: int | str) -> list[str]:
    """Write the division of a thread's number: ``%block`` of ``%piece``, which is below a count."""
    return [
        "  %thread32 = trunc i64 %thread to i32",
        f"  %piece32 = urem i32 %thread32, {count}",
        f"  %block32 = udiv i32 %thread32, {count}",
        "  %piece = zext i32 %piece32 to i64",
        "  %block = zext i32 %block32 to i64",
    ]
