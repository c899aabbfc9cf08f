"""What is for a player that polls waits for it, is handed out once, and answered once."""

import asyncio

import pytest

from ggp_player.manager.mailboxes import Letter, Mailbox, Mailboxes
from ggp_player.protocol import parse_envelope


@pytest.fixture
def box() -> Mailbox:
    return Mailboxes(lambda: 17).of("ann")


async def asking(box: Mailbox, text: str) -> asyncio.Task[str]:
    """Have a request wait."""
    task = asyncio.create_task(box.send(text))
    await asyncio.sleep(0)
    return task


def taken(box: Mailbox) -> Letter:
    letter = box.take()
    assert letter is not None
    return letter


async def test_a_request_is_handed_out_once_and_answered_once(box: Mailbox) -> None:
    reply = await asking(box, "info()")
    assert not box.answer("17", "too early")
    assert str(taken(box)) == "message(17,manager,info())"
    assert box.take() is None
    assert not box.answer("18", "of another")
    assert box.answer("17", "busy")
    assert not box.answer("17", "again")
    assert await reply == "busy"
    assert not box.answer("17", "late")


async def test_requests_are_handed_out_in_their_order(box: Mailbox) -> None:
    replies = [await asking(box, text) for text in ("play(m,nil)", "abort(m)")]
    first = taken(box)
    box.put_back(first)
    assert [taken(box).text for _ in replies] == ["play(m,nil)", "abort(m)"]
    assert box.answer("18", "done")
    assert box.answer("17", "noop")
    assert [await one for one in replies] == ["noop", "done"]


@pytest.mark.parametrize("is_taken", [False, True])
async def test_nobody_gets_what_nobody_waits_for(box: Mailbox, is_taken: bool) -> None:
    reply = await asking(box, "play(m,nil)")
    letter = taken(box) if is_taken else None
    reply.cancel()
    await asyncio.gather(reply, return_exceptions=True)
    if letter is not None:
        box.put_back(letter)
    assert box.take() is None
    assert not box.answer("17", "noop")


async def test_every_player_has_a_mailbox_and_every_message_a_number() -> None:
    boxes = Mailboxes(lambda: 17)
    replies = [await asking(boxes.of(name), "info()") for name in ("ann", "bob")]
    numbers = [parse_envelope(str(taken(boxes.of(name)))).number for name in ("ann", "bob")]
    assert numbers == ["17", "18"]
    for reply in replies:
        reply.cancel()
    await asyncio.gather(*replies, return_exceptions=True)
