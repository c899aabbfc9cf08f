"""PTX: LLVM source compiled for GPUs, by the LLVM that compiles for the host.

Apart from the driver, so that it can be made, and looked at, where there is no GPU.
"""

from __future__ import annotations

import hashlib

import llvmlite
import llvmlite.binding as llvm

from gdl.code_cache import read_code, write_code

TRIPLE = "nvptx64-nvidia-cuda"

OLDEST = (7, 0)
"""The oldest compute capability that is compiled for."""

NEWEST = (9, 0)
"""The newest one that is compiled for; the driver translates it for what has come since."""


def ptx(source: str, capability: tuple[int, int], *, straight: bool) -> bytes:
    """Return the PTX of LLVM source, from the cache on disk if it is there."""
    key = "\n".join([llvmlite.__version__, str(capability), str(straight), source])
    name = hashlib.sha256(key.encode()).hexdigest() + ".ptx"
    code = read_code(name)
    if code is None:
        code = compile_ptx(source, capability, straight=straight)
        write_code(name, code)
    return code


def compile_ptx(source: str, capability: tuple[int, int], *, straight: bool) -> bytes:
    """Compile LLVM source to PTX for a compute capability, or the newest one below it.

    With ``straight`` the source is one long line of gates, which is left as it is: LLVM's passes
    and its own order of instructions keep more values at a time, so that the driver's compiler,
    which optimises anyway, finds too few registers for them.

    Raises RuntimeError if LLVM rejects the source, or was built without this target.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    major, minor = min(capability, NEWEST)
    target = llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu=f"sm_{major}{minor}", features="+ptx78", opt=0 if straight else 2
    )
    module = llvm.parse_assembly(f'target triple = "{TRIPLE}"\n{source}')
    module.data_layout = str(target.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=0 if straight else 2)
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return str(target.emit_assembly(module)).encode()
