"""What kernels are written for: the processor of the host, or a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


def signature(arguments: Sequence[str], pointer: str) -> str:
    """Write arguments with their types, as functions take them and calls give them.

    Each is the name of an array, or a type and a name.
    """
    return ", ".join(
        argument.replace(" ", " %") if " " in argument else f"{pointer} %{argument}"
        for argument in arguments
    )


@dataclass(frozen=True, slots=True)
class KernelTarget:
    """Where kernels run: how many bits a word has, and how LLVM writes a kernel.

    On a GPU each thread runs the kernel by itself; on the host a kernel is a loop over threads.
    """

    bits: int
    is_gpu: bool

    @property
    def pointer(self) -> str:
        """The LLVM type of the address of an array."""
        return "ptr addrspace(1)" if self.is_gpu else "ptr"

    def head(self) -> str:
        """Write what stands before all kernels."""
        word = f"i{self.bits}"
        lines = [
            f"declare {word} @llvm.ctpop.{word}({word})",
            f"declare {word} @llvm.fshl.{word}({word}, {word}, {word})",
        ]
        if self.is_gpu:
            registers = ("tid", "ntid", "ctaid")
            lines += [f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()" for name in registers]
        return "\n".join(lines)

    def kernel(self, name: str, arguments: Sequence[str], body: Sequence[str]) -> str:
        """Write a kernel: ``body`` is what the thread ``%thread`` of ``%threads`` does.

        The last of the arguments is ``i64 threads``; see :func:`signature`.
        """
        taken = signature(arguments, f"{self.pointer} noalias")
        given = signature(arguments, self.pointer)
        inner = [
            f"define internal void @{name}.thread({taken}, i64 %thread) alwaysinline {{",
            "entry:",
            *body,
            "}",
        ]
        call = f"  call void @{name}.thread({given}, i64 %thread)"
        outer = self._gpu_kernel(call) if self.is_gpu else self._host_kernel(call)
        convention = "ptx_kernel " if self.is_gpu else ""
        start = f"define {convention}void @{name}({taken}) {{"
        return "\n".join([*inner, start, "entry:", *outer, "}"])

    def _gpu_kernel(self, call: str) -> list[str]:
        read = "call i32 @llvm.nvvm.read.ptx.sreg"
        return [
            f"  %gpu.tid = {read}.tid.x()",
            f"  %gpu.ntid = {read}.ntid.x()",
            f"  %gpu.ctaid = {read}.ctaid.x()",
            "  %gpu.before = mul i32 %gpu.ctaid, %gpu.ntid",
            "  %gpu.index = add i32 %gpu.before, %gpu.tid",
            "  %thread = zext i32 %gpu.index to i64",
            "  %gpu.inside = icmp ult i64 %thread, %threads",
            "  br i1 %gpu.inside, label %work, label %done",
            "work:",
            call,
            "  br label %done",
            "done:",
            "  ret void",
        ]

    def _host_kernel(self, call: str) -> list[str]:
        return [
            "  br label %head",
            "head:",
            "  %thread = phi i64 [ 0, %entry ], [ %following, %work ]",
            "  %more = icmp ult i64 %thread, %threads",
            "  br i1 %more, label %work, label %done",
            "work:",
            call,
            "  %following = add i64 %thread, 1",
            "  br label %head",
            "done:",
            "  ret void",
        ]
