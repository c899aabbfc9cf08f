"""Kernels: Python functions of arrays and numbers that run as native code.

A kernel is written in the part of Python that Numba compiles. It is compiled ahead of time: the
LLVM code of all kernels that Python calls is kept in an archive (:mod:`.archive`), and made native
code for the processor at hand by LLVM alone, which takes seconds. So Numba is needed only where a
kernel has been changed, or is called that no archive has: see :mod:`.numba_compiler`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, update_wrapper
from importlib.util import find_spec
from typing import Any, TypeVar, cast

from gdl.array_kernels import archive
from gdl.array_kernels.arguments import KernelArchiveError

Function = TypeVar("Function", bound=Callable[..., Any])


class KernelFunction:
    """A function that runs as native code; called with the arguments of the Python function.

    Arrays are C-contiguous, and of the types for which the kernel was compiled: TypeError where
    they are not. Records are named tuples, nested as one likes.
    """

    def __init__(self, function: Callable[..., Any], *, is_inlined: bool) -> None:
        update_wrapper(self, function)
        self.function = function
        self.is_inlined = is_inlined
        self.name = f"{function.__module__}.{function.__qualname__}"
        KERNELS[self.name] = self

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401 as the function says
        """Call the native code; the first call finds, or makes, it."""
        return self.native(*arguments)

    @cached_property
    def native(self) -> Callable[..., Any]:
        """The native code: that of an archive or, where there is none, what Numba makes.

        Raises KernelArchiveError where it needs Numba and that is not installed.
        """
        found = archive.find_entry(self.name)
        if found is not None:
            return found
        if find_spec("numba") is None:
            reason = (
                "is in no archive, and to compile it needs Numba: pip install 'ggp-player[kernels]'"
            )
            raise KernelArchiveError(f"{self.name} {reason}")
        from gdl.array_kernels.numba_compiler import call_compiled

        return call_compiled(self)


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """An operation that kernels can call, emitted as LLVM code; not to be called from Python.

    ``define`` takes the Numba types of the arguments, and returns the signature and what emits the
    code, as for ``numba.extending.intrinsic``.
    """

    define: Callable[..., Any]

    def __call__(self, *_arguments: Any) -> Any:  # noqa: ANN401
        """Refuse: there is no Python function. Raises TypeError."""
        raise TypeError(f"{self.define.__name__} can be called only in a kernel")


KERNELS: dict[str, KernelFunction] = {}
"""All kernels of the modules imported so far, by their full names."""


def kernel(function: Function) -> Function:
    """Compile a function of arrays and numbers that raises nothing.

    It runs without the global interpreter lock. The arrays that it is given have no reference
    counts; those that it allocates have.
    """
    return cast("Function", KernelFunction(function, is_inlined=False))


def inlined_kernel(function: Function) -> Function:
    """Compile a function into each kernel that calls it: a call takes long with many arrays."""
    return cast("Function", KernelFunction(function, is_inlined=True))
