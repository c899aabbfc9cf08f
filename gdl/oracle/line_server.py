"""Lines of JSON in, lines of JSON out: one request a line, or a list of them, a batch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from gdl.oracle.requests import in_mib
from gdl.oracle.session import Session

DISCARDED = 2**16
"""How many bytes of a line that is too long are read, and forgotten, at a time."""


def serve(session: Session, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer the lines in their order until the input ends; empty lines have none."""
    for line in _lines(requests, session.limits.line):
        if line is not None and not line.strip():
            continue
        answers.write(answer_line(session, line).encode("ascii") + b"\n")
        answers.flush()


def answer_line(session: Session, line: bytes | None) -> str:
    """Answer one line, or one that was too long to be kept, by a line of ASCII."""
    limits = session.limits
    if line is None:
        return _refusal("too_large", f"the line is longer than {in_mib(limits.line)}")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        return _refusal("not_json", f"the line is not JSON: {reason[:200]}")
    if not isinstance(value, list):
        return _written(session, [value])[0]
    if len(value) > limits.batch:
        return _refusal("too_large", f"the batch has more than {limits.batch} requests")
    return f"[{','.join(_written(session, value))}]"


def _written(session: Session, requests: list[object]) -> list[str]:
    """Answer requests; beyond the size that answers may have, each is answered by that."""
    written: list[str] = []
    size = 0
    for request in requests:
        answer = session.answer(request)
        text = _text(answer)
        if size + len(text) > session.limits.answer:
            text = _refusal(
                "too_large",
                f"the answers to the line are longer than {in_mib(session.limits.answer)}",
                answer["id"],
            )
        size += len(text)
        written.append(text)
    return written


def _refusal(code: str, message: str, identity: object = None) -> str:
    return _text({"id": identity, "error": {"code": code, "message": message}})


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))


def _lines(requests: BinaryIO, most: int) -> Iterator[bytes | None]:
    """Yield the lines; None for each that is longer than ``most`` bytes."""
    while line := requests.readline(most + 1):
        if len(line) <= most or line.endswith(b"\n"):
            yield line
            continue
        while not line.endswith(b"\n") and (line := requests.readline(DISCARDED)):
            pass
        yield None
