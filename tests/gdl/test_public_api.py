"""What the package offers is what it says that it offers."""

from __future__ import annotations

import doctest
import importlib
from types import ModuleType

import pytest

import gdl
from gdl import public_api
from tests.support.paths import ROOT

WITH_EXAMPLES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "gdl").rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


def test_all_is_exact() -> None:
    public = {
        name
        for name, value in vars(public_api).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert set(public_api.__all__) == public - {"annotations"}


def test_the_package_offers_it_without_importing_it_first() -> None:
    names: dict[str, object] = {}
    exec("from gdl import *", names)
    assert names.keys() - {"__builtins__"} == set(public_api.__all__)
    assert gdl.parse is public_api.parse
    for absent in ("sing", "__sing__"):
        with pytest.raises(AttributeError, match=f"module 'gdl' has no attribute '{absent}'"):
            getattr(gdl, absent)


def test_all_is_sorted_without_repetitions() -> None:
    assert public_api.__all__ == sorted(set(public_api.__all__))


@pytest.mark.parametrize("name", public_api.__all__)
def test_everything_public_is_documented(name: str) -> None:
    value = getattr(gdl, name)
    if name not in ("Term", "Literal"):  # names of unions
        assert value.__doc__
        assert value.__module__.startswith("gdl.")


def test_what_is_no_ruleset_is_refused_with_the_functions_that_make_one() -> None:
    text = "(role you)"
    for take in (gdl.compile, gdl.interpret, lambda rules: gdl.ask(rules, "(role ?r)")):
        with pytest.raises(TypeError, match=r"a ruleset, from gdl\.parse or gdl\.load, found str"):
            take(text)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"text of a rulesheet, found .*Path; gdl\.load reads"):
        gdl.parse(ROOT / "games" / "hex.kif")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_in_the_documentation_run(name: str) -> None:
    if name.startswith("gdl.openspiel."):
        pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    if name.startswith("gdl.lsp."):
        pytest.importorskip("pygls", reason="needs the extra lsp")
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_the_package_shows_a_session() -> None:
    (session,) = (test for test in doctest.DocTestFinder().find(gdl) if test.name == "gdl")
    assert len(session.examples) >= 5
