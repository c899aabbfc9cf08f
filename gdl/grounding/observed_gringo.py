"""gringo with an observer in native code: what it grounds is handed on as arrays, not as text.

This is for large programs. gringo's own text takes it as long to write as to ground, and us long to
read; here each ground rule is appended to arrays by a function that LLVM compiles. Run as a
program, with what :mod:`.gringo` tells it, this file grounds its standard input. It writes how many
numbers each of ``BUFFERS`` has, int64, then the buffers, int32, in the order of the bytes of the
machine, and ``END``.

Terms are numbers, and relations are called r0, r1 ..., so that a row is a few numbers.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable

from gdl.native_code import NativeCode, native_code
from gdl.system import end_after_cpu_seconds, end_with_parent, limit_helper

END = b"\n0\n"
"""What the output ends with, as gringo's own text does, if nothing of it is missing."""

BUFFERS = ("heads", "lengths", "literals", "shown", "arguments")
"""The atom that each rule defines, negative in a choice; how many literals its body has; these.

For each row that is shown, the number of its relation and its atom, 0 where it always holds; and
the arguments of all rows.
"""

UNAVAILABLE = 69
"""The exit status where the observer cannot be made native code on this machine."""

_SOURCE = """
declare ptr @realloc(ptr, i64)
declare i32 @atoi(ptr)
declare void @abort() noreturn
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @push(ptr %buffer, ptr %from, i64 %n) {
  %count_at = getelementptr i64, ptr %buffer, i64 1
  %capacity_at = getelementptr i64, ptr %buffer, i64 2
  %count = load i64, ptr %count_at
  %capacity = load i64, ptr %capacity_at
  %end = add i64 %count, %n
  %fits = icmp sle i64 %end, %capacity
  br i1 %fits, label %copy, label %grow
grow:
  %room = shl i64 %end, 1
  %bytes = shl i64 %room, 2
  %old = load ptr, ptr %buffer
  %new = call ptr @realloc(ptr %old, i64 %bytes)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %fail, label %keep
fail:
  call void @abort()
  unreachable
keep:
  store ptr %new, ptr %buffer
  store i64 %room, ptr %capacity_at
  br label %copy
copy:
  %data = load ptr, ptr %buffer
  %to = getelementptr i32, ptr %data, i64 %count
  %size = shl i64 %n, 2
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %size, i1 false)
  store i64 %end, ptr %count_at
  ret void
}

define zeroext i1 @rule(i1 zeroext %choice, ptr %head, i64 %heads, ptr %body, i64 %n, ptr %data) {
  %number = alloca i32
  %atom = load i32, ptr %head
  %negative = sub i32 0, %atom
  %signed = select i1 %choice, i32 %negative, i32 %atom
  store i32 %signed, ptr %number
  call void @push(ptr %data, ptr %number, i64 1)
  %length = trunc i64 %n to i32
  store i32 %length, ptr %number
  %lengths = getelementptr i64, ptr %data, i64 3
  call void @push(ptr %lengths, ptr %number, i64 1)
  %literals = getelementptr i64, ptr %data, i64 6
  call void @push(ptr %literals, ptr %body, i64 %n)
  %count_at = getelementptr i64, ptr %data, i64 1
  %limit_at = getelementptr i64, ptr %data, i64 15
  %count = load i64, ptr %count_at
  %limit = load i64, ptr %limit_at
  %fits = icmp sle i64 %count, %limit
  ret i1 %fits
}

define zeroext i1 @row(i64 %symbol, i32 %atom, ptr %data) {
  %name_at = alloca ptr
  %arguments_at = alloca ptr
  %arity_at = alloca i64
  %number = alloca i32
  %name_of_at = getelementptr i64, ptr %data, i64 16
  %name_of = load ptr, ptr %name_of_at
  %known = call zeroext i1 %name_of(i64 %symbol, ptr %name_at)
  %name = load ptr, ptr %name_at
  %digits = getelementptr i8, ptr %name, i64 1
  %relation = call i32 @atoi(ptr %digits)
  store i32 %relation, ptr %number
  %shown = getelementptr i64, ptr %data, i64 9
  call void @push(ptr %shown, ptr %number, i64 1)
  store i32 %atom, ptr %number
  call void @push(ptr %shown, ptr %number, i64 1)
  %arguments_of_at = getelementptr i64, ptr %data, i64 17
  %arguments_of = load ptr, ptr %arguments_of_at
  %some = call zeroext i1 %arguments_of(i64 %symbol, ptr %arguments_at, ptr %arity_at)
  %arguments = load ptr, ptr %arguments_at
  %arity = load i64, ptr %arity_at
  %number_of_at = getelementptr i64, ptr %data, i64 18
  %number_of = load ptr, ptr %number_of_at
  %written = getelementptr i64, ptr %data, i64 12
  br label %next
next:
  %i = phi i64 [ 0, %0 ], [ %after, %read ]
  %is_left = icmp slt i64 %i, %arity
  br i1 %is_left, label %read, label %end
read:
  %argument_at = getelementptr i64, ptr %arguments, i64 %i
  %argument = load i64, ptr %argument_at
  %is_number = call zeroext i1 %number_of(i64 %argument, ptr %number)
  call void @push(ptr %written, ptr %number, i64 1)
  %after = add i64 %i, 1
  br label %next
end:
  ret i1 true
}
"""
"""The observer's functions, as clingo's C interface has them.

``data`` are 64-bit words: for each of ``BUFFERS`` its address, how many numbers it has and how many
have room; then the most rules, and the addresses of clingo's functions for a symbol's name, its
arguments and its number.
"""

_OBSERVER_RULE, _OBSERVER_ROW, _OBSERVER_SIZE = 3, 7, 19
"""The functions of a ``clingo_ground_program_observer_t`` that are of use, and of how many."""


class GroundingError(Exception):
    """gringo has failed."""


class _Part(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("params", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
    )


def ground(
    code: NativeCode, library: str, text: bytes, max_rules: int
) -> ctypes.Array[ctypes.c_int64]:
    """Ground a program; return the data of the observer, whose functions are in ``code``.

    Grounding ends after ``max_rules``. Raises GroundingError where it fails.
    """
    clingo = ctypes.CDLL(library)
    data = (ctypes.c_int64 * 19)()
    data[15] = max_rules
    functions = (clingo.clingo_symbol_name, clingo.clingo_symbol_arguments)
    for index, function in enumerate((*functions, clingo.clingo_symbol_number)):
        data[16 + index] = ctypes.cast(function, ctypes.c_void_p).value or 0
    observer = (ctypes.c_void_p * _OBSERVER_SIZE)()
    observer[_OBSERVER_RULE], observer[_OBSERVER_ROW] = code.address("rule"), code.address("row")
    control = ctypes.c_void_p()
    options = (ctypes.c_char_p * 1)(b"-Wnone")
    steps: tuple[Callable[[], int], ...] = (
        lambda: clingo.clingo_control_new(
            options, ctypes.c_size_t(1), None, None, 20, ctypes.byref(control)
        ),
        lambda: clingo.clingo_control_register_observer(control, observer, True, data),
        lambda: clingo.clingo_control_add(control, b"base", None, ctypes.c_size_t(0), text),
        lambda: clingo.clingo_control_ground(
            control, ctypes.byref(_Part(b"base", None, 0)), ctypes.c_size_t(1), None, None
        ),
    )
    for step in steps:
        if not step() & 0xFF and data[1] <= max_rules:
            clingo.clingo_error_message.restype = ctypes.c_char_p
            raise GroundingError((clingo.clingo_error_message() or b"").decode(errors="replace"))
    return data


def main() -> None:
    """Ground standard input; die with the parent process, and within the limits given."""
    memory, seconds, library, parent, max_rules = sys.argv[1:]
    end_with_parent(int(parent))
    end_after_cpu_seconds(int(seconds))
    limit_helper(int(memory), int(seconds) + 1)
    try:
        code = native_code(_SOURCE, lambda: _SOURCE)
    except (RuntimeError, OSError):  # as LLVM and the system report failures
        sys.exit(UNAVAILABLE)
    try:
        data = ground(code, library, sys.stdin.buffer.read(), int(max_rules))
    except (GroundingError, MemoryError) as error:
        sys.exit(str(error))
    counts = data[1:15:3]
    _write((ctypes.c_int64 * len(counts))(*counts))
    for index, count in enumerate(counts):
        if count and counts[0] <= int(max_rules):
            _write((ctypes.c_int32 * count).from_address(data[3 * index]))
    _write(END)
    os._exit(0)  # Freeing what gringo has made takes long.


def _write(data: object) -> None:
    left = memoryview(data).cast("B")  # type: ignore[arg-type] # ctypes' arrays are buffers
    while left:
        left = left[os.write(1, left) :]


if __name__ == "__main__":
    main()
