"""The server: texts come and go, their problems are published, and requests are answered.

Requests run in threads, so that a long one holds up no other; names are listed once for each text.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from gdl.lsp.checking import CheckQueue, ProblemRecords, TextChecker, TextVersion
from gdl.lsp.documents import ANSWERS, LEGEND, OpenRulesheet, span_range
from gdl.lsp.positions import Positions
from gdl.lsp.renaming import RenamingError
from gdl.version import __version__

MAX_CHARACTERS = 2**19
"""The longest text that requests are answered about; longer ones are only checked."""

_Changed: TypeAlias = types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams


class RulesheetServer(LanguageServer):
    """A language server for rulesheets; ``checks`` has their problems found and published."""

    def __init__(self) -> None:
        # Whole texts are sent: pygls counts lines in its own way where parts of them are.
        super().__init__("gdl", __version__, types.TextDocumentSyncKind.Full)
        self.checks = CheckQueue(TextChecker(), self._publish)
        self._reading = threading.Lock()
        self._open: dict[str, OpenRulesheet] = {}
        for name in (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE):
            self.feature(name)(lambda params: self._check(params))
        self.feature(types.TEXT_DOCUMENT_DID_CLOSE)(lambda params: self._forget(params))
        for name, answer in ANSWERS.items():
            options = LEGEND if name == types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL else None
            self.feature(name, options)(self.thread()(self._answering(answer)))

    def _answering(self, answer: Callable[..., object]) -> Callable[[Any], object]:
        """Wrap an answer as a handler, which answers null for a text not open or too long."""

        def handle(params: Any) -> object:  # noqa: ANN401 - of any request
            sheet = self._rulesheet(params.text_document.uri)
            try:
                return None if sheet is None else answer(sheet, params)
            except RenamingError as error:
                code = types.LSPErrorCodes.RequestFailed.value
                raise JsonRpcException(str(error), code) from error

        return handle

    def _rulesheet(self, uri: str) -> OpenRulesheet | None:
        opened = self.workspace.text_documents.get(uri)
        if opened is None or len(opened.source) > MAX_CHARACTERS:
            return None
        text = opened.source
        with self._reading:
            known = self._open.get(uri)
            if known is None or known.text != text:
                known = self._open[uri] = OpenRulesheet(uri, text, self._encoding)
        return known

    @property
    def _encoding(self) -> str:
        return self.workspace.position_encoding or "utf-16"

    def _check(self, params: _Changed) -> None:
        uri, version = params.text_document.uri, params.text_document.version
        text = self.workspace.text_documents[uri].source
        self.checks.put(TextVersion(uri, version, text))

    def _forget(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self.checks.drop(uri)
        with self._reading:
            self._open.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _publish(self, version: TextVersion, problems: ProblemRecords) -> None:
        positions = Positions(version.text, self._encoding)
        found = [_diagnostic(positions, problem) for problem in problems]
        published = types.PublishDiagnosticsParams(version.uri, found, version.number)
        self.text_document_publish_diagnostics(published)


def serve_editor() -> None:
    """Serve an editor over the standard streams until it ends the session."""
    # What goes wrong is in the answers; a log would repeat the rules with every message.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = RulesheetServer()
    try:
        server.start_io()
    finally:
        server.checks.close()


def _diagnostic(positions: Positions, problem: Mapping[str, Any]) -> types.Diagnostic:
    start = positions.offset_of_column(problem["line"], problem["column"])
    end = positions.offset_of_column(problem["end_line"], problem["end_column"])
    severity = types.DiagnosticSeverity[problem["severity"].capitalize()]
    place, code = span_range(positions, (start, end)), problem["code"]
    return types.Diagnostic(place, problem["message"], severity, code, source="gdl")
