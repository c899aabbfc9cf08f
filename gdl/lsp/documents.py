"""Open documents: a rulesheet with its names, and the protocol's answers about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from types import MappingProxyType

from lsprotocol import types

from gdl.errors import GdlSyntaxError, Span
from gdl.language import Rule, format_text
from gdl.language.keywords import KEYWORDS, RESERVED_WORDS
from gdl.lsp.descriptions import describe_at, kind_of
from gdl.lsp.positions import Positions
from gdl.lsp.renaming import renamable_at, renamed
from gdl.lsp.symbols import NameTable

_KINDS = {
    "keyword": "Keyword",
    "relation": "Function",
    "fluent": "Property",
    "move": "Method",
    "percept": "Event",
    "role": "Class",
    "function": "Struct",
    "object constant": "EnumMember",
    "variable": "Variable",
}
"""As what editors show a name, in the text and among completions."""

LEGEND = types.SemanticTokensLegend(
    [types.SemanticTokenTypes[kind] for kind in _KINDS.values()], []
)

_TOKEN_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}

_WORDS = (*KEYWORDS, *sorted(RESERVED_WORDS - KEYWORDS.keys()))


class OpenRulesheet:
    """A text that an editor has open; each method answers the request of its name.

    ``encoding`` says what the editor's positions count. Raises :class:`.renaming.RenamingError`
    for what cannot be renamed.
    """

    def __init__(self, uri: str, text: str, encoding: str) -> None:
        self.text = text
        self._uri = uri
        self._names = NameTable(text)
        self._positions = Positions(text, encoding)

    def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Describe the name at a position."""
        found = describe_at(self._names, self._offset(params.position))
        if found is None:
            return None
        span, text = found
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(content, span_range(self._positions, span))

    def definition(self, params: types.DefinitionParams) -> list[types.Location]:
        """Return the heads of the rules that define the name at a position."""
        return self._places(self._names.definitions_at(self._offset(params.position)))

    def references(self, params: types.ReferenceParams) -> list[types.Location] | None:
        """Return where the name at a position occurs."""
        found = self._names.at(self._offset(params.position))
        if found is None:
            return None
        _, symbol = found
        left_out = (
            () if params.context.include_declaration else self._names.definitions.get(symbol, ())
        )
        return self._places(set(self._names.spans[symbol]).difference(left_out))

    def prepare_rename(self, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
        """Return the name at a position, if it can be renamed."""
        span, _ = renamable_at(self._names, self._offset(params.position))
        place = span_range(self._positions, span)
        return types.PrepareRenamePlaceholder(place, self.text[slice(*span)])

    def rename(self, params: types.RenameParams) -> types.WorkspaceEdit:
        """Rename the name at a position wherever it occurs."""
        at = self._offset(params.position)
        spans, written = renamed(self._names, at, params.new_name)
        edits = [types.TextEdit(place.range, written) for place in self._places(spans)]
        return types.WorkspaceEdit({self._uri: edits})

    def completion(self, params: types.CompletionParams) -> list[types.CompletionItem]:
        """Return the words and names that rules can have, and the variables of the rule here."""
        rule = self._names.rule_at(self._offset(params.position))
        kinds = dict.fromkeys(_WORDS, "keyword")
        for symbol in self._names.spans:
            if symbol.rule in (None, rule):
                kinds.setdefault(self._names.spelling(symbol), kind_of(self._names, symbol))
        shown = {kind: types.CompletionItemKind[name] for kind, name in _KINDS.items()}
        return [types.CompletionItem(word, kind=shown[kind]) for word, kind in kinds.items()]

    def document_symbol(self, _: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        """Return the rules; neighbours for one relation are under its name."""
        outline = []
        rules = self._names.ruleset.rules
        for (name, arity), group in groupby(rules, lambda rule: rule.head.relation):
            inner = list(map(self._outlined, group))
            if len(inner) == 1:
                outline += inner
                continue
            first, title, kind = inner[0], f"{name}/{arity}", types.SymbolKind.Function
            whole = types.Range(first.range.start, inner[-1].range.end)
            relation = types.DocumentSymbol(title, kind, whole, first.selection_range)
            relation.children = inner
            outline.append(relation)
        return outline

    def formatting(self, _: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        """Lay the text out as ``gdl format`` does; leave one with mistakes as it is."""
        try:
            formatted = format_text(self.text)
        except GdlSyntaxError:
            return None
        whole = span_range(self._positions, (0, len(self.text)))
        return [types.TextEdit(whole, formatted)] if formatted != self.text else []

    def semantic_tokens(self, _: types.SemanticTokensParams) -> types.SemanticTokens:
        """Say of each name what it is, as ``LEGEND`` numbers it."""
        return types.SemanticTokens(list(self._token_numbers()))

    def _token_numbers(self) -> Iterator[int]:
        """Yield lines and characters from the name before, length, kind, and no flags."""
        last_line, last_character = 0, 0
        for span, symbol in self._names.occurrences:
            line, character = self._positions.position(span[0])
            yield line - last_line
            yield character - (last_character if line == last_line else 0)
            yield self._positions.units(*span)
            yield _TOKEN_NUMBERS[kind_of(self._names, symbol)]
            yield 0
            last_line, last_character = line, character

    def _outlined(self, rule: Rule) -> types.DocumentSymbol:
        kind = types.SymbolKind.Method if rule.body else types.SymbolKind.Constant
        spans = (rule.span or (0, 0), rule.head.span or (0, 0))
        whole, head = (span_range(self._positions, span) for span in spans)
        return types.DocumentSymbol(str(rule.head), kind, whole, head)

    def _offset(self, at: types.Position) -> int:
        return self._positions.offset((at.line, at.character))

    def _places(self, spans: Iterable[Span]) -> list[types.Location]:
        ordered = sorted(spans)
        return [types.Location(self._uri, span_range(self._positions, span)) for span in ordered]


ANSWERS: Mapping[str, Callable[..., object]] = MappingProxyType(
    {
        types.TEXT_DOCUMENT_HOVER: OpenRulesheet.hover,
        types.TEXT_DOCUMENT_DEFINITION: OpenRulesheet.definition,
        types.TEXT_DOCUMENT_REFERENCES: OpenRulesheet.references,
        types.TEXT_DOCUMENT_PREPARE_RENAME: OpenRulesheet.prepare_rename,
        types.TEXT_DOCUMENT_RENAME: OpenRulesheet.rename,
        types.TEXT_DOCUMENT_COMPLETION: OpenRulesheet.completion,
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: OpenRulesheet.document_symbol,
        types.TEXT_DOCUMENT_FORMATTING: OpenRulesheet.formatting,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: OpenRulesheet.semantic_tokens,
    }
)
"""The requests about a text, and what answers them."""


def span_range(positions: Positions, span: Span) -> types.Range:
    """Return the range of a span."""
    start, end = map(positions.position, span)
    return types.Range(types.Position(*start), types.Position(*end))
