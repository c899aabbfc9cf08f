"""Our commands as processes of their own, which end with the process that starts them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

STOP_SECONDS = 2.0
"""How long a process has to end by itself, once it is told to."""

PROGRAM = (
    "import signal, sys; from gdl.system import end_with_parent; "
    "end_with_parent(int(sys.argv.pop(1))); "
    "signal.signal(signal.SIGINT, signal.default_int_handler); "  # a shell's & has it ignored
    "from ggp_player.__main__ import main; main()"
)


@asynccontextmanager
async def own_process(
    arguments: Sequence[str], variables: Mapping[str, str]
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run ``ggp-player`` with these arguments and environment; end it as Ctrl-C does.

    Its standard output can be read, and its log goes to the standard error stream.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, str(os.getpid()), *arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=variables,
        # Ctrl-C is for the parent, which ends it. In another session Linux may heed no niceness.
        process_group=0,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
