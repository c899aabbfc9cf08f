"""The command ``ggp-player analyze``: a search of one position, its values and its tree."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import click

import gdl
from gdl import StateMachine
from gdl.cli.lazy_group import INTERRUPTED
from gdl.cli.options import write_text
from ggp_player.cli.commands.analyze import FORMATS
from ggp_player.cli.learn import check_patterns
from ggp_player.cli.options import (
    compile_before_clocks,
    reporting_unplayable_game,
    say_on_stderr,
)
from ggp_player.errors import GgpPlayerError
from ggp_player.inspect.move_sequences import MatchPrefix
from ggp_player.inspect.pattern_report import (
    learn_for_report,
    print_patterns,
    report_patterns,
)
from ggp_player.inspect.report import json_object, print_analysis, print_position
from ggp_player.inspect.timed_search import (
    TimedSearch,
    machine_for,
    searching_role,
    strategy_for,
    timed_search,
)
from ggp_player.inspect.traced_strategies import TRACED_STRATEGIES, TracedStrategy
from ggp_player.inspect.tree_drawing import PAGE_LIMITS, tree_dot, tree_html
from ggp_player.inspect.tree_figure import FigureLimits, TreeFigure, make_tree_figure
from ggp_player.inspect.tree_svg import tree_svg
from ggp_player.pages.step_pages import steps_html
from ggp_player.search_steps.recording import STEPPED_STRATEGIES, StepLimits, record_search
from ggp_player.strategies import Position, Strategy
from ggp_player.strategies.learning import LearnedMonteCarlo
from ggp_player.strategies.selection import STRATEGIES, create, strategy_from


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of the command."""

    moves: tuple[str, ...]
    steps: int | None
    role: str | None
    strategy: str | None
    seconds: float
    seed: int | None
    tree: bool
    stepper: bool
    depth: int | None
    patterns: bool
    windows: bool
    max_nodes: int | None
    max_width: int | None
    form: str | None
    output: Path | None
    json: bool

    @property
    def spec(self) -> str:
        """The strategy, by default one that can do what is asked."""
        return self.strategy or ("minimax" if self.tree or self.stepper else "auto")

    @property
    def drawn_as(self) -> str:
        """The format of the drawing: what is asked for, or what the ending of the file says."""
        return self.form or self._ending or FORMATS[0]

    @property
    def _ending(self) -> str:
        ending = self.output.suffix[1:].lower() if self.output is not None else ""
        return {"htm": "html", "gv": "dot"}.get(ending, ending)

    @property
    def limits(self) -> FigureLimits:
        """What fits into the drawing."""
        usual = PAGE_LIMITS if self.drawn_as == "html" else FigureLimits()
        nodes = usual.nodes if self.max_nodes is None else self.max_nodes
        width = usual.width if self.max_width is None else self.max_width
        return FigureLimits(self.depth, nodes, width)

    @property
    def is_watched(self) -> bool:
        """Whether the search is of Python alone, whose lines or tree are watched as it runs."""
        is_stepped = self.stepper and self.spec.partition(":")[0] in STEPPED_STRATEGIES
        return self.tree or is_stepped

    def check(self) -> None:
        """Raise click's UsageError for options that do not go together."""
        given = {
            "--depth": self.depth is not None,
            "--windows": self.windows,
            "--max-nodes": self.max_nodes is not None,
            "--max-width": self.max_width is not None,
            "--format": self.form is not None,
        }
        for flag, is_given in given.items():
            if is_given and not self.tree:
                raise click.UsageError(f"{flag} is about the drawing: it needs --tree")
        if self.output is not None and not (self.tree or self.stepper):
            raise click.UsageError("--output is about a drawing: it needs --tree or --stepper")
        if self.tree and self.stepper:
            raise click.UsageError("--tree and --stepper both draw: give one")
        drawn = "--tree" if self.tree else "--stepper" if self.stepper else ""
        if self.patterns and (drawn or self.strategy is not None):
            other = drawn or "--strategy"
            raise click.UsageError(f"--patterns shows no search: it does not go with {other}")
        if drawn and self.json and self.output is None:
            raise click.UsageError(
                f"{drawn} and --json both write to the standard output: give one"
            )
        if self.stepper and self._ending not in ("", "html"):
            found = f"expected a name that ends in .html; found {self.output}"
            raise click.BadParameter(found, param_hint="--output")
        if self.form is None and self._ending and self._ending not in FORMATS:
            known = ", ".join(f".{one}" for one in FORMATS)
            found = f"expected a name that ends in {known}, or --format; found {self.output}"
            raise click.BadParameter(found, param_hint="--output")
        if math.isnan(self.seconds):
            raise click.BadParameter("nan is no number of seconds", param_hint="--seconds")


def run_analyze(rulesheet: Path, **options: object) -> None:
    """Search a position of the game RULESHEET, a file or one of ours, and show what was found."""
    chosen = _Options(**options)  # type: ignore[arg-type] # click has checked the types
    chosen.check()
    with reporting_unplayable_game():
        ruleset = gdl.load(rulesheet)
        if not chosen.is_watched:
            compile_before_clocks((chosen.spec,))
        machine = machine_for(ruleset, say_on_stderr)
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
        role = searching_role(self.machine, state, options.role)
        position = Position(self.machine, state, role, Random(options.seed or 0))
        if self.machine.is_terminal(state):
            if options.tree or options.stepper:
                raise GgpPlayerError("the match is over in this position: there is no search tree")
            self._report(position, None)
            return
        if options.patterns:
            self._report_patterns(position)
            return
        if not position.legal_moves:
            raise GgpPlayerError(f"{position.role} has no legal move, and the match is not over")
        if options.stepper:
            self._record(position)
            return
        strategy = self._strategy()
        analysis = timed_search(strategy, position, options.seconds)
        if options.output is not None or not options.tree:
            self._report(position, analysis)
        if options.tree:
            heading = f"{self._heading()}: {options.spec} for {position.role}"
            self._draw(self._figure(strategy), heading)
        if analysis.is_cancelled:
            raise click.exceptions.Exit(INTERRUPTED)

    def _record(self, position: Position) -> None:
        """Write the steps of the search as a page."""
        options = self.options
        strategy = create(options.spec)
        recorded = record_search(strategy, position, StepLimits(seconds=options.seconds))
        heading = f"{self._heading()}: {options.spec} for {position.role}"
        if options.output is not None:
            self._report(position, None)
        write_text(options.output, steps_html(recorded, heading))
        if options.output is not None and not options.json:
            count = len(recorded.log.steps)
            click.echo(f"steps      {options.output}, {count:,} step{'' if count == 1 else 's'}")
            if recorded.log.cut:
                click.echo(recorded.log.cut)

    def _strategy(self) -> Strategy:
        spec = self.options.spec
        known = {**STRATEGIES, **TRACED_STRATEGIES}
        if self.options.tree and not isinstance(strategy_from(spec, known), TracedStrategy):
            raise GgpPlayerError(
                f"--tree draws {', '.join(sorted(TRACED_STRATEGIES))}; found {spec}"
            )
        return strategy_for(spec, self.machine, say_on_stderr, known)

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

    def _report_patterns(self, position: Position) -> None:
        check_patterns(self.machine)
        machine = LearnedMonteCarlo().machine_of(position)
        try:
            evaluation = learn_for_report(machine, self.options.seconds)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None
        if evaluation is None:
            raise GgpPlayerError("too few states to find patterns in")
        role = machine.roles.index(position.role)
        report = report_patterns(machine, evaluation, position.state, role)
        if self.options.json:
            found = json_object(position, self.prefix.steps, None)
            click.echo(json.dumps({"game": self.game} | found | asdict(report), indent=2))
            return
        print_position(self._heading(), position)
        print_patterns(report, position.role)

    def _draw(self, figure: TreeFigure, heading: str) -> None:
        draw = {"svg": tree_svg, "html": tree_html, "dot": tree_dot}[self.options.drawn_as]
        output = self.options.output
        write_text(output, draw(figure, heading))
        if output is not None and not self.options.json:
            remark = f"; {figure.remark}" if figure.remark else ""
            click.echo(f"tree       {output}, drawn to depth {figure.depth}{remark}")
