"""The command line of ``gdl bench``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import click

from gdl.cli.arguments import (
    FILE_OR_FOLDER,
    MachineKind,
    OutputPath,
    device_option,
    machine_option,
    number_option,
    runs,
)

CSV_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class OutputForm(StrEnum):
    """How the figures are written."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"


@click.command("bench", short_help="Measure how many states a second random playouts make.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE_OR_FOLDER)
@number_option(
    "--seconds",
    click.FloatRange(0, min_open=True),
    1.0,
    "Seconds of play in each repetition, roughly.",
    unit="S",
)
@click.option("--repetitions", type=click.IntRange(1), metavar="K", default=5)
@machine_option(default=MachineKind.PROPNET)
@number_option(
    "--threads", click.IntRange(1), 1, "The number of threads that play at once (propnet only)."
)
@click.option("--env", is_flag=True, help="Measure environments: steps with arrays delivered.")
@number_option(
    "--envs",
    click.IntRange(1),
    8192,
    "The number of copies in an environment; multiples of 512 are the fastest.",
)
@device_option("Measure on a GPU, such as cuda:0, or host for its kernels on this processor.")
@number_option(
    "--lanes",
    click.IntRange(64),
    2**22,
    "The number of states that are played at once on a device; a multiple of 64.",
)
@click.option("--search", is_flag=True, hidden=True)
@click.option("--seed", default=0, metavar="N", help="Where random moves begin.")
@click.option("--json", "form", flag_value=OutputForm.JSON.value, help="Write all figures as JSON.")
@click.option(
    "--markdown", "form", flag_value=OutputForm.MARKDOWN.value, help="Write the table as Markdown."
)
@click.option(
    "--baselines",
    is_flag=True,
    help="Compare with other engines; of a folder measure the games that are known of them.",
)
@click.option(
    "--baselines-file",
    type=CSV_FILE,
    metavar="CSV",
    help="Compare by name with a table of your own: columns game, engine, states_per_cpu_s.",
)
@click.option("--peers", type=CSV_FILE, hidden=True)
@click.option(
    "--plot",
    type=OutputPath(),
    metavar="FILE",
    help="Also plot the speeds, as SVG, PNG or another format that the name ends in.",
)
@runs("gdl.cli.bench:run_bench")
def bench_command() -> None:
    """Measure random playouts: states per second, and what it takes to begin.

    A FILE that is a folder stands for its files *.kif. Each game is measured in a process of its
    own, from the initial state to a terminal one, its goals, and the next start. Speeds are
    medians, with the least and the most of the repetitions, per second of one core's CPU time;
    "wall" is what all threads do per second of wall-clock time. "view" and "transition" are gates,
    "first s" leads from the text to the initial legal moves in wall-clock time, "code s" is the CPU
    time of making native code with an empty cache (none where that would take minutes; then the
    interpreter is measured). "roofline" is the part of the processor's vector AND operations that
    the gates reach: gates x states per second / the ANDs of two bits per second that the same
    process reached at most. Gates that only goals need count as often as they are evaluated.

    With --baselines, rulesheets of the public collections are recognised by their SHA-256, at any
    depth of a folder (of a clone of ggp-org/ggp-repository, for example), and compared with the
    fastest other engine that was measured on them. Its speed is that of another machine, an AMD
    EPYC server: compare orders of magnitude.

    --env measures games as environments for learning: steps per second of one core's CPU time, with
    observations and masks as arrays in Python and random legal actions that are drawn from them;
    beside bare playouts, which deliver nothing. It needs the extra rl.

    --device measures playouts on a GPU, per second of wall-clock time, beside a core of this
    processor; with --env environments whose arrays stay on the GPU. --machine, --threads,
    --baselines, --baselines-file and --plot are for playouts on this processor alone.

    \b
    Examples:
        gdl bench games/ticTacToe.kif --seconds 0.2
        gdl bench games/nim.kif --machine reasoner --seconds 0.1 --json
        gdl bench games/nim.kif --seconds 0.1 --markdown
        gdl bench games/connectFour.kif --env --envs 512 --seconds 0.1
    """
