"""The command ``gdl convert``: rulesheets in the other notation."""

from __future__ import annotations

from pathlib import Path

import click

from gdl.cli.arguments import OUTPUT, rulesheet_argument
from gdl.cli.options import read_source, write_text
from gdl.language import Notation, convert_text, notation_of


@click.command("convert")
@rulesheet_argument
@click.option(
    "--to",
    "target",
    type=click.Choice([notation.value for notation in Notation]),
    help="The notation to write; by default the one that FILE is not in.",
)
@click.option("--output", "-o", type=OUTPUT, help="Where to write, instead of standard output.")
def convert_command(file: Path, target: str | None, output: Path | None) -> None:
    """Turn KIF into infix, and infix into KIF.

    KIF is (<= (legal ?p (mark ?n)) (true (free ?n)) (not (taken ?n))), infix is
    legal(P,mark(N)) :- true(free(N)) & ~taken(N). The notation of FILE is recognized from its
    text. Comments are kept, and converting back gives the same rules. In infix, names that would
    read as variables, or have characters other than letters, digits and _, are quoted.

    \b
    Examples:
        gdl convert games/ticTacToe.kif
        gdl convert games/ticTacToe.kif --output ticTacToe.hrf
        gdl convert ticTacToe.hrf --to kif
    """
    source = read_source(file)
    notation = Notation(target) if target else notation_of(source.text).other
    write_text(output, convert_text(source.text, notation, source.name))
