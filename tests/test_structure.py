"""Every module has a test, every class a name of its own; pages name files that exist."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.paths import ROOT

COVERED_BY: dict[str, list[str]] = tomllib.loads((ROOT / "tests" / "covered_by.toml").read_text())

MODULES = sorted(
    path.relative_to(ROOT)
    for package in ("gdl", "ggp_player")
    for path in (ROOT / package).rglob("*.py")
    if path.name != "__init__.py"
)

PACKAGES = [path for name in ("gdl", "ggp_player") for path in (ROOT / name).rglob("__init__.py")]

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()


def own_test(module: Path) -> Path:
    return ROOT / "tests" / module.with_name(f"test_{module.name}")


def test_every_module_has_a_test_or_a_line_that_names_one() -> None:
    listed = [module for modules in COVERED_BY.values() for module in modules]
    assert sorted(listed) == sorted(set(listed))
    without = {str(module) for module in MODULES if not own_test(module).exists()}
    assert without == set(listed)


@pytest.mark.parametrize("test", COVERED_BY)
def test_listed_tests_exist(test: str) -> None:
    assert (ROOT / test).exists()


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
    files = [*MODULES, *(path.relative_to(ROOT) for path in PACKAGES)]
    names = {".".join(file.with_suffix("").parts).removesuffix(".__init__"): file for file in files}
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
