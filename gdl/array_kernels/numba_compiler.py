"""Numba makes LLVM code of kernels: for an archive, or for a kernel that no archive has.

This module alone imports Numba; programs that use an archive do without. To build an archive,
:func:`recording` notes the types with which Python calls kernels while some program runs, and
:func:`build_archive` writes the code of these kernels. Numba must not optimise then (see
``BUILD_ENVIRONMENT``): only code that does not depend on the processor can be shipped.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic, typeof_impl

from gdl.array_kernels.archive import (
    CODE,
    EntryType,
    Manifest,
    file_digests,
    kernel_digest,
)
from gdl.array_kernels.arguments import Leaf
from gdl.array_kernels.functions import KERNELS, Intrinsic, KernelFunction

# ruff: noqa: ANN401 (neither Numba nor llvmlite has types)

BUILD_ENVIRONMENT = {
    "NUMBA_OPT": "1",
    "NUMBA_LOOP_VECTORIZE": "0",
    "NUMBA_SLP_VECTORIZE": "0",
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "PYTHONHASHSEED": "0",
}
"""What the environment of a process that builds an archive must hold."""

# ---------------------------------------------------------------------- kernels as Numba knows them


@cache
def dispatcher(kernel: KernelFunction) -> Any:
    """The Numba dispatcher of a kernel, which compiles it for each combination of types."""
    inlined = {"forceinline": True} if kernel.is_inlined else {}
    return numba.njit(nogil=True, error_model="numpy", **inlined)(kernel.function)


@cache
def _numba_intrinsic(operation: Intrinsic) -> Any:
    return intrinsic(operation.define)


@typeof_impl.register(KernelFunction)  # type: ignore[untyped-decorator] # Numba has no types
def _type_of_kernel(kernel: KernelFunction, _context: Any) -> Any:
    return types.Dispatcher(dispatcher(kernel))


@typeof_impl.register(Intrinsic)  # type: ignore[untyped-decorator]
def _type_of_intrinsic(operation: Intrinsic, _context: Any) -> Any:
    known = _numba_intrinsic(operation)
    cpu_target.typing_context.refresh()  # it has just been registered
    return cpu_target.typing_context.resolve_value_type(known)


# ---------------------------------------------------------------------- recording

_recorded: dict[str, set[tuple[Any, ...]]] | None = None


def call_compiled(kernel: KernelFunction) -> Callable[..., Any]:
    """Return a function that compiles a kernel for the types of its arguments, and calls it."""
    compiled = dispatcher(kernel)

    def call(*arguments: Any) -> Any:
        if _recorded is not None:
            found = tuple(map(numba.typeof, arguments))
            _recorded.setdefault(kernel.name, set()).add(found)
        return compiled(*arguments)

    return call


@contextmanager
def recording() -> Iterator[dict[str, set[tuple[Any, ...]]]]:
    """Record the types with which Python calls each kernel, by its full name."""
    global _recorded
    _recorded = {}
    try:
        yield _recorded
    finally:
        _recorded = None


# ---------------------------------------------------------------------- building


def check_environment() -> None:
    """Raise RuntimeError if Numba is not set up as ``BUILD_ENVIRONMENT`` says."""
    if any(os.environ.get(name) != value for name, value in BUILD_ENVIRONMENT.items()):
        raise RuntimeError(f"to build kernels, the environment must hold {BUILD_ENVIRONMENT}")


def build_archive(
    folder: Path, recorded: dict[str, set[tuple[Any, ...]]], modules: Collection[str]
) -> None:
    """Write an archive of kernels with the types that :func:`recording` has found.

    ``modules`` are those whose kernels are in it, or are called by these. Raises ValueError if one
    was called with arguments of different types.
    """
    entries, libraries, wrappers = {}, [], []
    for name in sorted(n for n in recorded if KERNELS[n].function.__module__ in modules):
        if len(recorded[name]) > 1:
            found = "\n".join(map(str, recorded[name]))
            raise ValueError(f"{name} is called with arguments of different types:\n{found}")
        (signature,) = recorded[name]
        compiled = dispatcher(KERNELS[name])
        overload = compiled.overloads[signature]
        leaves = [leaf for given in signature for leaf in _leaves(given)]
        result = overload.signature.return_type
        entries[name] = EntryType([leaf.as_json() for leaf in leaves], _kind(result))
        module = llvm.parse_assembly(compiled.inspect_llvm(signature))
        native = module.get_function(overload.fndesc.llvm_func_name)
        wrappers.append(_wrapper(name, native, leaves))
        libraries.append(module)
    code = _linked(libraries, wrappers, list(entries))
    packed = lzma.compress(code.encode(), preset=9)
    digest = hashlib.sha256(packed).hexdigest()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CODE).write_bytes(packed)
    Manifest(digest, kernel_digest(modules), file_digests(sorted(modules)), entries).write(folder)


def _leaves(given: Any) -> Iterator[Leaf]:
    """Yield the arrays and numbers of an argument of a Numba type."""
    if isinstance(given, types.BaseTuple):
        for part in given:
            yield from _leaves(part)
    elif isinstance(given, types.Array):
        if given.layout != "C":
            raise ValueError(f"arrays must be contiguous, not {given}")
        yield Leaf(numba.np.numpy_support.as_dtype(given.dtype), given.ndim)
    else:
        yield Leaf(np.dtype(numba.np.numpy_support.as_dtype(given)))


def _kind(result: Any) -> str:
    """Return NumPy's kind of a result, ``V`` where there is none."""
    if isinstance(result, types.NoneType):
        return "V"
    return str(numba.np.numpy_support.as_dtype(result).kind)


def _wrapper(name: str, native: Any, leaves: list[Leaf]) -> str:
    """Write a function that unpacks arguments, and calls what Numba has made of a kernel.

    Numba passes an array as its memory's owner (there is none), its parent (neither), the number
    of items, the size of one, the address, the shape and the strides; before the arguments come the
    addresses of the result, of 8 bytes at most, and of an exception, which stays unused.
    """
    kinds = [str(argument.type) for argument in native.arguments][2:]
    lines: list[str] = []
    passed, word = ["ptr %result", "ptr %exception"], 0

    def emit(text: str) -> str:
        lines.append(f"  %v{len(lines)} = {text}")
        return f"%v{len(lines) - 1}"

    def load() -> str:
        nonlocal word
        address = emit(f"getelementptr i64, ptr %arguments, i64 {word}")
        word += 1
        return emit(f"load i64, ptr {address}")

    def convert(value: str, kind: str) -> str:
        if kind == "i64":
            return value
        how = {"ptr": "inttoptr", "double": "bitcast"}.get(kind, "trunc")
        return emit(f"{how} i64 {value} to {kind}")

    for leaf in leaves:
        if leaf.dimensions == 0:
            passed.append(f"{kinds[len(passed) - 2]} {convert(load(), kinds[len(passed) - 2])}")
            continue
        address = convert(load(), "ptr")
        shape = [load() for _ in range(leaf.dimensions)]
        strides = [str(leaf.dtype.itemsize)]
        items = shape[-1]
        for size, stride in zip(reversed(shape[1:]), strides, strict=False):
            strides.append(emit(f"mul i64 {size}, {stride}"))
        for size in shape[:-1]:
            items = emit(f"mul i64 {items}, {size}")
        passed += ["ptr null", "ptr null", f"i64 {items}", f"i64 {leaf.dtype.itemsize}"]
        passed.append(f"ptr {address}")
        passed += [f"i64 {word}" for word in (*shape, *reversed(strides))]
    given = ", ".join(passed)
    declared = ", ".join(str(argument.type) for argument in native.arguments)
    return "\n".join(
        [
            f'declare i32 @"{native.name}"({declared})',
            f'define i32 @"{name}"(ptr %arguments, ptr %result) {{',
            "  %exception = alloca ptr",
            "  store i64 0, ptr %result",
            *lines,
            f'  %status = call i32 @"{native.name}"({given})',
            "  ret i32 %status",
            "}",
        ]
    )


_MEMORY = """
declare ptr @malloc(i64)
declare void @free(ptr)
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %alignment = zext i32 %align to i64
  %padding = add i64 %alignment, 48
  %total = add i64 %size, %padding
  %block = call ptr @malloc(i64 %total)
  %failed = icmp eq ptr %block, null
  br i1 %failed, label %end, label %fill
fill:
  call void @llvm.memset.p0.i64(ptr %block, i8 0, i64 48, i1 false)
  store i64 1, ptr %block
  %start = ptrtoint ptr %block to i64
  %above = add i64 %start, %padding
  %down = sub i64 0, %alignment
  %aligned = and i64 %above, %down
  %data = inttoptr i64 %aligned to ptr
  %where = getelementptr i8, ptr %block, i64 24
  store ptr %data, ptr %where
  br label %end
end:
  ret ptr %block
}
define void @NRT_incref(ptr %block) {
  %none = icmp eq ptr %block, null
  br i1 %none, label %end, label %count
count:
  %before = load i64, ptr %block
  %after = add i64 %before, 1
  store i64 %after, ptr %block
  br label %end
end:
  ret void
}
define void @NRT_decref(ptr %block) {
  %none = icmp eq ptr %block, null
  br i1 %none, label %end, label %count
count:
  %before = load i64, ptr %block
  %after = sub i64 %before, 1
  store i64 %after, ptr %block
  %unused = icmp eq i64 %after, 0
  br i1 %unused, label %free, label %end
free:
  call void @free(ptr %block)
  br label %end
end:
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""
"""What Numba's code calls to allocate arrays, and to free them.

It takes the fields of a block for a reference count, a destructor and its argument, the address of
the data, their size and an allocator, eight bytes each. Only the call that allocates a block ever
knows it, so that counting need not be atomic.
"""


def _linked(libraries: list[Any], wrappers: list[str], names: list[str]) -> str:
    """Link modules, keep what the named functions need, and simplify that for any processor."""
    base, *others = [llvm.parse_assembly(_MEMORY), *libraries, *map(llvm.parse_assembly, wrappers)]
    for other in others:
        base.link_in(other)
    for value in (*base.functions, *base.global_variables):
        if not value.is_declaration and value.name not in names:
            value.linkage = "internal"
    target = llvm.Target.from_default_triple().create_target_machine(cpu="", features="", opt=2)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    builder = llvm.create_pass_builder(target, options)
    passes = builder.getModulePassManager()
    passes.add_refprune_pass()
    passes.run(base, builder)
    builder.getModulePassManager().run(base, builder)
    missing = [f.name for f in base.functions if f.is_declaration and _is_foreign(f.name)]
    if missing:
        raise RuntimeError(f"kernels call what only Numba has: {', '.join(missing)}")
    return re.sub(r"^(target|source_filename|; ModuleID).*\n", "", str(base), flags=re.MULTILINE)


def _is_foreign(name: str) -> bool:
    return name.startswith(("NRT_", "numba_", "Py", "_Py"))
