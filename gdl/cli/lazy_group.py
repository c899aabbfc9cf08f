"""What ``gdl`` and ``ggp-player`` have in common: the group of commands, and ``--version``."""

from __future__ import annotations

import errno
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import Any, NamedTuple, TypeVar

import click

from gdl.cli.plain_output import make_outputs_plain
from gdl.errors import GdlError, GdlSyntaxError
from gdl.version import versions

NO_THREAD = "can't start new thread"
"""What Python says of a thread for which the system has no memory, or no process, left."""

INTERRUPTED = 128 + signal.SIGINT
"""The exit status after Ctrl-C, by the convention of shells."""

Command = TypeVar("Command", bound=Callable[..., Any])


class Target(NamedTuple):
    """The module of a command, below the package of all, and the first sentence of its help."""

    module: str
    short_help: str


class LazyGroup(click.Group):
    """A group that imports commands when they are called for and reports errors as sentences.

    ``targets`` are the commands by name, below a ``package``, with what the group's help says of
    them, which takes no import then. The command ``warm-up`` is ``warm_up_command`` in its module.
    ``errors`` are reported besides those of this package and of the operating system.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        package: str,
        targets: Mapping[str, Target],
        errors: tuple[type[Exception], ...] = (),
        callback: Callable[..., object] | None = None,
        params: list[click.Parameter] | None = None,
        help: str | None = None,
    ) -> None:
        settings = {"help_option_names": ["-h", "--help"], "show_default": True}
        super().__init__(
            name, callback=callback, params=params, help=help, context_settings=settings
        )
        self._package, self._targets = package, targets
        self._errors: tuple[type[Exception], ...] = (GdlError, *errors)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order of the help text."""
        return list(self._targets)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, None where there is none of that name."""
        if cmd_name not in self._targets:
            return None
        module = import_module(f"{self._package}.{self._targets[cmd_name].module}")
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.short_help) for name, each in self._targets.items()])

    def main(self, *arguments: Any, **settings: Any) -> Any:  # noqa: ANN401 - as in click
        """Run the program, whatever its terminal can show; SIGTERM ends it as Ctrl-C does."""
        make_outputs_plain()
        with _sigterm_as_ctrl_c():
            return super().main(*arguments, **settings)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; its errors end the program with a sentence and exit status 1.

        Ctrl-C ends it with exit status 130.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("\nAborted!", err=True)
            ctx.exit(INTERRUPTED)
        except GdlSyntaxError as error:
            # Each problem says itself where it is and that it is an error.
            click.echo(error, err=True)
            ctx.exit(1)
        except self._errors as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            # click itself ends quietly where the reader of a pipe has gone.
            if error.errno == errno.EPIPE:
                raise
            where = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(f"{where}{error.strerror or error}") from error
        except (MemoryError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and str(error) != NO_THREAD:
                raise
            reason = f": {error}" if str(error) else ""
            raise click.ClickException(
                f"too little memory, or too few processes, for this command{reason}; "
                "end other programs, or raise the limits (ulimit -v, ulimit -u)"
            ) from error


@contextmanager
def _sigterm_as_ctrl_c() -> Iterator[None]:
    """Have SIGTERM do here what Ctrl-C does, so that it loses no more.

    That is also how to end a command in the background, for which a shell has SIGINT ignored.
    Where SIGTERM is ignored, or handled by another program that calls this one, it stays so.
    """
    is_main_thread = threading.current_thread() is threading.main_thread()
    if not is_main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    handler = signal.getsignal(signal.SIGINT)  # asyncio has one of its own
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def version_option(prog_name: str) -> Callable[[Command], Command]:
    """Give a command the option ``--version``; the versions are computed when it is used."""

    def show(context: click.Context, _option: click.Parameter, is_wanted: bool) -> None:
        if is_wanted and not context.resilient_parsing:
            click.echo(f"{prog_name} {versions()}")
            context.exit()

    return click.option(
        "--version",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=show,
        help="Show the versions of the package, the engine and its cache, and exit.",
    )
