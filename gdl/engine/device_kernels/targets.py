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


GROUP_THREADS = 128
"""How many threads a GPU starts together; they can wait for one another, and share some memory."""


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
            lines.append("declare void @llvm.nvvm.barrier0()")
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

    def group_kernel(
        self, name: str, arguments: Sequence[str], phases: Sequence[str], shared_bytes: int
    ) -> str:
        """Write a kernel whose threads work in groups: each phase is done in all before the next.

        A phase is a function of the kernel's arguments, addresses as all targets have them, and of
        ``ptr shared, i64 group, i64 thread``: memory of the group, which group this is, and which
        of its :data:`GROUP_THREADS` threads.
        """
        taken = signature(arguments, f"{self.pointer} noalias")
        given = signature([f"{each}.any" if " " not in each else each for each in arguments], "ptr")
        given += ", ptr %shared, i64 %group, i64 %thread"
        calls = [f"  call void @{phase}({given})" for phase in phases]
        kind = f"[{shared_bytes} x i8]"
        if self.is_gpu:
            before = [f"@{name}.shared = internal addrspace(3) global {kind} undef, align 16"]
            body = self._gpu_group(name, calls)
        else:
            before, body = [], self._host_group(kind, calls)
        convention = "ptx_kernel " if self.is_gpu else ""
        start = f"define {convention}void @{name}({taken}) {{"
        return "\n".join([*before, start, "entry:", *self.casts(arguments), *body, "}"])

    def casts(self, arguments: Sequence[str]) -> list[str]:
        """Write the addresses of arrays as all targets have them, each by its name and ``.any``."""
        cast = "addrspacecast" if self.is_gpu else "bitcast"
        return [
            f"  %{array}.any = {cast} {self.pointer} %{array} to ptr"
            for array in arguments
            if " " not in array
        ]

    def _gpu_group(self, name: str, calls: Sequence[str]) -> list[str]:
        read = "call i32 @llvm.nvvm.read.ptx.sreg"
        lines = [
            f"  %shared = addrspacecast ptr addrspace(3) @{name}.shared to ptr",
            f"  %gpu.tid = {read}.tid.x()",
            f"  %gpu.ctaid = {read}.ctaid.x()",
            "  %thread = zext i32 %gpu.tid to i64",
            "  %group = zext i32 %gpu.ctaid to i64",
        ]
        for number, call in enumerate(calls):
            lines += ["  call void @llvm.nvvm.barrier0()"] if number else []
            lines.append(call)
        return [*lines, "  ret void"]

    def _host_group(self, kind: str, calls: Sequence[str]) -> list[str]:
        lines = [
            f"  %shared = alloca {kind}, align 16",
            f"  %groups = udiv i64 %threads, {GROUP_THREADS}",
            "  br label %head",
            "head:",
            f"  %group = phi i64 [ 0, %entry ], [ %next, %done{len(calls) - 1} ]",
            "  %more = icmp ult i64 %group, %groups",
            "  br i1 %more, label %phase0, label %end",
        ]
        for number, call in enumerate(calls):
            before = f"done{number - 1}" if number else "head"
            thread = f"%thread{number}"
            lines += [
                f"phase{number}:",
                f"  {thread} = phi i64 [ 0, %{before} ], [ {thread}.next, %phase{number} ]",
                call.replace("%thread)", f"{thread})"),
                f"  {thread}.next = add i64 {thread}, 1",
                f"  {thread}.more = icmp ult i64 {thread}.next, {GROUP_THREADS}",
                f"  br i1 {thread}.more, label %phase{number}, label %done{number}",
                f"done{number}:",
            ]
            if number + 1 < len(calls):
                lines.append(f"  br label %phase{number + 1}")
        return [*lines, "  %next = add i64 %group, 1", "  br label %head", "end:", "  ret void"]

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
