"""What is tiny says why, every class has a name of its own; pages name files that exist."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.support.paths import ROOT

MODULES = sorted(
    path.relative_to(ROOT)
    for package in ("gdl", "ggp_player")
    for path in (ROOT / package).rglob("*.py")
    if path.name != "__init__.py"
)

PACKAGES = [path for name in ("gdl", "ggp_player") for path in (ROOT / name).rglob("__init__.py")]

TINY = 75
"""A module of fewer lines may be part of the only one that imports it."""

IMPORT = re.compile(r"^ *(?:from ([\w.]+) import (\([^)]*\)|.*)|import ([\w.]+))", re.MULTILINE)
"""A statement at any depth, as the formatter writes it."""

LATER = re.compile(r'\bimport_module\(\s*"([\w.]+)"')
QUOTED = re.compile(r'"([\w.]+)[":]')
"""What may be the name of a module that is imported later: ``module`` or ``module:name``."""

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()


@cache
def text_of(file: Path) -> str:
    return (ROOT / file).read_text()


@cache
def module_names() -> dict[str, Path]:
    """Modules and packages by their names in full."""
    files = [*MODULES, *(path.relative_to(ROOT) for path in PACKAGES)]
    return {".".join(file.with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def test_a_tiny_module_with_one_importer_says_why_it_is_apart() -> None:
    """A sentence of its docstring begins with "Apart"; commands and migrations have one each."""
    names = module_names()
    importers = defaultdict(set)
    for importer, file in names.items():
        named = {*_imports_of(file), *QUOTED.findall(text_of(file))}
        for imported in named & names.keys():
            if importer not in (imported, _package_of(imported, names)):
                importers[imported].add(importer)
    without_reason = []
    for name, file in names.items():
        text = text_of(file)
        is_exempt = file.stem.startswith("__") or ".cli." in name or ".migrations." in name
        if is_exempt or len(text.splitlines()) >= TINY or len(importers[name]) > 1:
            continue
        docstring = ast.get_docstring(ast.parse(text)) or ""
        if not re.search(r"(^|[.:]\s+)Apart\b", docstring):
            without_reason.append(str(file))
    assert without_reason == []


def test_one_search_finds_a_class() -> None:
    """No two modules define a public class of the same name."""
    places = defaultdict(set)
    for module in MODULES:
        for name in re.findall(r"^class ([A-Za-z]\w*)", text_of(module), re.MULTILINE):
            places[name].add(str(module))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_packages_import_each_other() -> None:
    """Of two packages one imports the other, also in functions; a package and its parent may both.

    A module directly in ``gdl`` or ``ggp_player`` stands for itself: what all share lies there.
    """
    names = module_names()
    edges = {
        (_package_of(importer, names), _package_of(imported, names))
        for importer, file in names.items()
        for imported in _imports_of(file)
        if imported in names
    }
    mutual = {(a, b) for a, b in edges if (b, a) in edges and not _is_within(a, b)}
    assert {pair for pair in mutual if pair[0] < pair[1]} == set()


def _imports_of(file: Path) -> Iterator[str]:
    names = module_names()
    for package, found, module in IMPORT.findall(text_of(file)):
        inner = (f"{package}.{name}" for name in re.findall(r"\b(?<!as )(?!as\b)\w+", found))
        yield from (name if name in names else package for name in inner)
        yield module
    yield from LATER.findall(text_of(file))


def _package_of(module: str, names: Mapping[str, Path]) -> str:
    parent = module.rpartition(".")[0]
    return module if names[module].name == "__init__.py" or "." not in parent else parent


def _is_within(package: str, other: str) -> bool:
    return f"{package}.".startswith(f"{other}.") or f"{other}.".startswith(f"{package}.")


def test_no_test_module_is_imported() -> None:
    for path in (ROOT / "tests").rglob("*.py"):
        assert not re.search(r"^ *from tests[\w.]*\.test_", path.read_text(), re.MULTILINE), path


def test_every_package_says_what_it_is() -> None:
    for path in PACKAGES:
        docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
        assert len(docstring.split()) >= 10, path


def test_the_architecture_page_names_files_that_exist() -> None:
    named = re.findall(r"`((?:gdl|ggp_player|games|tests)/[\w/.]*)`", ARCHITECTURE)
    assert len(named) >= 20
    for name in named:
        assert (ROOT / name).exists(), name
