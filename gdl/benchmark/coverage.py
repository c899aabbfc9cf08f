"""Coverage: which rulesheets can be compiled, and what compiling them takes.

Each rulesheet is compiled in a process of its own, which is killed at a limit of time and ends at
a limit of memory, so that none of them can spoil the figures of another or the whole table. The
figures become a page in Markdown: a summary, then a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import ceil
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import process_time
from typing import Any

import gdl
from gdl.engine import warm_up_kernels
from gdl.errors import GdlError, Source
from gdl.language import parse
from gdl.system import child_cpu_seconds, children_import_our_code, limit_memory, peak_memory


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageLimits:
    """What one rulesheet may take.

    ``seconds`` of wall-clock time, ``memory`` in bytes of address space, for each process.
    """

    seconds: float = 300.0
    memory: int = 6 * 2**30


@dataclass(frozen=True, slots=True)
class Coverage:
    """What it takes to compile a rulesheet, or why it is refused.

    ``seconds`` are those of CPU time, the grounder's included, from the text to the legal moves of
    the initial state or to the refusal; None where the process had to be ended. ``memory`` is the
    peak in bytes, that of the process or of the grounder, whichever is larger.
    """

    game: str
    seconds: float | None = None
    ground_rules: int | None = None
    gates: int | None = None
    memory: int | None = None
    refusal: str | None = None


def measure_coverage(
    sources: Sequence[tuple[str, Source]], limits: CoverageLimits, jobs: int
) -> Iterator[Coverage]:
    """Yield the figures of each rulesheet in their order; ``sources`` are names and texts.

    So many ``jobs`` run at once; more than one make the figures less exact.
    """
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(partial(_measure_apart, limits=limits), sources)


def _measure_apart(source: tuple[str, Source], limits: CoverageLimits) -> Coverage:
    """Measure a rulesheet in a process of its own, and kill that at the limit of time."""
    game, text = source[0], source[1].text
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_coverage, args=(sender, game, text, limits.memory))
    with children_import_our_code():
        process.start()
    sender.close()
    try:
        if receiver.poll(limits.seconds):
            found: Coverage = receiver.recv()
            return found
        return Coverage(game, refusal=f"not done after {limits.seconds:g} seconds")
    except EOFError:
        return Coverage(game, refusal="the process that measured it died")
    finally:
        process.kill()
        process.join()
        receiver.close()


def _send_coverage(sender: Connection, game: str, text: str, memory: int) -> None:
    limit_memory(memory)
    sender.send(measure_compilation(game, text))


def measure_compilation(game: str, text: str) -> Coverage:
    """Compile one rulesheet in this process, whose peak memory counts as that of the rulesheet."""
    warm_up_kernels()
    began = process_time() + child_cpu_seconds()
    try:
        machine = gdl.compile(parse(text, game))
        state = machine.initial_state()
        for role in machine.roles:
            machine.legal_moves(state, role)
    except MemoryError:
        refusal = "there is not enough memory"
    except (GdlError, RecursionError) as error:
        refusal = str(error).removeprefix(f"{game}: ")
    else:
        seconds = process_time() + child_cpu_seconds() - began
        gates = machine.engine.layout.gate_count
        return Coverage(game, seconds, machine.ground_rules, gates, peak_memory())
    seconds = process_time() + child_cpu_seconds() - began
    return Coverage(game, seconds, memory=peak_memory(), refusal=refusal)


SHOWN_REFUSAL = 160
"""The most characters of a refusal that the table shows."""


def coverage_page(found: Sequence[Coverage], facts: Mapping[str, Any]) -> str:
    """Write the page; ``facts`` are the circumstances of the measurement."""
    rows = "\n".join(f"| {' | '.join(row)} |" for row in _rows(found))
    return f"# Coverage\n\n{_INTRODUCTION}\n\n{coverage_summary(found, facts)}\n\n{rows}\n"


def coverage_summary(found: Sequence[Coverage], facts: Mapping[str, Any]) -> str:
    """Summarise the figures as a list in Markdown: counts, quantiles, the largest, the machine."""
    refused = [each for each in found if each.refusal is not None]
    compiled = [each for each in found if each.refusal is None]
    lines = [f"{len(found)} rulesheets: {len(compiled)} compiled, {len(refused)} refused"]
    if compiled:
        lines += [
            _quantiles("CPU seconds", compiled, lambda each: each.seconds or 0.0, ".2f"),
            _quantiles("MB", compiled, lambda each: (each.memory or 0) / 1e6, ".0f"),
            _quantiles("ground rules", compiled, lambda each: each.ground_rules or 0, ",.0f"),
            _quantiles("gates", compiled, lambda each: each.gates or 0, ",.0f"),
        ]
    load = "" if facts["load"] is None else f", load {facts['load']:.1f}"
    lines.append(f"{facts['processor']}, {facts['cores']} cores{load}")
    return "\n".join(f"- {line}" for line in lines)


def _quantiles(
    name: str, found: Sequence[Coverage], figure: Callable[[Coverage], float], form: str
) -> str:
    ordered = sorted(found, key=figure)
    half, most = (figure(ordered[ceil(share * len(ordered)) - 1]) for share in (0.5, 0.9))
    last = ordered[-1]
    return (
        f"{name}: half up to {half:{form}}, nine in ten up to {most:{form}}, "
        f"the most {figure(last):{form}} ({last.game})"
    )


def _rows(found: Sequence[Coverage]) -> Iterator[list[str]]:
    yield ["game", "CPU s", "ground rules", "gates", "MB", "refused"]
    yield ["---", *["---:"] * 4, "---"]
    for each in found:
        yield [
            each.game,
            "" if each.seconds is None else f"{each.seconds:.2f}",
            "" if each.ground_rules is None else str(each.ground_rules),
            "" if each.gates is None else str(each.gates),
            "" if each.memory is None else f"{each.memory / 1e6:.0f}",
            _cell(each.refusal or ""),
        ]


def _cell(text: str) -> str:
    """Make one line of a text that does not end a cell of the table."""
    line = " ".join(text.split()).replace("|", "\\|")
    return line if len(line) <= SHOWN_REFUSAL else f"{line[:SHOWN_REFUSAL]} ..."


_INTRODUCTION = """\
What it takes to compile each rulesheet: CPU seconds from the text to the legal moves of the first
state, with those of the grounder; the ground rules and the gates that come of it; and the most
memory that the process or the grounder held. What is refused is played by the reasoner.
`gdl coverage --help` says how the table is made."""
