"""The command ``gdl scramble``: the same game with other names, and back."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import click

from gdl.cli.arguments import OUTPUT, OutputPath, rulesheet_argument, seed_option
from gdl.cli.options import read_source, write_text
from gdl.language import Scrambler, convert_text, notation_of, parse


@click.command("scramble")
@rulesheet_argument
@click.option(
    "--dictionary",
    type=OutputPath(),
    help="A JSON file of names and their words: written, or read with --back.",
)
@click.option("--back", is_flag=True, help="Put the names from the dictionary back.")
@seed_option
@click.option("--output", "-o", type=OUTPUT, help="Where to write, instead of standard output.")
def scramble_command(
    file: Path, dictionary: Path | None, back: bool, seed: int, output: Path | None
) -> None:
    """Replace the names of a game by invented words, or put them back.

    Every name is replaced, so that a player that is sent scrambled rules can only go by what they
    say. Keywords, the role random and integers stay. Comments are left out: they would give the
    game away.

    \b
    Examples:
        gdl scramble games/ticTacToe.kif --dictionary words.json -o secret.kif
        gdl scramble secret.kif --dictionary words.json --back
    """
    source = read_source(file)
    ruleset = parse(source.text, source.name)
    if back:
        if dictionary is None:
            raise click.UsageError("--back needs the --dictionary that scrambling wrote")
        scrambler = _read_dictionary(dictionary)
    else:
        scrambler = Scrambler.of(ruleset, Random(seed))
        if dictionary is not None:
            write_text(dictionary, json.dumps(dict(scrambler.words), indent=2) + "\n")
    text = str(scrambler.scramble_ruleset(ruleset))
    write_text(output, convert_text(text, notation_of(source.text)))


def _read_dictionary(path: Path) -> Scrambler:
    try:
        words = json.loads(path.read_bytes())
        if not isinstance(words, dict) or not all(isinstance(w, str) for w in words.values()):
            raise ValueError("expected one JSON object of names and words")
        return Scrambler(words)
    except ValueError as error:
        raise click.ClickException(f"{path} is no dictionary: {error}") from error
