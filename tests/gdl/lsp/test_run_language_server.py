"""The command says what to install where pygls is missing."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from gdl.__main__ import main


def test_without_pygls_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    result = CliRunner().invoke(main, ["lsp"])
    assert result.exit_code == 1
    assert result.output.strip() == (
        "Error: the language server needs pygls: pip install 'ggp-player[lsp]'"
    )
