"""Functions that numba compiles when, and only if, they have enough to do.

Importing numba takes a third of a second, loading a compiled function a few hundredths, and
compiling all of them for the first time a quarter of a minute. Plain Python is done before that
on small graphs. So each process has an allowance of plain steps; a function is compiled once
the allowance does not suffice, and then all others are, too. That is at most twice the time of
whatever would have been best.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast, overload

P = ParamSpec("P")
R = TypeVar("R")

PLAIN_STEPS = 150_000
"""Number of steps that a process does in plain Python; a step takes about a microsecond."""
COMPILING = "compiling, once per installation"
"""The note for whoever waits for the first compilation."""


def compile_now(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Compile a function by numba, and keep the result on disk if there is a place for it.

    There is none in a read-only installation whose user has no home to write to, as in many
    containers; then every process compiles for itself.
    """
    from numba import njit

    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        return njit(nogil=True, **options)(function)


class Allowance:
    """The plain steps that are left."""

    def __init__(self, steps: float) -> None:
        self.left = steps

    def spend(self, steps: float) -> bool:
        """Take the steps if there are enough of them; if not, there are none from now on."""
        self.left = self.left - steps if steps <= self.left else -1.0
        return self.left >= 0

    def covers(self, steps: float) -> bool:
        """Whether there are enough steps, without taking any."""
        return steps <= self.left


PLAIN = Allowance(PLAIN_STEPS)
"""The allowance of this process."""


class Compiled(Generic[P, R]):
    """A function in two forms that return the same: :attr:`plain` and :attr:`fast`.

    Each form calls the same form of the other compiled functions that it uses.
    """

    def __init__(self, function: Callable[P, R], options: dict[str, Any]) -> None:
        self.function, self.options = cast(FunctionType, function), options
        self.__doc__, self.__name__ = function.__doc__, self.function.__name__
        self.__wrapped__ = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the compiled form."""
        return self.fast(*args, **kwargs)

    def within(self, steps: float) -> Callable[P, R]:
        """Return the form for a call that takes about this many plain steps."""
        return self.plain if PLAIN.spend(steps) else self.fast

    @cached_property
    def plain(self) -> Callable[P, R]:
        """The function as it is written."""
        return cast(Callable[P, R], self._with(lambda other: other.plain))

    @cached_property
    def fast(self) -> Callable[P, R]:
        """The function compiled by numba, from its cache on disk if it is there."""
        return cast(Callable[P, R], compile_now(self._with(lambda other: other.fast), self.options))

    def is_cached(self) -> bool:
        """Whether the compiled form is on disk, or will never be. Imports numba."""
        folder = self.cache_folder()
        stem = Path(self.function.__code__.co_filename).stem
        return folder is None or any(Path(folder).glob(f"{stem}.{self.__name__}-*.nbi"))

    def cache_folder(self) -> str | None:
        """The folder in which the compiled form is kept, or None if it is not. Imports numba."""
        fast: Any = self.fast
        return cast("str | None", fast.stats.cache_path)

    def _with(self, form: Callable[[Compiled[Any, Any]], Any]) -> FunctionType:
        """The function with one form of the compiled functions that it names."""
        code, known = self.function.__code__, dict(self.function.__globals__)
        for name in set(code.co_names) - {self.__name__}:
            if isinstance(known.get(name), Compiled):
                known[name] = form(known[name])
        closure, defaults = self.function.__closure__, self.function.__defaults__
        made = FunctionType(code, known, self.__name__, defaults, closure)
        made.__doc__, made.__qualname__ = self.function.__doc__, self.function.__qualname__
        return made


@overload
def compiled(function: Callable[P, R], /) -> Compiled[P, R]: ...
@overload
def compiled(*, fastmath: Any) -> Callable[[Callable[P, R]], Compiled[P, R]]: ...
def compiled(function: Callable[P, R] | None = None, /, **options: Any) -> Any:
    """Make a :class:`Compiled` of a function; ``fastmath`` is that of numba."""
    if function is None:
        return partial(Compiled, options=options)
    return Compiled(function, options)
