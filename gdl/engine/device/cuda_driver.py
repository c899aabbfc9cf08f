"""GPUs by the library of NVIDIA's driver, without a CUDA toolkit.

LLVM source is compiled to PTX by the LLVM that compiles for the host, which needs no GPU; the
driver takes it from there.

The primary context of the device is used, as PyTorch, JAX and CuPy do: arrays can be shared.
Reference: NVIDIA, CUDA Driver API.
"""

from __future__ import annotations

import ctypes
import hashlib
import sys
import weakref
from collections.abc import Sequence
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from gdl.code_cache import read_code, write_code
from gdl.engine.device.device import DeviceArray, Kernels
from gdl.engine.device.dlpack import CUDA
from gdl.engine.device_kernels.targets import GROUP_THREADS, KernelTarget
from gdl.errors import DeviceError

WORD_BITS = 32

_MAJOR, _MINOR = 75, 76
_LOCAL_BYTES = 3
_OUT_OF_MEMORY = 2
_EVENT_WITHOUT_TIME = 2
_LIBRARIES = {"win32": "nvcuda.dll"}


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
    # Said before the code is read, as it is what loads and stores are aligned by.
    head = f'target datalayout = "{target.target_data}"\ntarget triple = "{TRIPLE}"'
    module = llvm.parse_assembly(f"{head}\n{source}")
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=0 if straight else 2)
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return str(target.emit_assembly(module)).encode()


@cache
def _library() -> Any:  # noqa: ANN401 ctypes makes functions as they are asked for
    """Load the driver's library, and initialise it. Raises :class:`gdl.DeviceError`."""
    name = _LIBRARIES.get(sys.platform, "libcuda.so.1")
    try:
        library = ctypes.CDLL(name)
    except OSError:
        raise DeviceError(
            f"there is no NVIDIA driver here: {name} was not found; without a GPU leave the "
            "device out, or name the device host"
        ) from None
    if code := library.cuInit(0):
        raise DeviceError(f"NVIDIA's driver does not start: {_error_of(library, code)}")
    return library


def _error_of(library: Any, code: int) -> str:  # noqa: ANN401
    text = ctypes.c_char_p()
    library.cuGetErrorString(code, ctypes.byref(text))
    return text.value.decode() if text.value else f"error {code}"


class CudaKernels:
    """Kernels loaded into a GPU."""

    def __init__(self, device: CudaDevice, code: bytes) -> None:
        self._device = device
        self._module = ctypes.c_void_p()
        device.call("cuModuleLoadData", ctypes.byref(self._module), ctypes.c_char_p(code))
        self._functions: dict[str, ctypes.c_void_p] = {}

    def launch(self, name: str, arguments: Sequence[DeviceArray | int], threads: int) -> None:
        """Run a kernel; it may still run when this returns."""
        numbers = [a if isinstance(a, int) else a.address for a in arguments]
        values = [ctypes.c_int64(number) for number in (*numbers, threads)]
        addresses = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        blocks = -(-threads // GROUP_THREADS)
        sizes = [blocks, 1, 1, GROUP_THREADS, 1, 1, 0]
        call = (self._function(name), *map(ctypes.c_uint, sizes), None, addresses, None)
        self._device.call("cuLaunchKernel", *call)

    def local_bytes(self, name: str) -> int:
        """Return how many bytes of a thread's values have no room in registers."""
        value = ctypes.c_int()
        attribute = (ctypes.byref(value), _LOCAL_BYTES, self._function(name))
        self._device.call("cuFuncGetAttribute", *attribute)
        return value.value

    def _function(self, name: str) -> ctypes.c_void_p:
        if name not in self._functions:
            function = ctypes.c_void_p()
            encoded = ctypes.c_char_p(name.encode())
            self._device.call("cuModuleGetFunction", ctypes.byref(function), self._module, encoded)
            self._functions[name] = function
        return self._functions[name]


class CudaDevice:
    """A GPU, by its number. Raises :class:`gdl.DeviceError` where there is none.

    One that is not ``is_used`` is only looked for, and none of its memory is taken.
    """

    def __init__(self, number: int, *, is_used: bool = True) -> None:
        self.name = f"cuda:{number}"
        self.dlpack_device = (CUDA, number)
        self.target = KernelTarget(WORD_BITS, is_gpu=True)
        self._library = _library()
        self._context = ctypes.c_void_p()
        count = ctypes.c_int()
        self._check(self._library.cuDeviceGetCount(ctypes.byref(count)))
        if not 0 <= number < count.value:
            raise DeviceError(f"there is no {self.name}: the driver knows {count.value} GPUs")
        device = ctypes.c_int()
        self._check(self._library.cuDeviceGet(ctypes.byref(device), number))
        self.capability = (self._attribute(device, _MAJOR), self._attribute(device, _MINOR))
        if self.capability < OLDEST:
            have, want = (".".join(map(str, version)) for version in (self.capability, OLDEST))
            raise DeviceError(f"{self.name} is too old: compute capability {have}, not {want}")
        model = ctypes.create_string_buffer(100)
        self._check(self._library.cuDeviceGetName(model, len(model), device))
        self.model = model.value.decode()
        if is_used:
            retained = ctypes.byref(self._context)
            self._check(self._library.cuDevicePrimaryCtxRetain(retained, device))

    def _attribute(self, device: ctypes.c_int, attribute: int) -> int:
        value = ctypes.c_int()
        self._check(self._library.cuDeviceGetAttribute(ctypes.byref(value), attribute, device))
        return value.value

    def _check(self, code: int) -> None:
        if code == _OUT_OF_MEMORY:
            raise DeviceError(f"{self.name} has too little memory left: use fewer lanes")
        if code:
            raise DeviceError(f"{self.name}: {_error_of(self._library, code)}")

    def call(self, function: str, *arguments: Any) -> None:  # noqa: ANN401
        """Call a function of the driver. Raises :class:`gdl.DeviceError` where it fails."""
        self._check(self._library.cuCtxSetCurrent(self._context))
        self._check(getattr(self._library, function)(*arguments))

    def hand_over(self, stream: object) -> None:
        """Have a stream wait for what was begun on the one that is used here, the legacy default.

        None and 1 mean that one itself; -1 that nobody is to wait.
        """
        if stream in (None, -1, 1):
            return
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), ctypes.c_uint(_EVENT_WITHOUT_TIME))
        self.call("cuEventRecord", event, None)
        self.call("cuStreamWaitEvent", ctypes.c_void_p(int(str(stream))), event, ctypes.c_uint(0))
        self.call("cuEventDestroy_v2", event)

    def free(self, address: int) -> None:
        """Give memory back; of a context that is lost there is none to give."""
        if not self._library.cuCtxSetCurrent(self._context):
            self._library.cuMemFree_v2(ctypes.c_uint64(address))

    def kernels(self, source: str, *, straight: bool) -> Kernels:
        """Make kernels of LLVM source."""
        try:
            code = ptx(source, self.capability, straight=straight)
        except RuntimeError as error:  # of an LLVM without this target, for instance
            raise DeviceError(f"no code can be made for {self.name}: {error}") from error
        return CudaKernels(self, code + b"\0")

    def zeros(self, size: int) -> DeviceArray:
        """Make an array of so many bytes, all 0."""
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(size, 1)))
        array = DeviceArray(int(pointer.value), size)
        # When Python ends the driver frees everything, and modules are gone that this would need.
        weakref.finalize(array, self.free, array.address).atexit = False
        self.clear(array)
        return array

    def write(self, array: DeviceArray, values: NDArray[np.generic]) -> None:
        """Copy values of the host to the beginning of an array."""
        values = np.ascontiguousarray(values)
        address, size = ctypes.c_uint64(array.address), ctypes.c_size_t(values.nbytes)
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(values.ctypes.data), size)

    def read(self, array: DeviceArray, values: NDArray[np.generic], begin: int = 0) -> None:
        """Copy an array, from a byte on, to one of the host."""
        address, size = ctypes.c_uint64(array.address + begin), ctypes.c_size_t(values.nbytes)
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(values.ctypes.data), address, size)

    def copy(self, target: DeviceArray, origin: DeviceArray) -> None:
        """Copy one array to another of the same size."""
        addresses = (ctypes.c_uint64(array.address) for array in (target, origin))
        self.call("cuMemcpyDtoD_v2", *addresses, ctypes.c_size_t(origin.size))

    def clear(self, array: DeviceArray) -> None:
        """Make all bytes of an array 0."""
        address, size = ctypes.c_uint64(array.address), ctypes.c_size_t(array.size)
        self.call("cuMemsetD8_v2", address, ctypes.c_ubyte(0), size)

    def synchronize(self) -> None:
        """Wait for the kernels."""
        self.call("cuCtxSynchronize")
