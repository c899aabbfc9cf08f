"""What is tiny says why, every class has a name of its own; pages name files that exist."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
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

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()


def module_names() -> dict[str, Path]:
    """Modules and packages by their names in full."""
    files = [*MODULES, *(path.relative_to(ROOT) for path in PACKAGES)]
    return {".".join(file.with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def test_a_tiny_module_with_one_importer_says_why_it_is_apart() -> None:
    """A sentence of its docstring begins with "Apart"; commands and migrations have one each."""
    names = module_names()
    importers = defaultdict(set)
    for importer, file in names.items():
        for imported in {*_imports_of(file, names), *_named_in_strings(file)} & names.keys():
            if importer not in (imported, _package_of(imported, names)):
                importers[imported].add(importer)
    without_reason = []
    for name, file in names.items():
        text = (ROOT / file).read_text()
        is_exempt = file.stem.startswith("__") or ".cli." in name or ".migrations." in name
        if is_exempt or len(text.splitlines()) >= TINY or len(importers[name]) > 1:
            continue
        docstring = ast.get_docstring(ast.parse(text)) or ""
        if not re.search(r"(^|[.:]\s+)Apart\b", docstring):
            without_reason.append(str(file))
    assert without_reason == []


def _named_in_strings(file: Path) -> Iterator[str]:
    """Modules that are imported later, by their names: ``package.module`` or with ``:name``."""
    for node in ast.walk(ast.parse((ROOT / file).read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.partition(":")[0]


def test_one_search_finds_a_class() -> None:
    """No two modules define a public class of the same name."""
    places = defaultdict(set)
    for module in MODULES:
        for node in ast.parse((ROOT / module).read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(str(module))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_packages_import_each_other() -> None:
    """Of two packages one imports the other, also in functions; a package and its parent may both.

    A module directly in ``gdl`` or ``ggp_player`` stands for itself: what all share lies there.
    """
    names = module_names()
    edges = {
        (_package_of(importer, names), _package_of(imported, names))
        for importer, file in names.items()
        for imported in _imports_of(file, names)
        if imported in names
    }
    mutual = {(a, b) for a, b in edges if (b, a) in edges and not _is_within(a, b)}
    assert {pair for pair in mutual if pair[0] < pair[1]} == set()


def _imports_of(file: Path, names: Collection[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / file).read_text())):
        match node:
            case ast.Import(names=found):
                yield from (alias.name for alias in found)
            case ast.ImportFrom(module=str(module), names=found):
                inner = (f"{module}.{alias.name}" for alias in found)
                yield from (name if name in names else module for name in inner)
            case ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                yield module


def _package_of(module: str, names: Mapping[str, Path]) -> str:
    parent = module.rpartition(".")[0]
    return module if names[module].name == "__init__.py" or "." not in parent else parent


def _is_within(package: str, other: str) -> bool:
    return f"{package}.".startswith(f"{other}.") or f"{other}.".startswith(f"{package}.")


def test_no_test_module_is_imported() -> None:
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
                assert not (node.module or "").rpartition(".")[2].startswith("test_"), path


def test_every_package_says_what_it_is() -> None:
    for path in PACKAGES:
        docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
        assert len(docstring.split()) >= 10, path


def test_the_architecture_page_names_files_that_exist() -> None:
    named = re.findall(r"`((?:gdl|ggp_player|games|tests)/[\w/.]*)`", ARCHITECTURE)
    assert len(named) >= 20
    for name in named:
        assert (ROOT / name).exists(), name
