"""The command ``ggp-player analyze``: a search of one position, its values and its tree."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import click

import gdl
from gdl import StateMachine
from gdl.cli.options import write_text
from gdl.reports import DrawingError
from ggp_player.cli.options import (
    MAX_CLOCK,
    RULESHEET,
    output_option,
    reporting_unplayable_game,
)
from ggp_player.errors import GgpPlayerError
from ggp_player.inspect import (
    PAGE_LIMITS,
    TRACED_STRATEGIES,
    FigureLimits,
    MatchPrefix,
    TimedSearch,
    TracedStrategy,
    TreeFigure,
    json_object,
    machine_for,
    make_tree_figure,
    print_analysis,
    print_position,
    searching_role,
    strategy_for,
    timed_search,
    tree_dot,
    tree_html,
    tree_svg,
)
from ggp_player.strategies import Position, Strategy
from ggp_player.strategies.selection import STRATEGIES, strategy_from

FORMATS = ("svg", "html", "dot")
"""How trees are drawn."""


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of the command."""

    moves: tuple[str, ...]
    steps: int | None
    role: str | None
    strategy: str | None
    seconds: float
    tree: bool
    depth: int | None
    windows: bool
    max_nodes: int | None
    max_width: int | None
    form: str | None
    output: Path | None
    json: bool

    @property
    def spec(self) -> str:
        """The strategy, by default one that can do what is asked."""
        return self.strategy or ("minimax" if self.tree else "auto")

    @property
    def drawn_as(self) -> str:
        """The format of the drawing: what is asked for, or what the ending of the file says."""
        ending = self.output.suffix[1:].lower() if self.output is not None else ""
        ending = {"htm": "html", "gv": "dot"}.get(ending, ending)
        return self.form or (ending if ending in FORMATS else FORMATS[0])

    @property
    def limits(self) -> FigureLimits:
        """What fits into the drawing."""
        usual = PAGE_LIMITS if self.drawn_as == "html" else FigureLimits()
        nodes = usual.nodes if self.max_nodes is None else self.max_nodes
        width = usual.width if self.max_width is None else self.max_width
        return FigureLimits(self.depth, nodes, width)

    def check(self) -> None:
        """Raise click's UsageError for options that do not go together."""
        given = {
            "--depth": self.depth is not None,
            "--windows": self.windows,
            "--max-nodes": self.max_nodes is not None,
            "--max-width": self.max_width is not None,
            "--format": self.form is not None,
            "--output": self.output is not None,
        }
        for flag, is_given in given.items():
            if is_given and not self.tree:
                raise click.UsageError(f"{flag} is about the drawing: it needs --tree")
        if self.tree and self.json and self.output is None:
            raise click.UsageError("--tree and --json both write to the standard output: give one")
        if math.isnan(self.seconds):
            raise click.BadParameter("nan is no number of seconds", param_hint="--seconds")


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
    show_default=True,
    help="The time for the search.",
)
@click.option("--tree", is_flag=True, help="Draw the search tree.")
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
@click.option("--windows", is_flag=True, help="Draw alpha and beta at each node.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="A picture drawn by Graphviz, a page that a browser unfolds, or a graph for Graphviz.  "
    "[default: as --output ends, or svg]",
)
@output_option("--output", "-o", text="Where to write the tree.")
@click.option("--json", is_flag=True, help="Report as JSON.")
def analyze_command(rulesheet: Path, **options: object) -> None:
    """Search a position of the game RULESHEET, a file or one of ours, and show what was found.

    The position is the one after the given joint moves, which have one move for each role, in
    role order; without any it is the initial state. For each legal move there is its value, from 0
    to 100, what is proved of it, and the moves that the search expects after it.

    --tree draws what minimax, bounded_minimax, alpha_beta or max_n visits. SVG is drawn by
    Graphviz, which has to be installed; an HTML file needs nothing, and is unfolded, moved and
    zoomed in a browser. Subtrees that do not fit are folded: one node says how many states are
    below. Values come from the whole search, however many steps are drawn; alpha_beta:depth=3
    searches to that depth. Without --output the tree goes to the standard output, and nothing else
    does.

    \b
    Examples:
        ggp-player analyze games/ticTacToe.kif --moves '(put b2) noop' --seconds 2
        ggp-player analyze games/nim.kif --moves record.json --steps 6
        ggp-player analyze games/nim.kif --strategy alpha_beta --moves record.json --steps 6 \\
            --tree --windows --output nim.svg
        ggp-player analyze games/nim.kif --strategy alpha_beta --tree --output nim.html
    """
    chosen = _Options(**options)  # type: ignore[arg-type] # click has checked the types
    chosen.check()
    with reporting_unplayable_game():
        ruleset = gdl.load(rulesheet)
        machine = machine_for(ruleset, _notify)
        prefix = MatchPrefix(ruleset, machine, chosen.steps)
        for source in chosen.moves:
            prefix.follow(source)
        _Task(rulesheet.stem, machine, prefix, chosen).run()


@dataclass(frozen=True, slots=True)
class _Task:
    """One run of the command."""

    game: str
    machine: StateMachine
    prefix: MatchPrefix
    options: _Options

    def run(self) -> None:
        options, state = self.options, self.prefix.state
        position = Position(self.machine, state, searching_role(self.machine, state, options.role))
        if self.machine.is_terminal(state):
            if options.tree:
                raise GgpPlayerError("the match is over in this position: there is no search tree")
            self._report(position, None)
            return
        if not position.legal_moves:
            raise GgpPlayerError(f"{position.role} has no legal move, and the match is not over")
        strategy = self._strategy()
        analysis = timed_search(strategy, position, options.seconds)
        if options.output is not None or not options.tree:
            self._report(position, analysis)
        if options.tree:
            heading = f"{self._heading()}: {options.spec} for {position.role}"
            self._draw(self._figure(strategy), heading)

    def _strategy(self) -> Strategy:
        spec = self.options.spec
        known = {**STRATEGIES, **TRACED_STRATEGIES}
        if self.options.tree and not isinstance(strategy_from(spec, known), TracedStrategy):
            raise GgpPlayerError(
                f"--tree draws {', '.join(sorted(TRACED_STRATEGIES))}; found {spec}"
            )
        return strategy_for(spec, self.machine, _notify, known)

    def _figure(self, strategy: Strategy) -> TreeFigure:
        trace = strategy.trace if isinstance(strategy, TracedStrategy) else None
        if trace is None:
            raise GgpPlayerError(
                f"{self.options.spec} has not begun to search: it needs more --seconds"
            )
        options = self.options
        opened = FigureLimits(options.depth) if options.drawn_as == "html" else None
        return make_tree_figure(trace, options.limits, options.windows, opened)

    def _heading(self) -> str:
        steps = len(self.prefix.steps)
        return f"{self.game}, after {steps} step{'' if steps == 1 else 's'}"

    def _report(self, position: Position, analysis: TimedSearch | None) -> None:
        if self.options.json:
            found = json_object(position, self.prefix.steps, analysis)
            head = {"game": self.game, "strategy": analysis and self.options.spec}
            click.echo(json.dumps(head | found, indent=2))
            return
        print_position(self._heading(), position)
        if analysis is not None:
            print_analysis(position, analysis, self.options.spec)

    def _draw(self, figure: TreeFigure, heading: str) -> None:
        draw = {"svg": tree_svg, "html": tree_html, "dot": tree_dot}[self.options.drawn_as]
        try:
            text, output = draw(figure, heading), self.options.output
        except DrawingError as error:
            raise GgpPlayerError(str(error)) from error  # no fault of the game
        write_text(output, text)
        if output is not None and not self.options.json:
            remark = f"; {figure.remark}" if figure.remark else ""
            click.echo(f"tree       {output}, drawn to depth {figure.depth}{remark}")


def _notify(sentence: str) -> None:
    click.echo(sentence, err=True)
