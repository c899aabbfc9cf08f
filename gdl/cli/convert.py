"""The command ``gdl convert``: rulesheets in the other notation."""

from __future__ import annotations

from pathlib import Path

import click

from gdl.cli.rulesheets import OUTPUT, read_source, rulesheet_argument, write_text
from gdl.language import Notation, convert_text, notation_of


@click.command("convert")
@rulesheet_argument
@click.option(
    "--to",
    "target",
    type=click.Choice([notation.value for notation in Notation]),
    help="The notation to write; the one that FILE is not in, unless said otherwise.",
)
@click.option("--output", "-o", type=OUTPUT, help="Where to write, instead of standard output.")
def convert_command(file: Path, target: str | None, output: Path | None) -> None:
    """Turn KIF into infix, and infix into KIF.

    KIF is (<= (legal ?p (mark ?n)) (true (free ?n)) (not (taken ?n))), infix is
    legal(P,mark(N)) :- true(free(N)) & ~taken(N). Which of the two FILE is in is seen from its
    text. Comments are kept, and converting back gives the same rules. In infix, a name that would
    read as a variable, or with other characters than letters, digits and _, is put in quotes.

    \b
    Examples:
        gdl convert games/ticTacToe.kif
        gdl convert games/ticTacToe.kif --output ticTacToe.hrf
        gdl convert ticTacToe.hrf --to kif
    """
    source = read_source(file)
    notation = Notation(target) if target else notation_of(source.text).other
    write_text(output, convert_text(source.text, notation, source.name))
