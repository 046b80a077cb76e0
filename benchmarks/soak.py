"""Intervals of ϑ of many random graphs under laws that an interval without ϑ would break.

    python benchmarks/soak.py 100000 --state soak.jsonl --jobs 2

Graph number k is the same in every run. The state file has a line per hundred graphs, and a run
that is given it goes on where the last one ended. The laws are decided in exact arithmetic:

- sandwich: the heaviest independent set is at most the upper end, and a clique cover, the least
  one up to twelve nodes, at least the lower end;
- perfect: the interval holds the weight of the heaviest independent set;
- closed form: the interval holds the value of a formula, in rationals or with 50 digits;
- exact: the interval holds the number that ϑ was recognised as;
- complement: ϑ(G, w) · ϑ(complement, v) ≥ v · w, and = n for unweighted transitive graphs;
- relabelling, engine: intervals of the same graph, in another order or by another solver, meet;
- parts: the interval meets the sum, or for joins the maximum, of those of the parts;
- variants: ϑ′ ≤ ϑ ≤ ϑ⁺, and both keep the sandwich;
- proof: a saved proof passes the checker.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import lovasz
from lovasz import LovaszError, theta, verify
from lovasz.base.surds import bound_exact
from lovasz.graphs import Graph
from lovasz.number import SOLVERS
from lovasz.number.result import Theta
from soak_families import FAMILIES, Sample, draw
from soak_laws import (
    clique_cover,
    clique_cover_number,
    heaviest_independent_set,
    neighbourhoods,
    whole,
)

CHUNK = 100
"""Number of graphs of one line of the state file."""
EXHAUSTIVE = 12
"""Number of nodes up to which the least clique cover is found."""
SIZES = (8, 8, 8, 12, 12, 12, 12, 16, 20, 30)
"""Numbers of nodes that most graphs have at most, drawn evenly."""
LARGE = 60
"""Number of nodes that one graph in fifty has at most."""
SECONDS = 60.0
"""Time limit of one computation, which then returns a wider interval."""


class Trial:
    """One graph with its laws."""

    def __init__(self, number: int) -> None:
        self.rng = random.Random(number)
        self.family = list(FAMILIES)[number % len(FAMILIES)]
        largest = LARGE if self.rng.random() < 0.02 else self.rng.choice(SIZES)
        self.sample: Sample = draw(self.family, self.rng, largest)
        self.weights = self._weights()
        self.solver = self.rng.choice((SOLVERS[0], *SOLVERS))
        self.laws: Counter[str] = Counter()
        self.broken: list[str] = []

    def _weights(self) -> list[float] | None:
        n, kind = self.sample.n, self.rng.random()
        if kind < 0.6:
            return None
        if kind < 0.8:
            return [float(self.rng.randint(1, 9)) for _ in range(n)]
        return [10.0 ** self.rng.uniform(-3, 3) for _ in range(n)]

    def graph(self, sample: Sample | None = None) -> Graph:
        """Return the graph, or another one."""
        sample = sample or self.sample
        edges = sorted(sample.edges)
        return Graph.from_edges([i for i, _ in edges], [j for _, j in edges], n=sample.n)

    def solve(self, graph: Graph, weights: list[float] | None, **options: Any) -> Theta:
        """Return ϑ with the options of this trial."""
        options = {"solver": self.solver, "weights": weights} | options
        return theta(graph, device="cpu", time_limit=SECONDS, **options)

    def demand(self, law: str, holds: bool, detail: Any = "") -> None:
        """Note a law, and whether it is broken."""
        self.laws[law] += 1
        if not holds:
            self.broken.append(f"{law}: {detail}")

    def judge(self) -> None:
        """Compute ϑ and hold it against the laws."""
        result = self.solve(self.graph(), self.weights)
        self.demand("order", result.lower <= result.value <= result.upper, result)
        self.sandwich(result)
        if self.weights is None and self.sample.closed is not None:
            self.inside("closed form", result, self.sample.closed())
        if result.exact_number is not None:
            low, high = bound_exact(result.exact_number)  # the nearest floats, outward
            self.demand("exact", result.lower <= low and high <= result.upper, result)
        others = [self.complement, self.relabelled, self.engine, self.variants, self.proof]
        for law in self.rng.sample(others, 1) + ([self.parts] if self.sample.parts else []):
            law(result)

    def inside(self, law: str, result: Theta, value: Any) -> None:
        """Demand that an interval holds a value."""
        self.demand(law, result.lower <= value <= result.upper, f"{value} is not in {result}")

    def sandwich(self, result: Theta) -> None:
        """Compare with an independent set and a clique cover."""
        near = neighbourhoods(self.sample.n, self.sample.edges)
        w, common = whole(self.weights or [1.0] * self.sample.n)
        found, heaviest = heaviest_independent_set(near, w)
        self.alpha, cover = Fraction(found, common), clique_cover(near, w)
        if self.weights is None and self.sample.n <= EXHAUSTIVE:
            cover = clique_cover_number(near)
        self.cover = Fraction(cover, common)
        self.between("sandwich", result)
        if self.sample.perfect and heaviest:
            self.inside("perfect", result, self.alpha)

    def between(self, law: str, result: Theta) -> None:
        """Demand α ≤ upper and lower ≤ cover."""
        holds = self.alpha <= Fraction(result.upper) and Fraction(result.lower) <= self.cover
        self.demand(law, holds, f"α ≥ {self.alpha}, cover {self.cover}: {result}")

    def meet(self, law: str, result: Theta, lower: float, upper: float) -> None:
        """Demand that two intervals meet."""
        holds = result.lower <= upper and lower <= result.upper
        self.demand(law, holds, f"{result} and [{lower!r}, {upper!r}]")

    def complement(self, result: Theta) -> None:
        """Compare with ϑ of the complement."""
        w = self.weights or [1.0] * self.sample.n
        v = w if self.rng.random() < 0.5 else [1.0] * self.sample.n
        other = self.solve(self.graph(), v, complement=True)
        product = sum(Fraction(a) * Fraction(b) for a, b in zip(v, w, strict=True))
        most = Fraction(result.upper) * Fraction(other.upper)
        self.demand("complement", most >= product, f"{result} {other}")
        if self.sample.transitive and self.weights is None:
            least = Fraction(result.lower) * Fraction(other.lower)
            self.demand("complement, transitive", least <= product, f"{result} {other}")

    def relabelled(self, result: Theta) -> None:
        """Compare with ϑ of the graph in another order."""
        order = self.rng.sample(range(self.sample.n), self.sample.n)
        edges = [(order[i], order[j]) for i, j in self.sample.edges]
        graph = Graph.from_edges([i for i, _ in edges], [j for _, j in edges], n=self.sample.n)
        weights = self.weights and [0.0] * self.sample.n
        for i, place in enumerate(order):
            if weights and self.weights:
                weights[place] = self.weights[i]
        other = self.solve(graph, weights or None)
        self.meet("relabelling", result, other.lower, other.upper)

    def engine(self, result: Theta) -> None:
        """Compare with ϑ by another solver."""
        solver = self.rng.choice([name for name in SOLVERS if name != self.solver])
        other = self.solve(self.graph(), self.weights, solver=solver)
        self.meet("engine", result, other.lower, other.upper)

    def variants(self, result: Theta) -> None:
        """Compare with ϑ′ or ϑ⁺."""
        name = self.rng.choice(["schrijver", "szegedy"])
        plain = name == "schrijver" and self.solver == "low-rank"  # which does not solve ϑ′
        solver = "auto" if plain else self.solver
        other = self.solve(self.graph(), self.weights, variant=name, solver=solver)
        small, large = (other, result) if name == "schrijver" else (result, other)
        self.demand("variants", small.lower <= large.upper, f"{name}: {result} {other}")
        self.between("variants, sandwich", other)

    def proof(self, result: Theta) -> None:
        """Save a proof and have it checked."""
        if result.material is None:
            return
        with tempfile.TemporaryDirectory() as folder:
            result.save(Path(folder) / "proof.npz")
            holds = verify(self.graph(), Path(folder) / "proof.npz", weights=self.weights)
        self.demand("proof", holds, result)

    def parts(self, result: Theta) -> None:
        """Compare with the parts."""
        start, found = 0, []
        for part in self.sample.parts:
            weights = self.weights and self.weights[start : start + part.n]
            found.append(self.solve(self.graph(part), weights or None, solver="auto"))
            start += part.n
        combine = max if self.sample.joined else sum
        lower = combine(Fraction(part.lower) for part in found)
        upper = combine(Fraction(part.upper) for part in found)
        holds = Fraction(result.lower) <= upper and lower <= Fraction(result.upper)
        self.demand("parts", holds, f"{result} {found}")


def soak_chunk(chunk: int) -> dict[str, Any]:
    """Judge the graphs of one chunk and return what there is to say."""
    started = time.process_time()
    laws: Counter[str] = Counter()
    families: Counter[str] = Counter()
    solvers: Counter[str] = Counter()
    misses = []
    for number in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        trial = Trial(number)
        try:
            trial.judge()
        except Exception as problem:
            kind = "refused" if isinstance(problem, LovaszError) else "raw"
            trial.broken.append(f"{kind}: {traceback.format_exc(limit=-3)}")
        laws += trial.laws
        families[trial.family] += 1
        solvers[trial.solver] += 1
        misses += [f"graph {number}, {trial.family}: {broken}" for broken in trial.broken]
    return {
        "chunk": chunk,
        "seconds": time.process_time() - started,
        "laws": laws,
        "families": families,
        "solvers": solvers,
        "misses": misses,
    }


def _results(chunks: list[int], jobs: int) -> Iterator[dict[str, Any]]:
    if jobs == 1:
        yield from map(soak_chunk, chunks)
        return
    import multiprocessing

    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(soak_chunk, chunks)


def main() -> int:
    """Judge as many graphs as asked and print the summary; 1 if a law was broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("--state", type=Path, default=Path("soak.jsonl"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds of wall time")
    options = parser.parse_args()
    started = time.monotonic()
    lines = options.state.read_text().splitlines() if options.state.exists() else []
    done = {line["chunk"]: line for line in map(json.loads, lines)}
    chunks = [k for k in range(-(-options.count // CHUNK)) if k not in done]
    with options.state.open("a") as file:
        for line in _results(chunks, options.jobs):
            done[line["chunk"]] = line
            file.write(json.dumps(line) + "\n")
            file.flush()
            if time.monotonic() - started > options.until:
                break
    return summarise(list(done.values()))


def summarise(lines: list[dict[str, Any]]) -> int:
    """Print the counts; return 1 if there are misses."""
    misses = [miss for line in lines for miss in line["misses"]]
    seconds = sum(line["seconds"] for line in lines)
    count = CHUNK * len(lines)
    print(f"lovasz {lovasz.__version__}: {count:,} graphs of {len(FAMILIES)} families, ", end="")
    print(f"{seconds:,.0f} CPU s, {count / max(seconds, 1e-9):.1f} graphs per CPU s")
    for title, key in (("Laws", "laws"), ("Solvers", "solvers"), ("Families", "families")):
        print(f"\n{title}")
        for name, times in sorted(sum((Counter(x[key]) for x in lines), Counter()).items()):
            print(f"{times:10,}  {name}")
    print(f"\n{len(misses)} misses")
    for miss in misses:
        print(miss)
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
