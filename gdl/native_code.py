"""Native code: LLVM source is compiled for this processor, kept on disk, and loaded.

Run as a program, with the number of the process that has started it, this file compiles the source
that it reads, and writes an object file.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from gdl.code_cache import is_cached, read_code, write_code
from gdl.system import child_environment, end_with_parent, limit_helper

MAX_MEMORY = 8 * 2**30
"""Bytes of address space for an isolated compiler, where its parent has not less."""

MAX_CPU_SECONDS = 1800
"""What an isolated compiler may take: the largest game that is compiled takes a few minutes."""

_llvm_works = threading.Lock()
"""Held while LLVM works. A process that ends meanwhile, in another thread, would crash: the end
destroys what LLVM works with. So it waits, for a second or so, and keeps others from beginning."""

atexit.register(_llvm_works.acquire)


class NativeCode:
    """Loaded native code; it lives as long as the object."""

    def __init__(self, binary: bytes) -> None:
        with _llvm_works:
            empty = llvm.parse_assembly("")
            self._engine = llvm.create_mcjit_compiler(empty, _target())
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(binary))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return the address of a function. Raises KeyError where there is none of the name."""
        address = int(self._engine.get_function_address(name))
        if address == 0:
            raise KeyError(name)
        return address


def compile_source(source: str, effort: int = 2) -> bytes:
    """Compile LLVM source to an object file for this processor.

    ``effort`` 0 to 2 is how hard LLVM tries; with 0 the code is slow, and ready soon.

    Raises RuntimeError if LLVM rejects the source.
    """
    with _llvm_works:
        target = _target(effort)
        module = llvm.parse_assembly(source)
        module.data_layout = str(target.target_data)
        module.verify()
        options = llvm.create_pipeline_tuning_options(speed_level=effort)
        builder = llvm.create_pass_builder(target, options)
        builder.getModulePassManager().run(module, builder)
        return bytes(target.emit_object(module))


def compile_in_isolation(source: str) -> bytes:
    """Do what :func:`compile_source` does, in an isolated process.

    While LLVM works it locks out every other thread of its process, even one that only loads code
    from the cache. Also raises RuntimeError if the process dies, of lack of memory for instance.
    """
    done = subprocess.run(
        [sys.executable, __file__, str(os.getpid())],
        input=source.encode(),
        env=child_environment(),
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").strip()
        raise RuntimeError(f"LLVM ended with {done.returncode}: {reason}")
    return done.stdout


def native_code(
    key: str, source: Callable[[], str], compiler: Callable[[str], bytes] = compile_source
) -> NativeCode:
    """Return the native code of LLVM source, from the cache on disk if it is there.

    ``key`` must change whenever the source does; the source is made only if it is needed. The cache
    is a convenience: where it cannot be read or written, the code is compiled all the same.
    """
    name = _file_name(key)
    binary = read_code(name)
    if binary is None:
        binary = compiler(source())
        write_code(name, binary)
    return NativeCode(binary)


def is_compiled(key: str) -> bool:
    """Check whether the native code of a key is in the cache on disk."""
    return is_cached(_file_name(key))


def _file_name(key: str) -> str:
    """The file for the code of a key, which depends on LLVM and the processor too."""
    machine = [llvmlite.__version__, llvm.get_host_cpu_name(), *_features()]
    return hashlib.sha256("\n".join([key, *machine]).encode()).hexdigest() + ".o"


@cache
def _features() -> tuple[str, ...]:
    features = llvm.get_host_cpu_features()
    # On processors with 512-bit vectors LLVM prefers 256 bits by default; rows need full width.
    wide = ("-prefer-256-bit",) if features.get("avx512f") else ()
    return (*features.flatten().split(","), *wide)


def _target(effort: int = 2) -> Any:  # noqa: ANN401 llvmlite has no types
    # An execution engine owns its target, so each needs a new one.
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=",".join(_features()), opt=effort, jit=True
    )


def main() -> None:
    """Compile standard input to standard output; die with the parent process."""
    end_with_parent(int(sys.argv[1]))
    limit_helper(MAX_MEMORY, MAX_CPU_SECONDS)
    try:
        binary = compile_source(sys.stdin.buffer.read().decode())
    except RuntimeError as error:
        sys.exit(str(error))
    sys.stdout.buffer.write(binary)


if __name__ == "__main__":
    main()
