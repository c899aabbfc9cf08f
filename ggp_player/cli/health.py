"""The command ``ggp-player health``: whether a player server is well, for whoever restarts it."""

from __future__ import annotations

import sys
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import click

TIME_LIMIT = 5.0
"""Seconds in which a player server must answer."""

_MOST_BYTES = 2**16


@click.command("health")
@click.argument("address", metavar="HOST:PORT")
@click.option("--ready", is_flag=True, help="ask whether a match could begin now")
def health_command(address: str, ready: bool) -> None:
    """Ask a player server whether it is well, or whether it is ready for a match.

    The exit status is 0 if it is, 1 if it is not, or does not answer in 5 seconds.
    """
    page = f"http://{address}/{'readyz' if ready else 'healthz'}"
    try:
        status, text = read_page(page)
    except (URLError, OSError, ValueError) as error:
        raise click.ClickException(f"{page} does not answer: {error}") from error
    click.echo(text.decode("ascii", "backslashreplace").strip())
    sys.exit(status != 200)


def read_page(page: str, seconds: float = TIME_LIMIT) -> tuple[int, bytes]:
    """Return the status and the text of a page, whatever the status is.

    Raises OSError or ValueError where there is no answer.
    """
    try:
        with urlopen(page, timeout=seconds) as response:
            return response.status, response.read(_MOST_BYTES)
    except HTTPError as error:
        with error:
            return error.code, error.read(_MOST_BYTES)
