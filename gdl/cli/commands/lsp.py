"""The command line of ``gdl lsp``."""

from __future__ import annotations

import click


@click.command("lsp")
def lsp_command() -> None:
    """Serve an editor: problems, definitions, renaming and layout.

    The editor starts it, and speaks the Language Server Protocol over the standard streams, about
    rulesheets in KIF and in infix. It needs the extra: pip install 'ggp-player[lsp]'.
    docs/editors.md has the settings of VS Code, Neovim, Emacs and Helix.

    \b
    Example:
        gdl lsp
    """
    from gdl.lsp import run_language_server

    run_language_server()
