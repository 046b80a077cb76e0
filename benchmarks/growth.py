"""How the time of ϑ grows with the nodes and the edges: a table, and docs/images/growth.png.

    python benchmarks/growth.py [--quick] [--large] [--limit 120] [--out docs/images/growth.png]

The script times ``lovasz.theta(graph, tol=1e-6)`` on one thread, on G(n, ½) and on sparse random
graphs G(n, d/n) of average degree d; see solve.py for what is timed. A series ends at the first
graph that is not proven to 1e-6 within the limit and 12 GiB. The exponents of the legend are
fitted by least squares to the larger half of a series, at least three points, because constants
dominate the time of smaller graphs.
"""

from __future__ import annotations

import argparse
import os
import platform
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from instances import build
from lovasz.pages.style import NEITHER, PALETTE, SHAPES
from solve import OURS, TOL, measure

HERE = Path(__file__).parent
DENSE = (20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
STEPS = (100, 200, 500, 1000, 2000, 5000, 10_000)
LARGE = (20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": NEITHER,
    "xtick.color": NEITHER,
    "ytick.color": NEITHER,
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
    "legend.frameon": False,
}


@dataclass
class Series:
    """Times of one family of graphs."""

    label: str
    names: list[str]
    n: list[int] = field(default_factory=list)
    m: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def plan(options: argparse.Namespace) -> list[Series]:
    """The graphs to measure, smallest first."""
    dense = [*DENSE, 2000] if options.large else list(DENSE)
    sizes = {2: [*STEPS, *LARGE], 4: list(STEPS), 10: list(STEPS)}
    if options.quick:
        dense = [n for n in dense if n <= 100]
        sizes = {d: [n for n in steps if n <= (10_000, 500)[d > 2]] for d, steps in sizes.items()}
    return [
        Series("G(n, ½)", [f"gnp-{n}" for n in dense]),
        *(
            Series(f"sparse, average degree {degree}", [f"sparse-{degree}-{n}" for n in steps])
            for degree, steps in reversed(sizes.items())
        ),
    ]


def run(series: Series, options: argparse.Namespace) -> None:
    """Measure until a graph is too much."""
    for name in series.names:
        graph = build(name)
        cell = measure(OURS, name, repeats=options.repeats, limit=options.limit)
        proven = cell.seconds is not None and cell.upper - cell.lower <= TOL * cell.upper
        took = cell.note if cell.seconds is None else f"{cell.seconds:.4g}"
        left = "" if proven else "  not proven: the series ends"
        print(f"{name:18}{graph.n:9}{graph.m:9}{took:>10}{left}", flush=True)
        if cell.seconds is None or not proven:
            return
        series.n.append(graph.n)
        series.m.append(graph.m)
        series.seconds.append(cell.seconds)


def exponent(sizes: list[int], seconds: list[float]) -> float | None:
    """a of seconds ∝ sizes^a, through the larger half; None when there are too few points."""
    half = max(3, (len(sizes) + 1) // 2)
    if len(sizes) < 3:
        return None
    return float(np.polyfit(np.log(sizes[-half:]), np.log(seconds[-half:]), 1)[0])


def panel(axes: Axes, every: list[Series], letter: str) -> None:
    """Seconds over n or m, both logarithmic; exponents in the legend."""
    for code, series in enumerate(every):
        if not series.n:
            continue
        sizes = series.n if letter == "n" else series.m
        power = exponent(sizes, series.seconds)
        label = series.label + ("" if power is None else f":  ∝ ${letter}^{{{power:.1f}}}$")
        axes.plot(
            sizes, series.seconds, marker=SHAPES[code][0], color=PALETTE[code], markersize=5,
            linewidth=1.4, label=label,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(color=NEITHER, alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel({"n": "nodes, n", "m": "edges, m"}[letter])
    axes.legend(loc="upper left", fontsize=8.5)


def draw(every: list[Series], path: Path) -> None:
    with rc_context(STYLE):
        figure = Figure(figsize=(10, 4.6), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        panel(left, every, "n")
        panel(right, every, "m")
        left.set_ylabel("seconds")
        low, high = left.get_ylim()
        left.set_ylim(low, high * (high / low) ** 0.3)  # room for the legends
        figure.suptitle("ϑ to a proven relative gap of $10^{-6}$: time against size", fontsize=11)
        figure.supxlabel(machine(), fontsize=8, color=NEITHER)
        figure.savefig(path, dpi=150, facecolor="white")


def machine() -> str:
    """Where the picture comes from, in general words."""
    return f"one thread of a {os.cpu_count()}-core {platform.machine()} machine, {date.today()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small graphs only, a minute or two")
    parser.add_argument("--large", action="store_true", help="G(2000, ½) too")
    parser.add_argument("--limit", type=float, default=120, help="seconds per solve")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=HERE.parent / "docs/images/growth.png")
    options = parser.parse_args()
    every = plan(options)
    print(machine())
    print(f"{'graph':18}{'n':>9}{'m':>9}{'seconds':>10}")
    for series in every:
        run(series, options)
    draw(every, options.out)
    for series in every:
        a, b = exponent(series.n, series.seconds), exponent(series.m, series.seconds)
        fit = "too few points" if a is None else f"seconds ∝ n^{a:.2f}, m^{b:.2f}"
        print(f"{series.label}: {fit}")
    print(options.out.name)


if __name__ == "__main__":
    main()
