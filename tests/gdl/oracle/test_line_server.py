"""Lines in, lines out: one answer for each, whatever the lines are."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import Any

import pytest

from gdl.oracle.limits import Limits
from gdl.oracle.line_server import serve
from gdl.oracle.session import Session
from tests.support.paths import ROOT
from tests.support.small_games import game

NIM = game("nim")


def answers(*lines: bytes | Any, **limits: int) -> list[Any]:
    asked = b"\n".join(x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines)
    out = io.BytesIO()
    serve(Session(Limits(**limits)), io.BytesIO(asked), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_lines_are_answered_in_their_order() -> None:
    info = {"method": "info"}
    found = answers({"id": 1, **info}, b"", [{"id": "a", **info}, {"id": None, **info}], b"  ", [])
    assert [found[0]["id"], [one["id"] for one in found[1]], found[2]] == [1, ["a", None], []]


@pytest.mark.parametrize(
    "line",
    [b"nonsense", b"\xff\xfe", b"[" * 100_000, b'{"id": ' + b"9" * 5000 + b"}", b'{"a": 1', b"[1,"],
)
def test_lines_that_are_no_json_are_told(line: bytes) -> None:
    first, second = answers(line, {"id": 2, "method": "info"})
    assert first["error"]["code"] == "not_json"
    assert second["id"] == 2


def test_a_line_that_is_too_long_is_read_over() -> None:
    long = {"method": "parse", "rules": "x" * 70_000}
    first, second = answers(long, {"id": 2, "method": "info"}, line=100)
    assert first["error"] == {"code": "too_large", "message": "the line is longer than 100 bytes"}
    assert second["id"] == 2


def test_a_line_of_just_the_length_is_answered() -> None:
    line = json.dumps({"id": 3, "method": "info"}).encode()
    assert answers(line + b"\n", line, line=len(line))[1]["id"] == 3
    assert answers(line, line=len(line) - 1)[0]["error"]["code"] == "too_large"


def test_a_batch_that_is_too_long_is_refused() -> None:
    assert answers([1, 2, 3], batch=2)[0]["error"]["code"] == "too_large"


def test_answers_that_are_too_long_are_refused_one_by_one() -> None:
    asked = [{"id": number, "method": "position", "rules": NIM} for number in range(3)]
    whole = answers(asked)[0]
    size = len(json.dumps(whole[0], separators=(",", ":")))
    one, two, three = answers(asked, answer=size + 10)[0]
    assert one == whole[0]
    assert [two["error"]["code"], three["error"]["code"]] == ["too_large", "too_large"]
    assert [two["id"], three["id"]] == [1, 2]


def test_the_command_answers_line_by_line() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "gdl", "serve-oracle"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(2):
            process.stdin.write(b'{"id": %d, "method": "info"}\n' % number)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.close()
    assert process.returncode == 0


WIDE = " ".join(f"(value {number})" for number in range(300))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_an_answer_that_takes_too_much_memory_is_told() -> None:
    greedy = f"""(role you) {WIDE} (legal you go) (goal you 0) (<= (next ?f) (true ?f))
        (<= (next (many ?a ?b ?c)) (value ?a) (value ?b) (value ?c)) (<= terminal (true b))"""
    ask = {"method": "next", "rules": greedy, "joint_move": ["go"]}
    lines = [json.dumps(ask), json.dumps({"id": 2, "method": "legal", "rules": NIM})]
    done = subprocess.run(
        [sys.executable, "-m", "gdl", "serve-oracle", "--memory", "150", "--seconds", "60"],
        input="\n".join(lines).encode(),
        capture_output=True,
        cwd=ROOT,
        check=True,
    )
    first, second = map(json.loads, done.stdout.splitlines())
    assert first.get("error", {}).get("code") == "out_of_memory", first
    assert second["id"] == 2
    assert "result" in second
