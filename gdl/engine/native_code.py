"""Native code: LLVM source is compiled for this processor, kept on disk, and loaded.

Run as a program, this file compiles the source that it reads, and writes an object file.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import platformdirs

_DIGEST_SIZE = hashlib.sha256().digest_size

_END_WITH_PARENT = 1
"""``PR_SET_PDEATHSIG`` of the system call ``prctl``."""


class NativeCode:
    """Loaded native code; it lives as long as the object."""

    def __init__(self, binary: bytes) -> None:
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


def compile_source(source: str) -> bytes:
    """Compile LLVM source to an object file for this processor.

    Raises RuntimeError if LLVM rejects the source.
    """
    target = _target()
    module = llvm.parse_assembly(source)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(target.emit_object(module))


def compile_in_isolation(source: str) -> bytes:
    """Do what :func:`compile_source` does, in an isolated process.

    While LLVM works it locks out every other thread of its process, even one that only loads code
    from the cache. Also raises RuntimeError if the process dies, of lack of memory for instance.
    """
    command = [sys.executable, "-P", __file__]
    done = subprocess.run(command, input=source.encode(), capture_output=True, check=False)
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
    path = _cached(key)
    binary = _read_binary(path)
    if binary is None:
        binary = compiler(source())
        with contextlib.suppress(OSError):
            _write_binary(path, binary)
    return NativeCode(binary)


def _read_binary(path: Path) -> bytes | None:
    """Return an object file if it is complete: loading a truncated one would crash."""
    with contextlib.suppress(OSError):
        data = path.read_bytes()
        digest, binary = data[:_DIGEST_SIZE], data[_DIGEST_SIZE:]
        if hashlib.sha256(binary).digest() == digest:
            return binary
    return None


def _write_binary(path: Path, binary: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(hashlib.sha256(binary).digest() + binary)
    Path(file.name).replace(path)


def is_cached(key: str) -> bool:
    """Check whether the native code of a key is in the cache on disk."""
    return _cached(key).exists()


def cache_folder() -> Path:
    """Return the folder of compiled code; the environment variable GDL_CACHE overrides it."""
    return Path(os.environ.get("GDL_CACHE") or platformdirs.user_cache_dir("gdl", appauthor=False))


def _cached(key: str) -> Path:
    return cache_folder() / f"{_digest(key)}.o"


def _digest(key: str) -> str:
    machine = [llvmlite.__version__, llvm.get_host_cpu_name(), *_features()]
    return hashlib.sha256("\n".join([key, *machine]).encode()).hexdigest()


@cache
def _features() -> tuple[str, ...]:
    features = llvm.get_host_cpu_features()
    # On processors with 512-bit vectors LLVM prefers 256 bits by default; rows need full width.
    wide = ("-prefer-256-bit",) if features.get("avx512f") else ()
    return (*features.flatten().split(","), *wide)


def _target() -> Any:  # noqa: ANN401 llvmlite has no types
    # An execution engine owns its target, so each needs a new one.
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=",".join(_features()), opt=2, jit=True
    )


def main() -> None:
    """Compile standard input to standard output; die with the parent process."""
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    try:
        binary = compile_source(sys.stdin.buffer.read().decode())
    except RuntimeError as error:
        sys.exit(str(error))
    sys.stdout.buffer.write(binary)


if __name__ == "__main__":
    main()
