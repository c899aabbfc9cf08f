"""The system below: what differs between Linux, macOS and Windows, one function for each.

The lowest floor: it knows nothing of games, and imports nothing of this project and no package that
has to be installed, so that a process that was just started can use it at once. That is also why
its modules import little of the standard library, and define ``TYPE_CHECKING`` themselves:
importing :mod:`typing` and :mod:`pathlib` takes longer than grounding a small game. Each function
says what it does where the system cannot do what is asked for.

:mod:`.children` starts Python processes that import exactly the code of this one;
:mod:`.helper_process`, which is imported on its own, asks those that answer line by line;
:mod:`.processes` starts, watches and ends them; :mod:`.strays` finds those that were left behind;
:mod:`.resources` is about processors, memory and the time that nobody sets; :mod:`.files` about
files that are there, those that nobody else may write, and whole ones.
"""

from gdl.system.children import (
    child_environment,
    children_import_our_code,
    main_module_hidden,
)
from gdl.system.files import (
    is_file,
    is_folder,
    is_private,
    lock_file,
    make_private,
    make_private_database,
    make_private_file,
    owner_suffix,
    read_trusted,
    why_untrusted,
    write_whole,
)
from gdl.system.processes import (
    end_own_group,
    end_with_parent,
    has_ended,
    interrupts_blocked,
    is_stopped,
    kill,
    kill_group,
    lead_group,
    lower_priority,
    resume_with_parent_end,
    start_method,
)
from gdl.system.resources import (
    OutOfTimeError,
    address_space_limit,
    available_cpus,
    available_memory,
    boot_instant,
    child_cpu_seconds,
    cpu_quota,
    end_after_cpu_seconds,
    end_first_without_memory,
    limit_helper,
    limit_memory,
    load_average,
    memory_limit,
    peak_memory,
    raise_open_files_limit,
    resident_memory,
    return_large_blocks,
    time_limit,
    total_memory,
    was_ended_by_cpu_time,
    yield_address,
)
from gdl.system.strays import find_strays

__all__ = [
    "OutOfTimeError",
    "address_space_limit",
    "available_cpus",
    "available_memory",
    "boot_instant",
    "child_cpu_seconds",
    "child_environment",
    "children_import_our_code",
    "cpu_quota",
    "end_after_cpu_seconds",
    "end_first_without_memory",
    "end_own_group",
    "end_with_parent",
    "find_strays",
    "has_ended",
    "interrupts_blocked",
    "is_file",
    "is_folder",
    "is_private",
    "is_stopped",
    "kill",
    "kill_group",
    "lead_group",
    "limit_helper",
    "limit_memory",
    "load_average",
    "lock_file",
    "lower_priority",
    "main_module_hidden",
    "make_private",
    "make_private_database",
    "make_private_file",
    "memory_limit",
    "owner_suffix",
    "peak_memory",
    "raise_open_files_limit",
    "read_trusted",
    "resident_memory",
    "resume_with_parent_end",
    "return_large_blocks",
    "start_method",
    "time_limit",
    "total_memory",
    "was_ended_by_cpu_time",
    "why_untrusted",
    "write_whole",
    "yield_address",
]
