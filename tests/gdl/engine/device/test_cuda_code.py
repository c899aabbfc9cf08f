"""PTX is made of all kernels without a GPU."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from gdl.engine.device.cuda_code import compile_ptx, ptx
from gdl.engine.device_kernels.episode_kernels import EpisodePlan, episode_source
from gdl.engine.device_kernels.memory_kernels import memory_kernel_source
from gdl.engine.device_kernels.register_kernels import DeviceGame, kernel_source
from gdl.engine.device_kernels.targets import KernelTarget
from gdl.engine.stepper import game_numbers
from gdl.envs.seats import EpisodeSettings, plan_turn
from tests.support.compiled_games import machine_of

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
def test_kernels_with_rows_in_memory_become_ptx(kernel: str, tmp_path) -> None:
    source = memory_kernel_source(kernel, game_of("hex"), KernelTarget(64, is_gpu=True), 512)
    code = compile_ptx(source, HOPPER, straight=False)
    assert entries(code) == {kernel}
    assert_assembles(code, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("straight", [True, False])
def test_environments_become_ptx(straight: bool, tmp_path) -> None:
    machine = machine_of("ticTacToe")
    plan = plan_turn(machine, "auto", EpisodeSettings((-1.0, 1.0), 9)).stepping
    layout = machine.engine.layout
    episodes = EpisodePlan(layout, plan, game_numbers(layout, 2, plan), 512, straight)
    code = compile_ptx(
        episode_source(episodes, KernelTarget(64, is_gpu=True)), HOPPER, straight=False
    )
    wanted = {"step", "reset", "observe", "mask", "deliver_last", "place32", "place64", "draw"}
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
    monkeypatch.setattr("gdl.engine.device.cuda_code.compile_ptx", None)
    assert ptx(source, HOPPER, straight=True) == first
