"""The command ``gdl opening``: the rules of a game that begins after some random moves."""

from __future__ import annotations

from pathlib import Path
from random import Random

from gdl.cli.options import read_source, write_text
from gdl.language import convert_text, notation_of, parse
from gdl.openings import random_opening, rules_from
from gdl.reasoner import interpret


def run_opening(file: Path, plies: int, seed: int, output: Path | None) -> None:
    """Write the rules of a game with the facts of a random position in the place of ``init``."""
    source = read_source(file)
    ruleset = parse(source.text, source.name)
    rules_from(ruleset, ())  # what cannot be replaced is said before any move is made
    opening = random_opening(interpret(ruleset), plies, Random(seed))
    text = str(rules_from(ruleset, opening.state))
    notation = notation_of(source.text)
    lines = [f"{notation.marker} {ruleset.game} after random moves, seed {seed}:"]
    lines += [f"{notation.marker} {' '.join(map(str, moves))}" for moves in opening.moves]
    write_text(output, "\n".join([*lines, "", convert_text(text, notation, source.name)]))
