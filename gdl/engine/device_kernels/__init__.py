"""The kernels of devices, as LLVM source: each thread works on the lanes of one word.

Start reading in :mod:`.register_kernels`: the kernels of a game that fits into registers, with its
gates in them. :mod:`.word_emitter` writes words, :mod:`.gate_emitter` gates, and
:mod:`.choice_emitter` the choice of a move. :mod:`.memory_kernels` has the kernels of games that do
not fit: the interpreter of blocks, with rows that :mod:`.plane_helpers` finds. Environments are
:mod:`.episode_kernels`, with a game's :mod:`.evaluators`, and :mod:`.byte_kernels` where lanes
become bytes. :mod:`.targets` says what a kernel is, on a GPU and on the host.
"""

from __future__ import annotations

from gdl.engine.device_kernels.byte_kernels import WORD, bytes_at_once
from gdl.engine.device_kernels.episode_kernels import EpisodePlan, episode_source
from gdl.engine.device_kernels.memory_kernels import MEMORY_WORD, memory_kernel_source
from gdl.engine.device_kernels.register_kernels import (
    RANDOM_PLANES,
    ZEROS,
    DeviceGame,
    kernel_source,
    sum_planes,
)
from gdl.engine.device_kernels.targets import KernelTarget

__all__ = [
    "MEMORY_WORD",
    "RANDOM_PLANES",
    "WORD",
    "ZEROS",
    "DeviceGame",
    "EpisodePlan",
    "KernelTarget",
    "bytes_at_once",
    "episode_source",
    "kernel_source",
    "memory_kernel_source",
    "sum_planes",
]
