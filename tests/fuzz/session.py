"""A session: one target fuzzed in this process, for some seconds; findings are files in a folder.

Guided by coverage it never returns, as libFuzzer ends the process. What Atheris cannot instrument
without making it slow or wrong, such as kernels, is left alone.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random

import click

from tests.fuzz.registry import ENTRIES, Entry, findings
from tests.fuzz.target import Finding, Target, find
from tests.support.paths import ROOT

MEMORY = 4 * 2**30
"""Bytes of address space."""

HANG_SECONDS = 120
"""Wall-clock time after which an input that does not even react to signals ends the session."""

GUIDED_SHARE = 0.25
"""How many mutations are the fuzzer's own, which know what the code compares its input with."""


def is_guided() -> bool:
    """Check whether there is a fuzzer that is guided by coverage."""
    return find_spec("atheris") is not None


@dataclass
class Recorder:
    """Checks inputs, and keeps the smallest for each place where something does not hold."""

    target: Target
    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.inputs = 0

    def __call__(self, data: bytes) -> None:
        """Check an input."""
        self.inputs += 1
        if finding := find(self.target, data):
            self._keep(finding)

    def _keep(self, finding: Finding) -> None:
        path = self.folder / finding.place
        if path.exists() and path.stat().st_size <= len(finding.data):
            return
        if not path.exists():
            print(f"FOUND {finding.place}", file=sys.stderr, flush=True)
        path.write_bytes(finding.data)
        path.with_name(f"{path.name}.story").write_text(finding.story, errors="replace")


@click.command()
@click.argument("name", type=click.Choice(sorted(ENTRIES)))
@click.option("--seconds", type=float, required=True)
@click.option("--seed", type=int, required=True)
@click.option("--corpus", type=click.Path(path_type=Path), required=True)
@click.option("--output", type=click.Path(path_type=Path), required=True)
@click.option("--blind", is_flag=True)
def main(name: str, seconds: float, seed: int, corpus: Path, output: Path, blind: bool) -> None:
    """Fuzz a target, and write what is found into the folder OUTPUT."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    guided = is_guided() and not blind
    with _instrumented(ENTRIES[name]) if guided else nullcontext():
        target = ENTRIES[name].load()
    recorder = Recorder(target, output)
    seeds = [*target.seeds(), *(path.read_bytes() for path in findings(name))]
    if guided:
        _fuzz_guided(target, recorder, seeds, corpus, seconds, seed)
    else:
        _fuzz_blindly(target, recorder, seeds, seconds, seed)


def _instrumented(entry: Entry) -> AbstractContextManager[object]:
    """Count the branches of the modules that a target covers, when they are imported."""
    import atheris

    prefixes = (*entry.covers, f"tests.fuzz.{entry.module}")
    others = [name for name in _module_names() if not _is_among(name, prefixes)]
    hook: AbstractContextManager[object] = atheris.instrument_imports(
        include=["gdl", "ggp_player"], exclude=others
    )
    return hook


def _module_names() -> list[str]:
    paths = [path for package in ("gdl", "ggp_player") for path in (ROOT / package).rglob("*.py")]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return [name.removesuffix(".__init__") for name in names]


def _is_among(name: str, prefixes: tuple[str, ...]) -> bool:
    is_kernel = name.endswith(("kernels", "_kernels", "spin_lock")) or ".mcts" in name
    return not is_kernel and any(f"{name}.".startswith(f"{prefix}.") for prefix in prefixes)


def _fuzz_guided(
    target: Target, recorder: Recorder, seeds: list[bytes], corpus: Path, seconds: float, seed: int
) -> None:
    import atheris

    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(data[: target.max_bytes])

    def mutate(data: bytes, most: int, number: int) -> bytes:
        random = Random(number)
        if random.random() >= GUIDED_SHARE:
            with suppress(RecursionError):  # of thousands of parentheses
                changed = target.mutate(data, random)
                if len(changed) <= most:
                    return changed
        mutated: bytes = atheris.Mutate(data, most)
        return mutated

    def cross(first: bytes, second: bytes, most: int, number: int) -> bytes:
        assert target.cross is not None
        return target.cross(first, second, Random(number))[:most]

    functions = {"custom_mutator": mutate, **({"custom_crossover": cross} if target.cross else {})}
    flags = {
        "max_total_time": int(seconds),
        "seed": seed + 1,  # 0 is one of the fuzzer's own choosing
        "max_len": target.max_bytes,
        "timeout": HANG_SECONDS,
        "report_slow_units": HANG_SECONDS,  # it counts time in which others have the processor
        "rss_limit_mb": MEMORY // 2**20,
        "print_final_stats": 1,
        "artifact_prefix": f"{recorder.folder}/",
    }
    arguments = [f"-{name}={value}" for name, value in flags.items()]
    atheris.Setup(["fuzz", *arguments, str(corpus)], recorder, **functions)
    atheris.Fuzz()


def _fuzz_blindly(
    target: Target, recorder: Callable[[bytes], None], seeds: list[bytes], seconds: float, seed: int
) -> None:
    """Mutate seeds at random, several times over, and print what libFuzzer would."""
    random, end, inputs = Random(seed), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = random.choice(seeds)
        for _ in range(random.randint(0, 6)):
            data = target.mutate(data, random)[: target.max_bytes]
        recorder(data)
        inputs += 1
    print(f"stat::number_of_executed_units: {inputs}", file=sys.stderr)


if __name__ == "__main__":
    main()
