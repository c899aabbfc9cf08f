"""The command line of ``gdl show``."""

from __future__ import annotations

import click

from gdl.cli.arguments import OUTPUT, rulesheet_argument, runs

RENAMED = {"--propnet": "--circuit", "--as": "--format"}
"""Options by their old names, which are taken with a notice for one release."""


class ShowCommand(click.Command):
    """The command, which takes options by their old names too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace old names before the arguments are parsed."""
        return super().parse_args(ctx, list(map(_current, args)))


def _current(argument: str) -> str:
    option, equals, value = argument.partition("=")
    if option not in RENAMED:
        return argument
    click.echo(f"{option} is now {RENAMED[option]}; the old name will go", err=True)
    return f"{RENAMED[option]}{equals}{value}"


@click.command("show", cls=ShowCommand)
@rulesheet_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "dot", "svg"]),
    default="text",
    help="A table, a graph for Graphviz, or a picture.",
)
@click.option("--circuit", is_flag=True, help="Show the circuit that the game is compiled to.")
@click.option("--analysis", is_flag=True, help="Show the game's structure: turns, goals, parts.")
@click.option("--output", "-o", type=OUTPUT, help="Where to write, instead of standard output.")
@runs("gdl.cli.show:run_show")
def show_command() -> None:
    """Show roles and relations, the compiled circuit, or an analysis.

    The table has every relation with the number of facts and rules that state it, whether it
    depends on the state or on the joint move, and the relations that its rules name, ~ where
    under a negation. The picture shows the same, with an arrow to each relation that is named,
    dashed where under a negation: white boxes are the same in all states, blue ones depend on the
    state, orange ones on the joint move, and the language's own relations have a thick rim.

    With --circuit: the circuit's figures, and a table with a row for each compiler pass, in order,
    for the game compiled with that pass and all above it; "saved" is the share of gates that the
    pass removes. The picture, of at most 500 gates, has an arrow to everything that a gate reads.

    \b
    Examples:
        gdl show games/ticTacToe.kif
        gdl show games/ticTacToe.kif --format svg --output ticTacToe.svg
        gdl show games/ticTacToe.kif --format dot | dot -Tpdf > ticTacToe.pdf
        gdl show games/ticTacToe.kif --circuit
        gdl show games/ticTacToe.kif --analysis
    """
