"""Many graphs, and one row of proven bounds for each of them: ϑ, α and χ of the complement."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.processes import DIED, call_apart
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.formats.graph6 import decode_graph6
from lovasz.graphs.operations import complement_of
from lovasz.graphs.read import many_graphs, parse_graph
from lovasz.graphs.source import Source, read_source
from lovasz.number import theta
from lovasz.number.batch import ThetaOptions
from lovasz.number.reduction import combinatorial
from lovasz.number.solvers.contract import never

EFFORT = 0.1
"""Effort of the search for a set and a cover where the greedy ones leave something open."""
STDIN = "standard input"
"""What stands in the column of the file for standard input."""
DIGITS = 16
"""Number of hexadecimal digits that identify a graph and the options."""


class GraphJob(NamedTuple):
    """A graph to solve."""

    file: str
    line: int | None
    """The line of the file, or None if the file holds one graph."""
    content: bytes | str | Graph | LovaszError
    """A line of graph6 or sparse6, a path, a graph, or what is wrong with it."""
    key: str
    """Identifies the graph and the options."""

    @property
    def place(self) -> tuple[str, str]:
        """File and line as they are written in a table."""
        return self.file, "" if self.line is None else str(self.line)


@dataclass(frozen=True)
class GraphRow:
    """What is proven about one graph; the fields but the notes are the columns, in order.

    ``lower`` ≤ ϑ ≤ ``upper``, and ϑ is ``exact`` where that is proven. An independent set of
    ``alpha_lower`` nodes was found and none has more than ``alpha_upper``; a partition into
    ``cover_upper`` cliques was found and none has fewer than ``cover_lower``.
    Of a graph that cannot be solved there is only ``error``.
    """

    file: str
    line: int | None
    n: int | None = None
    m: int | None = None
    lower: float | None = None
    upper: float | None = None
    exact: str = ""
    alpha_lower: int | None = None
    alpha_upper: int | None = None
    cover_lower: int | None = None
    cover_upper: int | None = None
    status: str = ""
    method: str = ""
    seconds: float | None = None
    error: str = ""
    key: str = ""
    notes: tuple[str, ...] = ()
    """What was changed or assumed when the graph was read; it has no column."""

    def as_dict(self) -> dict[str, Any]:
        """The row by the names of the columns."""
        return {name: getattr(self, name) for name in COLUMNS}

    def cells(self) -> tuple[Any, ...]:
        """The cells of the row in a table; missing values are empty."""
        return tuple(self.as_dict().values())


COLUMNS = tuple(field.name for field in fields(GraphRow) if field.name != "notes")
"""The head of the table."""


def list_jobs(
    paths: Sequence[str], options: ThetaOptions, *, symmetrize: bool, stdin: Source | None = None
) -> list[GraphJob]:
    """Return one job per graph in the files; ``stdin`` is standard input if it is read already."""
    salt = json.dumps(options | {"symmetrize": symmetrize}, sort_keys=True).encode()
    once = dict.fromkeys(paths)
    return [job for path in once for job in _jobs_of(path, salt, symmetrize, stdin)]


def _jobs_of(path: str, salt: bytes, symmetrize: bool, stdin: Source | None) -> Iterator[GraphJob]:
    name, data = STDIN if path == "-" else path, b""
    try:
        source = stdin if path == "-" and stdin is not None else read_source(path)
        data, lines = source.data, many_graphs(source)
        for number, line in lines:
            yield GraphJob(name, number, line, _key(salt, line))
        if path == "-" and not lines:  # it cannot be read a second time
            graph = parse_graph(source, symmetrize=symmetrize, weights="drop")
            yield GraphJob(name, None, graph, _key(salt, data))
        elif not lines:
            yield GraphJob(name, None, path, _key(salt, data))
    except LovaszError as problem:
        yield GraphJob(name, None, problem, _key(salt, data))


def _key(salt: bytes, content: bytes) -> str:
    return hashlib.sha256(salt + b"\0" + content).hexdigest()[:DIGITS]


def bound_graphs(
    jobs: Sequence[GraphJob],
    options: ThetaOptions,
    *,
    symmetrize: bool,
    processes: int,
    stop: Callable[[], bool] = never,
) -> Generator[tuple[int, GraphRow], None, None]:
    """Yield the position and the row of each job, in the order in which they are done.

    When ``stop()`` is true, the graph under way is given up; several processes do not ask.
    """
    work = partial(bound_job, options=options, symmetrize=symmetrize)
    if processes == 1:
        for position, job in enumerate(jobs):
            row = work(job, stop=stop)
            if stop():
                return
            yield position, row
        return
    with closing(call_apart(work, jobs, processes, batch="auto")) as results:
        for position, found in results:
            yield position, _failed(jobs[position], DIED) if found is None else found


def bound_job(
    job: GraphJob,
    options: ThetaOptions,
    symmetrize: bool,
    stop: Callable[[], bool] | None = None,
) -> GraphRow:
    """Return the row of a job; what is wrong with the graph is part of it."""
    try:
        if isinstance(job.content, LovaszError):
            raise job.content
        if isinstance(job.content, bytes):
            graph = decode_graph6(job.content)
        else:
            graph = as_graph(job.content, symmetrize=symmetrize, weights="drop")
        return bound_graph(graph, options, job, stop)
    except LovaszError as problem:
        return _failed(job, str(problem))
    except MemoryError:
        return _failed(job, "out of memory; use a smaller graph")


def _failed(job: GraphJob, error: str) -> GraphRow:
    return GraphRow(job.file, job.line, error=error, key=job.key)


def bound_graph(
    graph: Graph, options: ThetaOptions, job: GraphJob, stop: Callable[[], bool] | None
) -> GraphRow:
    """Return the bounds on ϑ, α and χ of the complement, or of those of the complement."""
    started = time.monotonic()
    options = {**options, "proven": True}  # the bounds on α and on covers rest on those of ϑ
    found = theta(graph, stop=stop, **options)
    solved = complement_of(graph) if options.get("complement") else graph
    alpha = combinatorial.greedy_independent_set(solved, np.ones(solved.n)).size
    cover = int(combinatorial.greedy_clique_cover(solved).max()) + 1
    most, least = math.floor(found.upper), math.ceil(found.lower)
    if alpha < min(most, cover) or cover > max(least, alpha):
        limit = options.get("time_limit")
        left = None if limit is None else max(0.0, started + limit - time.monotonic())
        control = {"effort": EFFORT, "time_limit": left, "stop": stop}
        alpha, most, least, cover = _search(solved, control, alpha, most, least, cover)
    return GraphRow(
        job.file, job.line, graph.n, graph.m, found.lower, found.upper,
        found.exact or "",
        alpha, min(most, cover), max(least, alpha), cover,
        found.status, found.method, round(time.monotonic() - started, 6), key=job.key,
        notes=graph.notes,
    )  # fmt: skip


def _search(
    graph: Graph, control: dict[str, Any], alpha: int, most: int, least: int, cover: int
) -> tuple[int, int, int, int]:
    """Look for a larger set and a smaller cover, and for better bounds on both."""
    from lovasz.colors.cover import cover_graph
    from lovasz.colors.search_control import SearchControl

    pair = cover_graph(graph, SearchControl(cover=True, chosen=True, **control))
    return (
        max(alpha, len(pair.chosen)),
        min(most, pair.upper),
        max(least, pair.lower),
        min(cover, pair.size),
    )
