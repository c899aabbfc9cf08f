"""The command ``ggp-player lab ledger``: the page of a ledger."""

from __future__ import annotations

from pathlib import Path

from gdl.cli.options import write_text
from ggp_player.lab.ledger import ledger_page, read_ledger


def run_ledger(folder: Path, page: Path | None) -> None:
    """Write the page of a ledger."""
    write_text(page, ledger_page(read_ledger(folder)))
