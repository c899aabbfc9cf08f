"""The command ``python -m benchmarks.environments.device``: ours and Pgx on one GPU, in turn.

Both draw random legal actions on the GPU and begin matches anew; observations and masks of every
step are delivered there, and nothing is copied to the host. Times are wall-clock times.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from time import monotonic

import click
import numpy as np

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # the memory is shared

import gdl
from benchmarks.environments.games import GAMES, Game
from benchmarks.environments.libraries import pgx_copies
from gdl.benchmark.tables import markdown_of, short
from gdl.envs import TURN, GdlVectorEnv

STEPS = 32
"""How many steps are made between two looks at the time."""

Play = Callable[[], None]
"""Makes ``STEPS`` steps of all copies, and waits for them."""


def play_ours(game: Game, envs: int, device: str) -> tuple[Play, int]:
    """Prepare our environment; return how to play, and the bytes that a step delivers."""
    machine = gdl.compile(gdl.parse(game.rules, game.own))
    env = GdlVectorEnv(machine, envs, role=TURN, device=device)
    random = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> None:
        for _ in range(STEPS):
            *_, info = env.step(env.random_actions(random))
        info["illegal"].numpy()

    return play, env.observations[0].size + len(env.actions[0])


def play_pgx(game: Game, envs: int) -> tuple[Play, int]:
    """Prepare Pgx; return how to play, and the bytes that a step delivers."""
    step, state, key = pgx_copies(game, envs, in_place=True)

    def play() -> None:
        nonlocal state, key
        for _ in range(STEPS):
            state, key = step(state, key)
        state.observation.block_until_ready()

    delivered = state.observation, state.legal_action_mask
    return play, sum(array.nbytes for array in delivered) // envs


def speeds_of(play: Play, envs: int, seconds: float, rounds: int) -> list[float]:
    """Return steps a second in some rounds, after one that warms up."""
    play()
    found = []
    for _ in range(rounds):
        steps, began = 0, monotonic()
        while monotonic() - began < seconds:
            play()
            steps += STEPS * envs
        found.append(steps / (monotonic() - began))
    return sorted(found)


def best_of(
    prepare: Callable[[int], tuple[Play, int]], counts: Sequence[int], seconds: float, rounds: int
) -> tuple[float, int, int]:
    """Return the best median over numbers of copies, that number, and bytes a step."""
    found = []
    for envs in counts:
        try:
            play, size = prepare(envs)
            speeds = speeds_of(play, envs, seconds, rounds)
        except Exception as error:
            print(f"{envs}: {type(error).__name__}: {str(error)[:200]}")
            continue
        print(f"{envs}: {' '.join(map(short, speeds))}", flush=True)
        found.append((speeds[len(speeds) // 2], envs, size))
    return max(found, default=(0.0, 0, 0))


@click.command()
@click.argument("names", nargs=-1, metavar="[GAME]...")
@click.option("--device", default="cuda:0", show_default=True)
@click.option(
    "--seconds", default=0.5, show_default=True, help="Wall-clock time of one measurement."
)
@click.option("--rounds", default=5, show_default=True, help="The median of these counts.")
@click.option("--envs", type=int, multiple=True, default=(2**16, 2**18, 2**20), show_default=True)
def main(
    names: tuple[str, ...], device: str, seconds: float, rounds: int, envs: tuple[int, ...]
) -> None:
    """Compare our environments with those of Pgx on a GPU, as a table in Markdown.

    GAME is the beginning of a title, such as hex; all that Pgx has are measured by default.
    """
    rows = [["game", "steps/s", "copies", "bytes", "Pgx, steps/s", "copies", "bytes", "x"]]
    for game in GAMES:
        if not game.pgx or (names and not game.title.startswith(names)):
            continue
        print(game.title, flush=True)
        ours = best_of(lambda n, g=game: play_ours(g, n, device), envs, seconds, rounds)  # type: ignore[misc]
        theirs = best_of(lambda n, g=game: play_pgx(g, n), envs, seconds, rounds)  # type: ignore[misc]
        cells = [f"{x}" for one in (ours, theirs) for x in (short(one[0]), f"{one[1]:,}", one[2])]
        times = f"{ours[0] / theirs[0]:.1f}" if theirs[0] else "-"
        rows.append([game.title, *cells, times])
    click.echo(markdown_of(rows))


if __name__ == "__main__":
    main()
