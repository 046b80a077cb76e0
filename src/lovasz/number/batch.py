"""ϑ of many graphs, one after the other or side by side in several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, Literal, TypedDict, TypeVar, Unpack, overload

from lovasz.base.errors import LovaszError
from lovasz.base.interrupts import CtrlC
from lovasz.base.processes import DIED, call_apart, check_jobs, in_order
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.formats.graph6 import decode_graph6
from lovasz.graphs.read import many_graphs, parse_graph
from lovasz.graphs.source import read_source
from lovasz.graphs.symmetric_graph import SymmetricGraph
from lovasz.number import check_options, theta
from lovasz.number.result import Theta

R = TypeVar("R")
Item = Graph | SymmetricGraph | bytes | LovaszError
"""A graph, a line of graph6 or sparse6, or what was wrong with a graph."""


class FurtherOptions(TypedDict, total=False):
    """The options of :func:`theta` besides ``tol`` that are the same for many graphs."""

    solver: str
    """The solver, "auto" if not given."""
    device: str
    """Where to compute, "auto" if not given."""
    complement: bool
    """Whether to solve the complements."""
    variant: str
    """"lovasz" if not given, "schrijver" or "szegedy"."""
    time_limit: float | None
    """Seconds for each graph."""
    proven: bool
    """Whether no upper bound may be probabilistic."""


class ThetaOptions(FurtherOptions, total=False):
    """All options of :func:`theta` that are the same for many graphs."""

    tol: float
    """Relative gap to reach."""


@overload
def theta_many(
    graphs: Any,
    tol: float = ...,
    jobs: int = ...,
    *,
    on_error: Literal["raise"] = ...,
    **options: Unpack[FurtherOptions],
) -> Iterator[Theta]: ...
@overload
def theta_many(
    graphs: Any,
    tol: float = ...,
    jobs: int = ...,
    *,
    on_error: Literal["return"],
    **options: Unpack[FurtherOptions],
) -> Iterator[Theta | LovaszError]: ...
def theta_many(
    graphs: Any,
    tol: float = 1e-6,
    jobs: int = 1,
    *,
    on_error: str = "raise",
    **options: Unpack[FurtherOptions],
) -> Iterator[Theta | LovaszError]:
    """Return an iterator over the results of :func:`theta` for many graphs, in their order.

    ``graphs`` is an iterable of whatever :func:`lovasz.as_graph` takes, or the path of a file of
    graph6 or sparse6 with one graph per line. Graphs are taken as they are needed, so the iterable
    may be endless. ``jobs`` processes with a single thread each share the work. The other options
    are those of :func:`theta` (``solver``, ``device``, ``complement``, ``variant``, ``proven`` and
    ``time_limit``, which is that of each graph).

    A graph that cannot be solved raises :class:`LovaszError` when its turn comes. With
    ``on_error="return"`` the error stands in its place, and the others go on. Ctrl-C raises
    KeyboardInterrupt, in a single process after the result so far of the graph under way.

    >>> import networkx as nx
    >>> [round(r.value, 6) for r in theta_many(nx.cycle_graph(n) for n in (5, 7, 9))]
    [2.236068, 3.317667, 4.36009]
    >>> good, bad = theta_many([nx.path_graph(3), nx.empty_graph(0)], on_error="return")
    >>> good.value, str(bad)
    (2.0, 'graph 2: the graph has no nodes; ϑ needs at least one')
    """
    given: ThetaOptions = {"tol": tol, **options}
    check_many(given)
    check_jobs(jobs)
    if on_error not in ("raise", "return"):
        raise LovaszError(f"on_error={on_error!r} is not known; use 'raise' or 'return'")
    solve = partial(theta, **given)
    return _results(_items(graphs), solve, jobs, keep=on_error == "return")


def check_many(options: ThetaOptions) -> None:
    """Raise if an option is unknown or wrong, whatever the graphs."""
    unknown = set(options) - set(ThetaOptions.__annotations__)
    if unknown:
        known = ", ".join(["tol", *FurtherOptions.__annotations__])
        raise LovaszError(f"theta_many has no option {min(unknown)!r}; known: {known}")
    check_options(
        tol=options.get("tol", 1e-6),
        solver=options.get("solver", "auto"),
        variant=options.get("variant", "lovasz"),
    )


def _results(
    items: Iterable[tuple[str, Item]],
    solve: Callable[..., Theta],
    jobs: int,
    *,
    keep: bool,
) -> Iterator[Theta | LovaszError]:
    names: dict[int, str] = {}

    def noted() -> Iterator[Item]:
        for position, (name, item) in enumerate(items):
            names[position] = name
            yield item

    with closing(_in_order(partial(_solve_item, solve=solve), noted(), jobs)) as results:
        for position, result in enumerate(results):
            name = names.pop(position)
            if isinstance(result, LovaszError):
                error = LovaszError(f"{name}: {result}")
                if not keep:
                    raise error from result
                yield error
            else:
                yield result


def _one_by_one(function: Callable[..., R], items: Iterable[Item]) -> Generator[R, None, None]:
    """Yield ``function(item)``; Ctrl-C ends the item under way, which is the last one."""
    for item in items:
        with CtrlC().taken() as request:
            result = function(item, stop=request)
        yield result
        if request.made:
            raise KeyboardInterrupt


def _in_order(
    function: Callable[[Item], R], items: Iterable[Item], jobs: int
) -> Generator[R | LovaszError, None, None]:
    """Yield ``function(item)`` in the order of the items, from ``jobs`` processes."""
    if jobs == 1:
        yield from _one_by_one(function, items)
        return
    with closing(call_apart(function, items, jobs, batch="auto")) as results:
        for result in in_order(results):
            yield LovaszError(DIED) if result is None else result


def _solve_item(
    item: Item, solve: Callable[..., Theta], stop: Callable[[], bool] | None = None
) -> Theta | LovaszError:
    try:
        if isinstance(item, LovaszError):
            return item
        return solve(decode_graph6(item) if isinstance(item, bytes) else item, stop=stop)
    except LovaszError as problem:
        return problem


def _items(graphs: Any) -> Iterator[tuple[str, Item]]:
    """Yield the name of each graph and the graph, or what is wrong with it."""
    if isinstance(graphs, str | os.PathLike):
        source = read_source(graphs)
        lines = many_graphs(source)
        for number, line in lines:
            yield f"{source.name} line {number}", line
        if not lines:
            yield source.name, parse_graph(source, weights="drop")
        return
    for number, graph in enumerate(graphs, 1):
        lazy = isinstance(graph, SymmetricGraph)
        try:
            yield f"graph {number}", graph if lazy else as_graph(graph, weights="drop")
        except LovaszError as problem:
            yield f"graph {number}", problem
