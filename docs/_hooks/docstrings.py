"""Docstrings, which are reStructuredText, as Markdown: an extension of Griffe.

What the docstrings of this repository use is translated: roles, code, literal blocks, sessions,
simple tables, and lists of definitions. A role becomes a link where the reference has its target.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from itertools import groupby

import griffe

PACKAGES = ("gdl", "gdl.envs", "gdl.engine", "ggp_player.strategies")
"""Where the public names are that roles may name without their package."""

_INLINE = re.compile(r"``(?P<code>.+?)``|:(?P<role>[a-z]+):`(?P<target>[^`]+)`", re.DOTALL)
_BORDER = re.compile(r"=+(?: +=+)+ *")


def public_names() -> dict[str, list[str]]:
    """The full names of what the packages export, by their short names."""
    names: dict[str, list[str]] = {}
    for package in PACKAGES:
        for name in importlib.import_module(package).__all__:
            names.setdefault(name, []).append(f"{package}.{name}")
    return names


class Translator:
    """Makes Markdown of docstrings; ``names`` are full names of public objects by short ones."""

    def __init__(self, names: dict[str, list[str]]) -> None:
        self._names = names

    def identifier(self, role: str, target: str, scope: str) -> str:
        """The full name of what a role names in the docstring of ``scope``, as far as is known."""
        if target.startswith(("gdl.", "ggp_player.")):
            return target
        first, _, rest = target.lstrip(".").partition(".")
        known = self._names.get(first, []) if role != "mod" else []
        near = [name for name in known if scope.startswith(name.rpartition(".")[0] + ".")]
        if known:
            return ".".join(filter(None, [(near or known)[-1], rest]))
        return f"{scope}.{target.lstrip('.')}"

    def _inline(self, text: str, scope: str) -> str:
        """Translate roles and code."""

        def markdown(match: re.Match[str]) -> str:
            if match["code"]:
                return f"`{match['code']}`"
            text, _, target = match["target"].rstrip(">").rpartition(" <")
            target = target.lstrip("~")
            shown = text or target.lstrip(".")
            identifier = self.identifier(match["role"], target, scope)
            return f'<autoref optional identifier="{identifier}"><code>{shown}</code></autoref>'

        return _INLINE.sub(markdown, text)

    def markdown(self, docstring: str, scope: str) -> str:
        """Translate a docstring; ``scope`` is the full name of its class or module."""
        parts: list[str] = []
        for kind, group in groupby(_blocks(docstring.splitlines()), key=lambda block: block[0]):
            if kind == "text":
                lines = [line for _, lines in group for line in lines]
                parts.append(self._inline("\n".join(lines), scope))
            else:
                for _, lines in group:
                    made = _fenced(lines) if kind == "code" else self._table(lines, scope)
                    parts.append(f"\n{made}\n")
        return "\n".join(parts)

    def _table(self, lines: list[str], scope: str) -> str:
        return self._inline("\n".join(_table_rows(lines)), scope)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _blocks(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Divide a docstring into code, tables and text."""
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.endswith("::"):
            if text := line.removesuffix("::").rstrip():
                yield "text", [f"{text}:"]
            end = _end_of_indented(lines, at + 1, _indentation(line))
            yield "code", _dedented(lines[at + 1 : end])
        elif line.startswith(">>> "):
            end = next((n for n in range(at, len(lines)) if not lines[n]), len(lines))
            yield "code", lines[at:end]
        elif _BORDER.fullmatch(line):
            borders = [n for n in range(at + 1, len(lines)) if _BORDER.fullmatch(lines[n])]
            end = borders[-1] + 1
            yield "table", lines[at:end]
        elif _is_term(lines, at):
            end = _end_of_indented(lines, at + 1, 0)
            first, *others = lines[at + 1 : end]
            yield "text", [line, f":   {first.strip()}", *others, ""]
        else:
            end = at + 1
            yield "text", [line]
        at = end


def _is_term(lines: list[str], at: int) -> bool:
    """Whether a line is a term and the indented lines after it say what it means."""
    line, after = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
    return bool(line) and not line.startswith((" ", "- ")) and after.startswith("    ")


def _end_of_indented(lines: list[str], at: int, indentation: int) -> int:
    """Where the lines end that are empty or indented by more."""
    while at < len(lines) and (not lines[at] or _indentation(lines[at]) > indentation):
        at += 1
    return at


def _dedented(lines: list[str]) -> list[str]:
    """The lines of a literal block, without the empty ones around them."""
    while lines and not lines[0]:
        lines = lines[1:]
    while lines and not lines[-1]:
        lines = lines[:-1]
    least = min((_indentation(line) for line in lines if line), default=0)
    return [line[least:] for line in lines]


def _fenced(lines: list[str]) -> str:
    """Write a block of code; it is a session where it begins like one."""
    language = "pycon" if lines[0].startswith(">>>") else "text"
    return "\n".join([f"```{language}", *lines, "```"])


def _table_rows(lines: list[str]) -> Iterator[str]:
    """Write a simple table; a row without a first cell continues the one before it."""
    starts = [match.start() for match in re.finditer("=+", lines[0])]
    spans = list(zip(starts, [*starts[1:], None], strict=True))
    rows: list[list[str]] = []
    has_head = sum(map(bool, map(_BORDER.fullmatch, lines))) > 2
    for line in lines:
        if _BORDER.fullmatch(line):
            continue
        cells = [line[start:end].strip().replace("|", "\\|") for start, end in spans]
        if cells[0] or not rows:
            rows.append(cells)
        else:
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
    head = rows.pop(0) if has_head else [""] * len(spans)
    for row in [head, ["---"] * len(spans), *rows]:
        yield f"| {' | '.join(row)} |"


class Docstrings(griffe.Extension):
    """Translates the docstrings of each package that Griffe reads."""

    def __init__(self) -> None:
        self._translator = Translator(public_names())

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Translate the docstrings of a package."""
        self._translate(pkg, pkg.path)

    def _translate(self, thing: griffe.Object, scope: str) -> None:
        """Translate the docstring of something, and of what is in it."""
        if thing.is_class or thing.is_module:
            scope = thing.path
        if thing.docstring is not None:
            thing.docstring.value = self._translator.markdown(thing.docstring.value, scope)
        for member in thing.members.values():
            if isinstance(member, griffe.Object):
                self._translate(member, scope)
