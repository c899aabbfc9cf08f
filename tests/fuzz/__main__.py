"""The command ``python -m tests.fuzz``."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from tests.fuzz.registry import ENTRIES
from tests.fuzz.session import HANG_SECONDS, is_guided
from tests.fuzz.target import find
from tests.support.paths import ROOT

COLUMNS = ("inputs", "seconds", "branches", "corpus", "findings")

_COVERAGE = re.compile(r"cov: (\d+) ft: \d+ corp: (\d+)/")
_INPUTS = re.compile(r"stat::number_of_executed_units: *(\d+)")


@dataclass(frozen=True)
class Session:
    """What a session is to do."""

    name: str
    seconds: float
    seed: int
    output: Path
    corpus: Path
    blind: bool = False

    @property
    def findings(self) -> list[Path]:
        """The inputs that were found."""
        return sorted(path for path in self.output.glob("*-*") if path.suffix != ".story")


@click.command()
@click.argument("names", nargs=-1, metavar="[TARGET]...")
@click.option("--seconds", default=60.0, show_default=True, help="How long each target is fuzzed.")
@click.option("--seed", default=0, show_default=True, help="For all random choices.")
@click.option("--output", type=click.Path(path_type=Path), help="Where findings and inputs go.")
@click.option("--blind", is_flag=True, help="Do without coverage, even if Atheris is installed.")
@click.option("--check", "file", type=click.Path(path_type=Path, exists=True), help="One input.")
@click.option("--list", "lists", is_flag=True, help="List the targets, and end.")
def main(
    names: tuple[str, ...],
    seconds: float,
    seed: int,
    output: Path | None,
    blind: bool,
    file: Path | None,
    lists: bool,
) -> None:
    """Fuzz targets one after the other, all by default, and print what was found.

    With --check an input is checked once, without any fuzzing. The exit status is 1 if there are
    findings.
    """
    if unknown := sorted({*names} - {*ENTRIES}):
        raise click.UsageError(f"there is no target {', '.join(unknown)}; see --list")
    chosen = names or tuple(ENTRIES)
    if lists:
        click.echo("\n".join(chosen))
        return
    if file is not None:
        failures = [name for name in chosen if _fails(name, file)]
        sys.exit(bool(failures))
    folder = output or Path(tempfile.mkdtemp(prefix="fuzz-"))
    sessions = [
        Session(name, seconds, seed, folder / name, folder / "corpus" / name, blind)
        for name in chosen
    ]
    if blind or not is_guided():
        click.echo("without coverage: inputs are mutated blindly", err=True)
    click.echo(_row("target", COLUMNS))
    click.echo(_row("---", ["---:"] * len(COLUMNS)))
    failed = [session for session in sessions if _run(session)]
    sys.exit(bool(failed))


def _fails(name: str, file: Path) -> bool:
    """Check an input, and print what does not hold of it."""
    finding = find(ENTRIES[name].load(), file.read_bytes())
    click.echo(f"{name}: nothing" if finding is None else finding.story)
    return finding is not None


def _run(session: Session) -> bool:
    """Fuzz a target in a process of its own, and print its row; return whether it has failed."""
    session.output.mkdir(parents=True, exist_ok=True)
    log = session.output / "log"
    began = time.monotonic()
    with log.open("w") as lines:
        subprocess.run(
            _command(session),
            cwd=ROOT,
            stdout=lines,
            stderr=subprocess.STDOUT,
            timeout=session.seconds + 3 * HANG_SECONDS,
            check=False,
        )
    text = log.read_text(errors="replace")
    coverage, corpus = (_COVERAGE.findall(text) or [("", "")])[-1]
    inputs = _INPUTS.findall(text)
    if not inputs:
        click.echo(f"{session.name}: the session broke off; see {log}", err=True)
    seconds = f"{time.monotonic() - began:.0f}"
    cells = [*(inputs or ["?"])[-1:], seconds, coverage, corpus, str(len(session.findings))]
    click.echo(_row(session.name, cells))
    for path in session.findings:
        click.echo(f"{session.name}: {path}", err=True)
    return bool(session.findings) or not inputs


def _command(session: Session) -> list[str]:
    flags = ["--seconds", str(session.seconds), "--seed", str(session.seed)]
    folders = ["--corpus", str(session.corpus), "--output", str(session.output)]
    module = [sys.executable, "-m", "tests.fuzz.session", session.name]
    return [*module, *flags, *folders, *(["--blind"] if session.blind else [])]


def _row(name: str, cells: Sequence[str]) -> str:
    """A row of a table in Markdown, whose columns also line up on a terminal."""
    return f"| {name:<14} | {' | '.join(f'{cell:>8}' for cell in cells)} |"


if __name__ == "__main__":
    main()
