"""What can be wrong with a GPU gets a sentence; a stand-in takes the place of NVIDIA's library."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

import gdl
from gdl.engine.device import cuda_driver, open_device
from gdl.engine.device.cuda_driver import CudaDevice, compile_ptx, ptx
from gdl.engine.device.dlpack import CUDA
from gdl.engine.device_kernels.episode_kernels import EpisodePlan, episode_source
from gdl.engine.device_kernels.memory_kernels import memory_kernel_source
from gdl.engine.device_kernels.register_kernels import DeviceGame, kernel_source
from gdl.engine.device_kernels.targets import KernelTarget
from gdl.engine.device_kernels.tiles import cut_into_tiles, whole_circuit
from gdl.engine.stepper import game_numbers
from gdl.envs.seats import EpisodeSettings, plan_turn
from tests.support.compiled_games import machine_of

MEMORY = 2**20


class DriverStandIn:
    """A library with one GPU, whose memory is that of the host, and which runs nothing."""

    def __init__(self, capability: tuple[int, int] = (9, 0), gpus: int = 1) -> None:
        self._capability, self._gpus = capability, gpus
        self.arrays: dict[int, ctypes.Array] = {}
        self.failing: dict[str, int] = {}
        self.calls: list[str] = []

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*arguments) -> int:
            self.calls.append(name)
            if code := self.failing.get(name, 0):
                return code
            return getattr(self, f"_{name.lower()}", lambda *_: 0)(*arguments)

        return call

    @staticmethod
    def _set(reference, value: int | bytes) -> int:
        reference._obj.value = value
        return 0

    def _cudevicegetcount(self, count) -> int:
        return self._set(count, self._gpus)

    def _cudevicegetattribute(self, value, attribute: int, device) -> int:
        return self._set(value, self._capability[attribute - 75])

    def _cudevicegetname(self, name, size: int, device) -> int:
        name.value = b"NVIDIA Stand-in"
        return 0

    def _cugeterrorstring(self, code: int, text) -> int:
        return self._set(text, {1: b"invalid argument", 700: b"an illegal memory access"}[code])

    def _cumemalloc_v2(self, pointer, size) -> int:
        if size.value > MEMORY:
            return 2
        array = ctypes.create_string_buffer(size.value)
        self.arrays[ctypes.addressof(array)] = array
        return self._set(pointer, ctypes.addressof(array))

    def _cumemfree_v2(self, address) -> int:
        del self.arrays[address.value]
        return 0

    def _cumemcpyhtod_v2(self, target, origin, size) -> int:
        ctypes.memmove(target.value, origin.value, size.value)
        return 0

    _cumemcpydtoh_v2 = _cumemcpyhtod_v2
    _cumemcpydtod_v2 = _cumemcpyhtod_v2

    def _cumemsetd8_v2(self, address, value, size) -> int:
        ctypes.memset(address.value, value.value, size.value)
        return 0


@pytest.fixture
def driver(monkeypatch) -> DriverStandIn:
    driver = DriverStandIn()
    monkeypatch.setattr(cuda_driver, "_library", lambda: driver)
    return driver


def test_without_a_driver_there_is_a_sentence(monkeypatch) -> None:
    cuda_driver._library.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", _missing)
    with pytest.raises(gdl.DeviceError, match=r"there is no NVIDIA driver here: .* was not found"):
        open_device("cuda:0")


def _missing(name: str):
    raise OSError(name)


def test_a_gpu_that_is_not_there_is_refused(driver) -> None:
    with pytest.raises(gdl.DeviceError, match="there is no cuda:1: the driver knows 1 GPUs"):
        CudaDevice(1)


def test_nothing_is_taken_of_a_gpu_that_is_only_looked_for(driver) -> None:
    CudaDevice(0, is_used=False)
    assert "cuDevicePrimaryCtxRetain" not in driver.calls
    CudaDevice(0)
    assert "cuDevicePrimaryCtxRetain" in driver.calls


def test_a_gpu_that_is_too_old_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(cuda_driver, "_library", lambda: DriverStandIn(capability=(6, 1)))
    with pytest.raises(
        gdl.DeviceError, match=r"cuda:0 is too old: compute capability 6\.1, not 7\.0"
    ):
        CudaDevice(0)


def test_arrays_hold_what_is_written_and_are_freed(driver) -> None:
    device = CudaDevice(0)
    assert (device.model, device.dlpack_device) == ("NVIDIA Stand-in", (CUDA, 0))
    first, second = device.zeros(64), device.zeros(64)
    values = np.arange(16, dtype=np.uint32)
    device.write(first, values)
    device.copy(second, first)
    found = np.empty_like(values)
    device.read(second, found)
    assert np.array_equal(found, values)
    device.clear(second)
    device.read(second, found)
    assert not found.any()
    device.read(first, found[:4], begin=32)
    assert np.array_equal(found[:4], values[8:12])
    del first, second
    assert not driver.arrays


def test_too_little_memory_is_a_sentence(driver) -> None:
    with pytest.raises(gdl.DeviceError, match="cuda:0 has too little memory left: use fewer lanes"):
        CudaDevice(0).zeros(2 * MEMORY)


def test_a_context_that_is_lost_is_a_sentence_and_frees_nothing(driver) -> None:
    device = CudaDevice(0)
    array = device.zeros(64)
    driver.failing = {"cuCtxSynchronize": 700, "cuCtxSetCurrent": 0}
    with pytest.raises(gdl.DeviceError, match="cuda:0: an illegal memory access"):
        device.synchronize()
    driver.failing = {"cuCtxSetCurrent": 700}
    with pytest.raises(gdl.DeviceError, match="an illegal memory access"):
        device.clear(array)
    driver.calls.clear()
    del array
    assert "cuMemFree_v2" not in driver.calls


def test_other_streams_wait_and_our_own_does_not(driver) -> None:
    device = CudaDevice(0)
    for stream in (None, 1, -1):
        device.hand_over(stream)
    assert "cuStreamWaitEvent" not in driver.calls
    device.hand_over(2)
    assert driver.calls.count("cuStreamWaitEvent") == driver.calls.count("cuEventDestroy_v2") == 1


def test_source_that_cannot_be_compiled_is_a_sentence(driver) -> None:
    with pytest.raises(gdl.DeviceError, match="no code can be made for cuda:0: LLVM IR parsing"):
        CudaDevice(0).kernels("no source", straight=True)


def test_kernels_are_launched_with_their_arguments(driver) -> None:
    seen = []

    def launch(function, *rest) -> int:
        *sizes, _stream, addresses, _extra = rest
        seen.append(([size.value for size in sizes], [addresses[i] for i in range(3)]))
        return 0

    driver._culaunchkernel = launch
    device = CudaDevice(0)
    kernels = cuda_driver.CudaKernels(device, b"\0")
    kernels.launch("view", (device.zeros(8), 7), threads=1000)
    ((sizes, addresses),) = seen
    assert sizes == [8, 1, 1, 128, 1, 1, 0]
    values = [ctypes.c_int64.from_address(address).value for address in addresses]
    assert values[1:] == [7, 1000]


@pytest.mark.parametrize("name", ["gpu", "cuda:x", "cuda:-1", ""])
def test_a_name_that_means_no_device_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="expected a device such as cuda:0 or host, found"):
        open_device(name)


HOPPER = (9, 0)
KERNELS = ("play", "view", "move", "choose")


def game_of(name: str) -> DeviceGame:
    engine = machine_of(name).engine
    table = tuple((role, value) for role, value in engine.goal_table.tolist())
    return DeviceGame(engine.layout, table, engine.roles)


def entries(code: bytes) -> set[str]:
    return set(re.findall(r"\.entry (\w+)", code.decode()))


def assert_assembles(code: bytes, folder) -> None:
    """Let NVIDIA's assembler have a look where it is installed."""
    if (assembler := shutil.which("ptxas")) is None:
        return
    file = folder / "kernels.ptx"
    file.write_bytes(code)
    command = [assembler, "-arch=sm_90", "-O0", str(file), "-o", str(folder / "kernels.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


HEX = pytest.param("hex", marks=pytest.mark.thorough)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("game", [HEX, "dotsAndBoxes", "ticTacToe"])
def test_gates_become_ptx(game: str, kernel: str, tmp_path) -> None:
    source = kernel_source(kernel, game_of(game), KernelTarget(32, is_gpu=True))
    code = compile_ptx(source, HOPPER, straight=True)
    assert entries(code) == {kernel}
    assert ".target sm_90" in code.decode()
    assert_assembles(code, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("tiled", [True, False])
def test_kernels_with_rows_in_memory_become_ptx(kernel: str, tiled: bool, tmp_path) -> None:
    layout = machine_of("hex").engine.layout
    circuit = cut_into_tiles(layout, 50) if tiled else whole_circuit(layout)
    source = memory_kernel_source(kernel, game_of("hex"), circuit, KernelTarget(64, is_gpu=True))
    code = compile_ptx(source, HOPPER, straight=False)
    assert entries(code) == {kernel}
    assert_assembles(code, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("tiled", [True, False])
def test_environments_become_ptx(tiled: bool, tmp_path) -> None:
    machine = machine_of("ticTacToe")
    plan = plan_turn(machine, "auto", EpisodeSettings((-1.0, 1.0), 9)).stepping
    layout = machine.engine.layout
    circuit = cut_into_tiles(layout) if tiled else whole_circuit(layout)
    plan = replace(plan, observed=circuit.place(plan.observed), masked=circuit.place(plan.masked))
    episodes = EpisodePlan(circuit, plan, game_numbers(circuit.layout, 2, plan))
    code = compile_ptx(
        episode_source(episodes, KernelTarget(64, is_gpu=True)), HOPPER, straight=False
    )
    wanted = {"episode", "observe", "mask", "deliver_last", "place32", "place64", "draw"}
    assert entries(code) == wanted
    assert_assembles(code, tmp_path)


@pytest.mark.parametrize(
    ("capability", "target"), [((7, 5), "sm_75"), ((8, 9), "sm_89"), ((12, 0), "sm_90")]
)
def test_what_is_newer_than_we_know_gets_the_newest_that_we_know(capability, target) -> None:
    source = kernel_source("view", game_of("ticTacToe"), KernelTarget(32, is_gpu=True))
    assert f".target {target}" in compile_ptx(source, capability, straight=True).decode()


def test_ptx_is_kept(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GDL_CACHE", str(tmp_path))
    source = kernel_source("view", game_of("ticTacToe"), KernelTarget(32, is_gpu=True))
    first = ptx(source, HOPPER, straight=True)
    monkeypatch.setattr("gdl.engine.device.cuda_driver.compile_ptx", None)
    assert ptx(source, HOPPER, straight=True) == first
