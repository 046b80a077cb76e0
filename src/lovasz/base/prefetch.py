"""A hint to the processor that memory will be read soon, for compiled loops over scattered rows.

Such a loop waits for memory if its rows do not fit into the cache, and the processor cannot guess
which row comes next. The hint changes no result.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, cast

from lovasz.base.compiled import Compiled, compiled

LINE = 64
"""Number of bytes that a processor fetches at once."""
READ, KEEP, DATA = 0, 3, 1
"""What llvm.prefetch is told: the memory will be read, more than once, and holds data."""


def _nothing(address: int) -> None:
    """The plain form does without the hint."""


class Hint(Compiled[[int], None]):
    """The instruction that fetches the line of memory at an address, once it is compiled."""

    @cached_property
    def fast(self) -> Callable[[int], None]:
        """The instruction, as a function that other compiled functions can call."""
        from llvmlite import ir
        from numba.core import types
        from numba.extending import intrinsic

        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])

        def fetch_line(_: Any, address: Any) -> Any:
            def build(context: Any, builder: Any, _: Any, values: Any) -> Any:
                place = builder.inttoptr(values[0], byte)
                function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
                builder.call(function, [place, *(number(k) for k in (READ, KEEP, DATA))])
                return context.get_dummy_value()

            return types.void(types.int64), build

        return cast(Callable[[int], None], intrinsic(fetch_line))


fetch_line = Hint(_nothing, {})
"""Tell the processor that the line of memory at an address will be read soon."""


@compiled
def fetch_soon(address: int, size: int) -> None:
    """Tell the processor that ``size`` bytes from an address on will be read soon."""
    for at in range(address, address + size, LINE):
        fetch_line(at)
