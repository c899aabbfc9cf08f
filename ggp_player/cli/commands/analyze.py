"""The command line of ``ggp-player analyze``."""

from __future__ import annotations

import click

from gdl.cli.arguments import runs
from ggp_player.cli.commands.arguments import (
    MAX_CLOCK,
    RULESHEET,
    output_option,
)

FORMATS = ("svg", "html", "dot")
"""How trees are drawn."""


@click.command("analyze", short_help="Search a position, and show values and trees.")
@click.argument("rulesheet", type=RULESHEET)
@click.option(
    "--moves",
    multiple=True,
    metavar="MOVES",
    help="Joint moves, or a file of them, or a match record; can be repeated.",
)
@click.option("--steps", type=click.IntRange(0), help="Use only so many of the joint moves.")
@click.option("--role", help="The role that searches.  [default: the first with a choice]")
@click.option("--strategy", help="The strategy.  [default: auto, and minimax for a tree]")
@click.option(
    "--seconds",
    type=click.FloatRange(0, MAX_CLOCK),
    default=5.0,
    help="The time for the search.",
)
@click.option("--seed", type=int, help="For the strategies that draw at random.  [default: 0]")
@click.option("--tree", is_flag=True, help="Draw the search tree.")
@click.option("--stepper", is_flag=True, help="Make a page that goes through the search in steps.")
@click.option("--depth", type=click.IntRange(1), help="Steps drawn.  [default: as many as fit]")
@click.option(
    "--max-nodes",
    type=click.IntRange(1),
    help="Nodes drawn; others are folded.  [default: 150, and 5000 in HTML]",
)
@click.option(
    "--max-width",
    type=click.IntRange(1),
    help="Nodes drawn beside one another.  [default: 30, and any number in HTML]",
)
@click.option("--patterns", is_flag=True, help="Show what learned patterns say, without a search.")
@click.option("--windows", is_flag=True, help="Draw alpha and beta at each node.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="A picture, a page that a browser unfolds, or a graph for Graphviz.  "
    "[default: as --output ends, or svg]",
)
@output_option("--output", "-o", text="Where to write the tree, or the page.")
@click.option("--json", is_flag=True, help="Report as JSON.")
@runs("ggp_player.cli.analyze:run_analyze")
def analyze_command() -> None:
    """Search a position of the game RULESHEET, a file or one of ours, and show what was found.

    The position is the one after the given joint moves, which have one move for each role, in
    role order; without any it is the initial state. For each legal move there is its value, from 0
    to 100, what is proved of it, and the moves that the search expects after it.

    --tree draws what minimax, bounded_minimax, alpha_beta or max_n visits. SVG is a picture; an
    HTML file is unfolded, moved and zoomed in a browser. Subtrees that do not fit are folded: one
    node says how many states are below. Values come from the whole search, however many steps are
    drawn; alpha_beta:depth=3 searches to that depth. Without --output the tree goes to the standard
    output, and nothing else does.

    --stepper makes an HTML page that goes forward and back through a search node by node, with the
    tree as it grows, and the strategy's own source with the line that runs. It knows minimax,
    bounded_minimax, alpha_beta, max_n, deliberation and textbook_uct, and ends after 2,000 steps.
    Of mcts it shows how the tree grows by some 500 playouts a step, to 100 steps.

    --patterns shows which patterns are found in the position, and what each is worth to the role:
    those that ggp-player learn has stored, or else what can be learned in --seconds.

    \b
    Examples:
        ggp-player analyze games/ticTacToe.kif --moves '(put b2) noop' --seconds 2
        ggp-player analyze games/nim.kif --moves record.json --steps 6
        ggp-player analyze games/nim.kif --strategy alpha_beta --moves record.json --steps 6 \\
            --tree --windows --output nim.svg
        ggp-player analyze games/nim.kif --strategy alpha_beta --tree --output nim.html
        ggp-player analyze games/nim.kif --strategy alpha_beta:depth=3 --stepper --output nim.html
        ggp-player analyze games/connectFour.kif --patterns --seconds 2
    """
