"""The language server: what editors ask about a rulesheet, answered from the language's own reader.

Editors speak the Language Server Protocol (LSP) over the standard streams. Names and their places
come from the parser's spans, and mistakes from the validator, so an editor says what ``gdl check``
says. There is no second reader.

:mod:`.positions` turns offsets into an editor's lines and characters, :mod:`.symbols` lists the
names of a rulesheet, :mod:`.descriptions` says what a name is, and :mod:`.renaming` changes it.
:mod:`.checking` has rules checked in a process of its own, which can be ended. These know nothing
of the protocol; :mod:`.documents` and :mod:`.server` do, and need pygls, the extra ``lsp``.
"""

from __future__ import annotations

from gdl.errors import optional_library

__all__ = ["run_language_server"]


def run_language_server() -> None:
    """Serve one editor over standard input and output until it ends the session.

    Raises :class:`gdl.errors.MissingLibraryError` where pygls is not installed.
    """
    optional_library("pygls", "the language server needs pygls: pip install 'ggp-player[lsp]'")
    from gdl.lsp.server import serve_editor

    serve_editor()
