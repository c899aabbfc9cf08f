"""Lane kernels: what is done lane by lane, emitted once through llvmlite, for all games.

Rows have a bit for each lane; whoever plays in lanes gives and wants arrays that have a line for
each. :mod:`.actions` makes numbers into moves, :mod:`.delivery` rows into bytes, :mod:`.draws`
draws legal actions, and :mod:`.episode` puts them together: a step of many environments in one
call, emitted with the rows and masks of :mod:`.emitter`. :mod:`.arguments` has the records that
this takes.
"""

from __future__ import annotations

from pathlib import Path

from llvmlite import ir

from gdl.engine import kernels
from gdl.engine.kernels.ir_helpers import IrHelpers
from gdl.engine.lane_kernels.draws import emit_draw
from gdl.engine.lane_kernels.episode import emit_stepping
from gdl.native_code import NativeCode, native_code


def load_lane_kernels(words: int) -> NativeCode:
    """Return the kernels for blocks of a width, compiled if they are not in the cache on disk."""
    folders = Path(__file__).parent, Path(kernels.__file__).parent
    files = sorted(file for folder in folders for file in folder.glob("*.py"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    key = "\n".join([f"lane kernels {words}", *texts])
    return native_code(key, lambda: lane_kernel_source(words))


def lane_kernel_source(words: int) -> str:
    """Write the LLVM source of all kernels here, for blocks of ``64 * words`` lanes."""
    module = ir.Module(name="lane_kernels")
    helpers = IrHelpers(module, words)
    emit_stepping(helpers)
    emit_draw(helpers)
    return str(module)
