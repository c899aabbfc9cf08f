"""An editor talks with ``gdl lsp`` over real streams."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence

import pytest
import pytest_asyncio

from gdl.language import Notation, convert_text, format_text, parse
from gdl.system import child_environment
from tests.support.paths import GAMES

pytest.importorskip("pygls", reason="needs the extra lsp")

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

pytestmark = pytest.mark.asyncio(loop_scope="module")

URI = "file:///game.kif"

RULES = """\
; who plays
(role white) (role black)
(init (cell 1 b)) (init (control white))
(base (cell 1 b))
(base (cell 1 x))

; One of one kind,
; side by side.
(<= (line ?x)
    (true (cell 1 ?x)))

(<= (legal ?p (mark ?n))
    (true (cell ?n b))
    (true (control ?p)))
(<= (next (cell ?n x))
    (does ?p (mark ?n)))
(<= (goal ?p 100) (role ?p) (line x))
(<= terminal (line x))
"""


class Editor:
    """An editor with one text open; ``diagnostics`` gets what the server publishes."""

    def __init__(self) -> None:
        self.client = LanguageClient("editor", "1")
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.text = ""
        self.version = 0
        self.capabilities: types.ServerCapabilities | None = None
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(
            lambda one: self.published.put_nowait(one)
        )

    async def start(self, encodings: list[str] | None = None) -> None:
        await self.client.start_io(sys.executable, "-m", "gdl", "lsp", env=child_environment())
        capabilities = types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=encodings),
            text_document=types.TextDocumentClientCapabilities(
                rename=types.RenameClientCapabilities(prepare_support=True)
            ),
        )
        params = types.InitializeParams(capabilities=capabilities)
        self.capabilities = (await self.client.initialize_async(params)).capabilities
        self.client.initialized(types.InitializedParams())

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await asyncio.wait_for(self.client.stop(), 30)

    def open(self, text: str) -> None:
        self.text, self.version = text, self.version + 1
        document = types.TextDocumentItem(URI, "gdl", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    def close(self) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document))

    def change(self, text: str) -> None:
        self.text, self.version = text, self.version + 1
        document = types.VersionedTextDocumentIdentifier(self.version, URI)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    async def diagnostics(self) -> list[types.Diagnostic]:
        """What is published of the text as it is now."""
        while True:
            published = await asyncio.wait_for(self.published.get(), 60)
            if published.version == self.version:
                return list(published.diagnostics)

    @property
    def document(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(URI)

    def at(self, piece: str, into: int = 0) -> types.Position:
        """The position of a piece of the text that occurs once, or so many characters into it."""
        assert self.text.count(piece) >= 1, piece
        before = self.text[: self.text.index(piece) + into]
        last = before.rpartition("\n")[2]
        return types.Position(before.count("\n"), len(last.encode("utf-16-le")) // 2)

    def quoted(self, span: types.Range) -> str:
        """The text of a range of one line."""
        assert span.start.line == span.end.line
        line = self.text.split("\n")[span.start.line].encode("utf-16-le")
        return line[2 * span.start.character : 2 * span.end.character].decode("utf-16-le")

    async def hover(self, piece: str, into: int = 0) -> str:
        params = types.HoverParams(self.document, self.at(piece, into))
        found = await self.client.text_document_hover_async(params)
        if found is None:
            return ""
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def definitions(self, piece: str, into: int = 0) -> list[int]:
        """The lines, from 0, of the definitions."""
        params = types.DefinitionParams(self.document, self.at(piece, into))
        found = await self.client.text_document_definition_async(params)
        assert isinstance(found, list)
        return [one.range.start.line for one in found if isinstance(one, types.Location)]

    async def references(self, piece: str, into: int = 0, declared: bool = True) -> list[int]:
        context = types.ReferenceContext(declared)
        params = types.ReferenceParams(context, self.document, self.at(piece, into))
        found = await self.client.text_document_references_async(params) or []
        return [one.range.start.line for one in found]

    async def rename(self, piece: str, new: str, into: int = 0) -> str:
        """Rename and return the text, to which the edits are applied; it becomes the open one."""
        params = types.RenameParams(self.document, self.at(piece, into), new)
        edit = await self.client.text_document_rename_async(params)
        assert edit is not None
        assert edit.changes is not None
        self.change(self.edited(edit.changes[URI]))
        return self.text

    def edited(self, edits: Sequence[types.TextEdit]) -> str:
        """The text after edits that do not overlap."""
        lines = self.text.split("\n")
        text = self.text
        for edit in sorted(
            edits, key=lambda one: (one.range.start.line, one.range.start.character)
        )[::-1]:
            start, end = (self._offset(lines, at) for at in (edit.range.start, edit.range.end))
            text = text[:start] + edit.new_text + text[end:]
        return text

    def _offset(self, lines: list[str], at: types.Position) -> int:
        units = lines[at.line].encode("utf-16-le") if at.line < len(lines) else b""
        before = units[: 2 * at.character].decode("utf-16-le")
        return sum(len(line) + 1 for line in lines[: at.line]) + len(before)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started() -> AsyncIterator[Editor]:
    editor = Editor()
    await editor.start()
    yield editor
    await editor.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def editor(started: Editor) -> AsyncIterator[Editor]:
    yield started
    started.close()


async def test_a_mistake_is_shown_where_it_is_and_goes_when_it_is_mended(editor: Editor) -> None:
    editor.open(RULES.replace("(true (control ?p)))", "(true (control ?q)))"))
    found = await editor.diagnostics()
    errors = [one for one in found if one.severity is types.DiagnosticSeverity.Error]
    assert [(one.code, editor.quoted(one.range)) for one in errors] == [("unsafe-variable", "?p")]
    assert errors[0].range.start == editor.at("(legal ?p", len("(legal "))
    editor.change(RULES)
    assert [one for one in await editor.diagnostics() if one.severity == errors[0].severity] == []
    editor.change(RULES + "(unclosed (a b\n")
    found = await editor.diagnostics()
    unclosed = next(one for one in found if one.code == "unclosed-parenthesis")
    assert unclosed.range.start == editor.at("(a b\n")


async def test_names_are_described(editor: Editor) -> None:
    editor.open(RULES)
    relation = await editor.hover("(line ?x)", 1)
    assert "`line/1`** relation, a view" in relation
    assert "1 rule defines it; 2 uses." in relation
    assert "One of one kind,\nside by side." in relation
    assert "`cell/2`** fluent" in await editor.hover("(true (cell 1 ?x)", 8)
    assert "move" in await editor.hover("(mark ?n)", 2)
    assert "role" in await editor.hover("white")
    assert "object constant" in await editor.hover(" x)", 1)
    assert "is true in the current state" in await editor.hover("(true", 3)
    assert "head holds if" in await editor.hover("<=", 1)
    assert await editor.hover("; One of", 3) == ""


async def test_definitions_and_references(editor: Editor) -> None:
    editor.open(RULES)
    lines = RULES.splitlines()
    cell = [2, 3, 4, lines.index("(<= (next (cell ?n x))")]
    assert await editor.definitions("(line x)", 1) == [8]
    assert await editor.definitions("(true (cell", 8) == cell
    assert await editor.definitions("(true (cell", 3) == cell
    assert await editor.definitions("(does", 2) == [lines.index("(<= (legal ?p (mark ?n))")]
    assert await editor.definitions("(cell ?n b)", 7) == [11]
    assert await editor.references("(line ?x)", 2) == [8, 16, 17]
    assert await editor.references("(line ?x)", 2, declared=False) == [16, 17]
    assert await editor.references("(legal ?p", 8) == [11, 13]


@pytest.mark.parametrize("notation", Notation)
async def test_renaming_there_and_back(editor: Editor, notation: Notation) -> None:
    text = convert_text(RULES, notation)
    infix = notation is Notation.INFIX
    editor.open(text)
    for old, new in [("line", "row"), ("cell", "square"), ("white", "red"), ("mark", "put")]:
        renamed = (
            await editor.rename(old, new)
            if old != "line"
            else await editor.rename("line(" if infix else "(line", new, 0 if infix else 1)
        )
        assert new in renamed
        before = parse(editor.text)
        assert len(before.rules) == len(parse(text).rules)
    assert "red" in str(parse(editor.text).roles)
    variable = await editor.rename("X" if infix else "?x", "Y" if infix else "y")
    assert ("row(Y)" if infix else "(row ?y)") in variable
    for old, new in [("row", "line"), ("square", "cell"), ("red", "white"), ("put", "mark")]:
        await editor.rename(old, new)
    await editor.rename("Y" if infix else "?y", "X" if infix else "?x")
    assert editor.text == text


async def test_what_cannot_be_renamed_is_refused_with_a_sentence(editor: Editor) -> None:
    editor.open(RULES)
    for piece, new, sentence in [
        ("role", "player", "word of the language"),
        ("100", "win", "goal value"),
        ("who", "what", "no name here"),
        ("cell", "mark", "is taken"),
        ("cell", "CONTROL", "is taken"),
        ("cell", "true", "word of the language"),
        ("cell", "a b", "is no name"),
        ("cell", "a) (b", "is no name"),
        ("cell", "?x", "is a variable"),
        ("?p", "?n", "is taken"),
        ("white", "random", "word of the language"),
    ]:
        with pytest.raises(JsonRpcException, match=sentence):
            await editor.rename(piece, new)
    params = types.PrepareRenameParams(editor.document, editor.at("role"))
    with pytest.raises(JsonRpcException, match="word of the language"):
        await editor.client.text_document_prepare_rename_async(params)
    params = types.PrepareRenameParams(editor.document, editor.at("cell", 2))
    prepared = await editor.client.text_document_prepare_rename_async(params)
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert prepared.placeholder == "cell"
    editor.change(RULES + "(unclosed")
    with pytest.raises(JsonRpcException, match="mend line 19 first"):
        await editor.rename("cell", "square")


async def test_formatting(editor: Editor) -> None:
    editor.open(RULES)
    params = types.DocumentFormattingParams(editor.document, types.FormattingOptions(4, True))
    edits = await editor.client.text_document_formatting_async(params)
    assert edits is not None
    assert editor.edited(edits) == format_text(RULES)
    editor.change(format_text(RULES))
    assert await editor.client.text_document_formatting_async(params) == ()
    editor.change("(role")
    assert await editor.client.text_document_formatting_async(params) is None


async def test_outline_tokens_and_completion(editor: Editor) -> None:
    editor.open(RULES)
    outline = await editor.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(editor.document)
    )
    names = [
        (one.name, len(one.children or []))
        for one in outline or []
        if isinstance(one, types.DocumentSymbol)
    ]
    assert names[:3] == [("role/1", 2), ("init/1", 2), ("base/1", 2)]
    assert ("(line ?x)", 0) in names
    tokens = await editor.client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(editor.document)
    )
    assert tokens is not None
    # The first is `role` in line 1 at character 1, of length 4; then `white`, a role.
    assert list(tokens.data[:10]) == [1, 1, 4, 0, 0, 0, 5, 5, 5, 0]
    assert len(tokens.data) % 5 == 0
    found = await editor.client.text_document_completion_async(
        types.CompletionParams(editor.document, editor.at("(line x))\n(<= term", 2))
    )
    assert isinstance(found, list)
    labels = {one.label for one in found}
    assert {"line", "cell", "mark", "white", "legal", "distinct", "?p"} <= labels
    assert "?n" not in labels


async def test_characters_outside_the_basic_plane_count_twice(editor: Editor) -> None:
    text = (
        "(role r) ; 🂡🂢\n(init (card 🂡 🂢)) (init (card 🂢 x))\n"
        "(<= (p 🂢) (true (card 🂡 ?x)) (q🂡 ?x))\n"
    )
    editor.open(text)
    found = {str(one.code): editor.quoted(one.range) for one in await editor.diagnostics()}
    assert found["undefined-relation"] == "q🂡"
    assert await editor.references("🂢)) (init", 0) == [1, 1, 2]
    renamed = await editor.rename("🂢)) (init", "🂣🂣")
    assert renamed == text.replace("🂢", "🂣🂣").replace("; 🂡🂣🂣", "; 🂡🂢")
    assert "(card 🂡 ?y)" in await editor.rename("?x", "?y")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("encoding", "start", "units"),
    [("utf-8", 18, 5), ("utf-32", 14, 2)],
)
async def test_other_encodings_of_positions(encoding: str, start: int, units: int) -> None:
    editor = Editor()
    await editor.start([encoding, "utf-16"])
    assert editor.capabilities is not None
    assert editor.capabilities.position_encoding == encoding
    editor.open("(role b)\n(<= (p é🂡) (q🂡 b))")
    found = {one.code: one.range for one in await editor.diagnostics()}["undefined-relation"]
    await editor.stop()
    assert found.start == types.Position(1, start - 2)
    assert found.end == types.Position(1, start - 2 + units)


@pytest.mark.thorough
async def test_hostile_and_huge_texts_leave_the_server_at_work(editor: Editor) -> None:
    editor.open("")
    for text in [
        "(" * 100_000,
        ")" * 100_000,
        "(a " * 300 + ")" * 300,
        "\x00\ud800 ( \u2028\x0b )",
        "; " + "x" * 100_000,
        "(<= (p ?x) " + "(q ?x) " * 20_000 + ")",
        "".join(f"(p{i} a)\n" for i in range(20_000)),
        "",
        'p("',
        "(role r)\u2028(role s)\x85(init",
    ]:
        editor.change(text)
        await asyncio.wait_for(
            editor.client.text_document_semantic_tokens_full_async(
                types.SemanticTokensParams(editor.document)
            ),
            60,
        )
        await editor.client.text_document_document_symbol_async(
            types.DocumentSymbolParams(editor.document)
        )
        for at in [types.Position(0, 0), types.Position(0, 5), types.Position(10**9, 10**9)]:
            await editor.client.text_document_hover_async(types.HoverParams(editor.document, at))
        await editor.diagnostics()
    editor.change("(role a)\n" * 300_000)
    assert "are longer than 2 MiB" in (await editor.diagnostics())[0].message
    assert await editor.hover("role", 1) == ""
    editor.change(RULES)
    assert "relation" in await editor.hover("(line x)", 2)


async def test_unknown_and_misplaced_requests_get_errors(editor: Editor) -> None:
    with pytest.raises(JsonRpcException, match="Method Not Found"):
        await editor.client.protocol.send_request_async("gdl/unknown", {})
    editor.client.protocol.notify("gdl/unknown", {})
    params = types.HoverParams(
        types.TextDocumentIdentifier("file:///etc/passwd"), types.Position(0, 0)
    )
    assert await editor.client.text_document_hover_async(params) is None
    editor.open(RULES)
    assert "relation" in await editor.hover("(line x)", 2)


async def test_a_closed_text_has_no_problems(editor: Editor) -> None:
    editor.open("(role")
    assert await editor.diagnostics()
    editor.close()
    assert (await asyncio.wait_for(editor.published.get(), 60)).diagnostics == ()
    assert await editor.hover("role", 1) == ""


@pytest.mark.parametrize("game", ["chess", "ticTacToe", "kalah"])
async def test_a_whole_game(editor: Editor, game: str) -> None:
    editor.open((GAMES / f"{game}.kif").read_text())
    errors = [
        one for one in await editor.diagnostics() if one.severity is types.DiagnosticSeverity.Error
    ]
    assert errors == []
    assert "fluent" in await editor.hover("(true (", 7)
