"""Strategies that do what no strategy should, to see what the player makes of it."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from multiprocessing import parent_process

from gdl import Constant
from ggp_player.strategies import Choice, Position, Strategy


class Hanging(Strategy):
    """Searches for ever and never yields a choice."""

    name = "hanging"

    def search(self, position: Position) -> Iterator[Choice]:
        while True:
            time.sleep(3600)
        yield Choice(position.legal_moves[0])


class Spinning(Strategy):
    """Yields one choice and then keeps the CPU busy for ever."""

    name = "spinning"

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[-1])
        while True:
            pass


class HangingFromBirth(Strategy):
    """Hangs when it is constructed in a worker process."""

    name = "hanging_from_birth"

    def __init__(self) -> None:
        if parent_process() is not None:
            time.sleep(3600)

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[0])


class Raising(Strategy):
    """Raises at once."""

    name = "raising"

    def search(self, position: Position) -> Iterator[Choice]:
        raise ZeroDivisionError(position.role)
        yield Choice(position.legal_moves[0])


class RaisingLater(Strategy):
    """Raises after its first choice."""

    name = "raising_later"

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[-1])
        raise RecursionError


class Exiting(Strategy):
    """Exits the process."""

    name = "exiting"

    def search(self, position: Position) -> Iterator[Choice]:
        os._exit(7)
        yield Choice(position.legal_moves[0])


class Greedy(Strategy):
    """Allocates all the memory that it can get."""

    name = "greedy"

    def search(self, position: Position) -> Iterator[Choice]:
        hoard = []
        while True:
            hoard.append(bytearray(2**24))
            yield Choice(position.legal_moves[-1])


class Illegal(Strategy):
    """Claims to have proved a move that does not exist."""

    name = "illegal"

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(Constant("cheat"), value=100, proved=True)


class Silent(Strategy):
    """Finds nothing."""

    name = "silent"

    def search(self, position: Position) -> Iterator[Choice]:
        yield from ()


class Deaf(Strategy):
    """Hangs when it is to stop."""

    name = "deaf"

    def search(self, position: Position) -> Iterator[Choice]:
        while True:
            try:
                yield Choice(position.legal_moves[-1])
                time.sleep(0.01)
            except GeneratorExit:
                time.sleep(3600)


class Announcing(Strategy):
    """Tells its process id to whoever listens at a port of this machine, then searches on."""

    name = "announcing"

    def __init__(self, port: int = 0) -> None:
        self.port = port

    def search(self, position: Position) -> Iterator[Choice]:
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(b"%d\n" % os.getpid())
        while True:
            yield Choice(position.legal_moves[-1], value=50)
            time.sleep(0.01)


class Pondering(Announcing):
    """Gains from searching while others choose."""

    name = "pondering"
    ponders = True


class TellingTime(Strategy):
    """Says how many seconds it has."""

    name = "telling_time"

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[-1], value=position.seconds)


class Suicidal(Strategy):
    """Yields a choice, then is killed by the operating system."""

    name = "suicidal"

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[-1])
        os.kill(os.getpid(), signal.SIGKILL)
